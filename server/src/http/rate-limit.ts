import type { Clock } from '../lib/clock.ts'
import { AppError } from '../lib/errors.ts'
import { httpReasons } from './reasons.ts'

/** The verdict on one request. */
export interface RateDecision {
  readonly allowed: boolean
  readonly remaining: number
  /** Seconds until the client's window ends, rounded up, at least 1. */
  readonly resetSec: number
}

/** The refusal beyond a limit. @param may what is allowed: `this address may send 1200` */
export const tooManyRequests = (may: string, { resetSec }: RateDecision): AppError =>
  new AppError(httpReasons.rate_limited, `too many requests: ${may} in a window; try again in ${resetSec} s`)

/**
 * Counts requests per client, an address or an API key, in a window that opens with the client's first request: whoever sends no more than
 * `limit` in any window's length is never refused, and a window never admits more than `limit`.
 */
export interface RateLimiter {
  readonly limit: number
  take(client: string): RateDecision | Promise<RateDecision>
}

export interface RateLimitRule {
  readonly limit: number
  readonly windowMs: number
}

/** 1,200 requests a minute and address (stock-api 1.5). */
export const DEFAULT_RATE_LIMIT: RateLimitRule = { limit: 1200, windowMs: 60_000 }

/** Addresses remembered at once; beyond it the oldest windows are forgotten, so that memory stays bounded. */
const MAX_ADDRESSES = 100_000

interface Window {
  count: number
  startMs: number
}

/** The limiter of a single process. */
export function memoryRateLimiter(rule: RateLimitRule, clock: Clock): RateLimiter {
  const windows = new Map<string, Window>()
  return {
    limit: rule.limit,
    take(clientIp) {
      const nowMs = clock.nowMs()
      const window = currentWindow(windows, clientIp, nowMs, rule.windowMs)
      window.count++
      return decide(rule.limit, window.count, window.startMs + rule.windowMs - nowMs)
    },
  }
}

/** Entries stay in the order of their windows' starts, so ended ones gather at the front. */
function currentWindow(windows: Map<string, Window>, clientIp: string, nowMs: number, windowMs: number): Window {
  const known = windows.get(clientIp)
  // A wall clock that was set back must not prolong a window.
  if (known && nowMs >= known.startMs && nowMs - known.startMs < windowMs) return known
  windows.delete(clientIp)
  for (const [ip, window] of windows) {
    const ended = nowMs - window.startMs >= windowMs
    if (!ended && windows.size < MAX_ADDRESSES) break
    windows.delete(ip)
  }
  const fresh = { count: 0, startMs: nowMs }
  windows.set(clientIp, fresh)
  return fresh
}

/** `count` includes the request itself. */
export function decide(limit: number, count: number, msToReset: number): RateDecision {
  return {
    allowed: count <= limit,
    remaining: Math.max(0, limit - count),
    resetSec: Math.max(1, Math.ceil(msToReset / 1000)),
  }
}
