import type { Setup } from './app-state.ts'
import { operatorScreens } from './operator/screens.ts'
import { perpNavigation, perpScreens } from './perp/screens.ts'
import type { Screen } from './router.ts'
import { stockNavigation, stockScreens } from './stock/screens.ts'
import { words } from './stock/strings.ts'

/** A place in the bar at the top. */
export interface Place {
  readonly to: string
  readonly label: string
  /** Whether a path belongs to it. */
  readonly covers: (path: string) => boolean
  /** The product without which it is not shown. */
  readonly needs?: keyof Pick<Setup, 'stock' | 'perp'>
}

/** Every screen of the app. A product lists its own; the code of each is loaded when it is first shown. */
export const screens: readonly Screen[] = [
  ...stockScreens,
  ...perpScreens,
  ...operatorScreens,
  { path: '/portfolio', title: words.portfolio, load: async () => (await import('./portfolio.tsx')).Portfolio },
]

export const navigation: readonly Place[] = [...stockNavigation, ...perpNavigation]
