import { type Signal, signal } from '@preact/signals'
import { useEffect, useState } from 'preact/hooks'
import { explain } from './explain.ts'

/** Something that is asked from the venue and asked again: what was last known, and why the last attempt failed. */
export interface Resource<Data> {
  readonly data: Signal<Data | undefined>
  readonly error: Signal<string | null>
  /** Asks now; of answers that overlap the newest question's counts. */
  readonly refresh: () => Promise<void>
}

export function createResource<Data>(ask: (signal: AbortSignal) => Promise<Data>): Resource<Data> & { stop(): void } {
  const data = signal<Data | undefined>(undefined)
  const error = signal<string | null>(null)
  let running = new AbortController()
  async function refresh(): Promise<void> {
    running.abort()
    const mine = new AbortController()
    running = mine
    try {
      const answer = await ask(mine.signal)
      if (mine.signal.aborted) return
      data.value = answer
      error.value = null
    } catch (failure) {
      if (!mine.signal.aborted) error.value = explain(failure)
    }
  }
  return { data, error, refresh, stop: () => running.abort() }
}

/**
 * A resource for as long as the component is shown: asked at once, then every `everyMs` while the page is visible.
 * `keys` say what it is about; another value begins anew. When `changes` changes it is asked again.
 */
export function useResource<Data>(
  ask: (signal: AbortSignal) => Promise<Data>,
  keys: readonly unknown[],
  everyMs?: number,
  changes?: Signal<number>,
): Resource<Data> {
  const key = JSON.stringify(keys)
  const [held, hold] = useState<{ key: string; resource: ReturnType<typeof createResource<Data>> }>(() => ({
    key,
    resource: createResource(ask),
  }))
  const next = held.key === key ? held : { key, resource: createResource(ask) }
  if (next !== held) hold(next)
  const { resource } = next
  useEffect(() => {
    void resource.refresh()
    const timer = everyMs ? setInterval(() => document.hidden || void resource.refresh(), everyMs) : undefined
    return () => {
      clearInterval(timer)
      resource.stop()
    }
  }, [resource, everyMs])
  useEffect(
    () =>
      changes?.subscribe(() => {
        if (resource.data.peek() !== undefined) void resource.refresh()
      }),
    [resource, changes],
  )
  return resource
}
