import type { Screen } from '../router.ts'
import { words } from './strings.ts'

export const operatorScreens: readonly Screen[] = [
  { path: '/operator', title: words.operator, load: async () => (await import('./operator.tsx')).Operator },
]
