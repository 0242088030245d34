/** Work that has not ended within its limit; it may still end, and what it answers then is not heard. */
export class TimeLimitError extends Error {
  constructor(what: string, limitMs: number) {
    super(`${what} took longer than ${limitMs} ms`)
    this.name = 'TimeLimitError'
  }
}

/** What `work` answers, or a rejection with `TimeLimitError` once `limitMs` have passed. `what` names the work. */
export async function inTime<T>(work: Promise<T>, limitMs: number, what: string): Promise<T> {
  const limit = Promise.withResolvers<never>()
  const timer = setTimeout(() => limit.reject(new TimeLimitError(what, limitMs)), limitMs)
  try {
    return await Promise.race([work, limit.promise])
  } finally {
    clearTimeout(timer)
  }
}
