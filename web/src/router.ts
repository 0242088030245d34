import { computed, signal } from '@preact/signals'
import type { ComponentType } from 'preact'

/** A screen: its path (`/trade/:symbol`), its words, and its code, which is loaded when it is first shown. */
export interface Screen {
  readonly path: string
  readonly title: string
  readonly load: () => Promise<ComponentType<{ readonly params: Params }>>
}

export type Params = Readonly<Record<string, string>>

const current = () => location.hash.replace(/^#/, '') || '/'
const hash = signal(current())

addEventListener('hashchange', () => {
  hash.value = current()
})

/** The path after `#`, without its query. */
export const path = computed(() => hash.value.split('?')[0] ?? '/')

export const hrefTo = (target: string): string => `#${target}`

export function go(target: string): void {
  location.hash = target
}

/** What a part of a path says; null where it is not written as parts of addresses are. */
function decoded(part: string): string | null {
  try {
    return decodeURIComponent(part)
  } catch {
    return null
  }
}

/** The values of a screen's parameters if the path is one of its own, else null. */
export function matchPath(pattern: string, actual: string): Params | null {
  const [wanted, given] = [pattern.split('/'), actual.split('/')]
  if (wanted.length !== given.length) return null
  const params: Record<string, string> = {}
  for (const [index, part] of wanted.entries()) {
    const value = given[index] ?? ''
    if (!part.startsWith(':')) {
      if (part !== value) return null
      continue
    }
    const text = decoded(value)
    if (text === null) return null
    params[part.slice(1)] = text
  }
  return params
}
