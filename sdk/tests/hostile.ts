import type { Clock, Transport } from '../src/core/client.ts'

/** A request as the venue got it. */
export interface Got {
  readonly url: string
  readonly method: string
  readonly headers: Readonly<Record<string, string>>
  readonly body: string
}

/** What becomes of one request: an answer, or none. */
export type Fate = Response | 'lost' | 'hangs'

export const stockAnswer = (data: unknown, t = 0): Response =>
  new Response(JSON.stringify({ code: 200, errMsg: '', data, uuid: 'u', t }))

export interface Refusal {
  readonly status: number
  readonly code: number
  readonly reason?: string
  readonly t?: number
  readonly headers?: Readonly<Record<string, string>>
}

export function stockRefusal({ status, code, reason, t = 0, headers = {} }: Refusal): Response {
  const body = JSON.stringify({ code, errMsg: `${reason}: what would be right`, data: null, uuid: 'u', t })
  return new Response(body, { status, headers: { ...headers, ...(reason ? { 'x-error-reason': reason } : {}) } })
}

/** A transport that answers by a list, one fate a request; what was asked is kept. The last fate stays. */
export function hostile(...fates: ((got: Got) => Fate)[]) {
  const got: Got[] = []
  const transport: Transport = async (url, init) => {
    const request = {
      url,
      method: init.method ?? 'GET',
      headers: init.headers as Record<string, string>,
      body: String(init.body ?? ''),
    }
    const fate = fates[Math.min(got.length, fates.length - 1)]?.(request) ?? 'lost'
    got.push(request)
    if (fate === 'hangs') {
      return new Promise((_, reject) => {
        const end = () => reject(init.signal?.reason)
        if (init.signal?.aborted) end()
        init.signal?.addEventListener('abort', end)
      })
    }
    if (fate === 'lost') throw new TypeError('fetch failed')
    return fate
  }
  return { transport, got }
}

/** A clock that never waits, and remembers for how long it was asked to. */
export function fakeClock(nowMs = 1_700_000_000_000) {
  const slept: number[] = []
  const clock: Clock = {
    now: () => nowMs,
    async sleep(ms, signal) {
      signal?.throwIfAborted()
      slept.push(ms)
    },
  }
  return { clock, slept }
}
