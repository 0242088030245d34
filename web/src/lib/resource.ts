import { effect, type ReadonlySignal, signal } from '@preact/signals'
import { useEffect, useState } from 'preact/hooks'
import { explain } from './explain.ts'
import { pause } from './pause.ts'

/** Something that is asked from the venue and asked again: what was last known, and why the last attempt failed. */
export interface Resource<Data> {
  readonly data: ReadonlySignal<Data | undefined>
  readonly error: ReadonlySignal<string | null>
  /** Asks; while an answer is on its way, once more after it. Resolves when the answer asked for is there. */
  readonly refresh: () => Promise<void>
}

/** What becomes of what is known, by something that was told; of nothing that is known, the whole or still nothing. */
type Change<Data> = (known: Data | undefined) => Data | undefined

/** A resource that somebody else's question may end. */
export interface OwnResource<Data> extends Resource<Data> {
  /**
   * Takes what a stream tells. An answer that was asked for before may be older: what was told since then is made of it
   * once more. One that is asked for later has it.
   */
  readonly tell: (change: Change<Data>) => void
  /** Gives up what is on its way. */
  readonly stop: () => void
  /** Gives up what is on its way and forgets what is known: from now on it is about something else. */
  readonly reset: () => void
}

/**
 * One question at a time, and none given up for the next: a venue that answers more slowly than it is asked is still shown,
 * and many changes at once are one more question.
 */
export function createResource<Data>(ask: (signal: AbortSignal) => Promise<Data>): OwnResource<Data> {
  const data = signal<Data | undefined>(undefined)
  const error = signal<string | null>(null)
  let abort = new AbortController()
  let running: Promise<void> | null = null
  let again = false
  /** What was told since the question that is on its way was asked. */
  let told: Change<Data>[] = []
  async function askOnce(mine: AbortSignal): Promise<void> {
    told = []
    try {
      const answer = await ask(mine)
      if (mine.aborted) return
      data.value = told.reduce<Data | undefined>((known, change) => change(known), answer)
      error.value = null
    } catch (failure) {
      if (!mine.aborted) error.value = explain(failure)
    }
  }
  async function askAll(mine: AbortSignal): Promise<void> {
    do {
      again = false
      await askOnce(mine)
    } while (again && !mine.aborted)
    if (!mine.aborted) running = null
  }
  function stop(): void {
    abort.abort()
    abort = new AbortController()
    running = null
    again = false
  }
  return {
    data,
    error,
    refresh() {
      again = running !== null
      running ??= askAll(abort.signal)
      return running
    },
    tell(change) {
      if (running) told.push(change)
      data.value = change(data.peek())
    },
    stop,
    reset() {
      stop()
      data.value = undefined
      error.value = null
    },
  }
}

/**
 * Resources about a session's wallet: asked when it begins and whenever `changes` changes, forgotten when it ends or another
 * begins.
 */
export function ofSession(
  session: ReadonlySignal<unknown>,
  resources: readonly Pick<OwnResource<unknown>, 'refresh' | 'reset'>[],
  changes?: ReadonlySignal<number>,
): void {
  effect(() => {
    session.value
    for (const one of resources) one.reset()
  })
  effect(() => {
    changes?.value
    if (session.value) for (const one of resources) void one.refresh()
  })
}

const ASKED_MS = 60_000
const ASK_AFTER_MS = 1000

/** Asks again until it is so, for a minute by a clock that nobody sets, through failures. Tells whether it became so. */
export async function askedUntil<Data>(ask: () => Promise<Data>, isSo: (data: Data) => boolean): Promise<boolean> {
  for (const endMs = performance.now() + ASKED_MS; ; await pause(ASK_AFTER_MS)) {
    const data = await ask().catch(() => undefined)
    if (data !== undefined && isSo(data)) return true
    if (performance.now() >= endMs) return false
  }
}

/** What is asked for once and could not be had is asked for again. */
const AFTER_FAILURE_MS = 5000

/**
 * A resource for as long as the component is shown: asked at once, then every `everyMs` while the page is visible; without `everyMs`
 * until it is there. `keys` say what it is about; another value begins anew. When `changes` changes it is asked again.
 */
export function useResource<Data>(
  ask: (signal: AbortSignal) => Promise<Data>,
  keys: readonly unknown[],
  everyMs?: number,
  changes?: ReadonlySignal<number>,
): OwnResource<Data> {
  const key = JSON.stringify(keys)
  const [held, hold] = useState<{ key: string; resource: OwnResource<Data> }>(() => ({
    key,
    resource: createResource(ask),
  }))
  const next = held.key === key ? held : { key, resource: createResource(ask) }
  if (next !== held) hold(next)
  const { resource } = next
  useEffect(() => {
    void resource.refresh()
    const isDue = () => !document.hidden && (everyMs !== undefined || resource.error.peek() !== null)
    const timer = setInterval(() => isDue() && void resource.refresh(), everyMs ?? AFTER_FAILURE_MS)
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
