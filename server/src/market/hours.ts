import { addDays, newYorkInstant, newYorkTime } from './calendar/new-york.ts'

/** Session of a market at an instant, numbered as the oracle publishes it (stock-api 7). */
export const SESSION = { closed: 0, preMarket: 1, regular: 2, afterHours: 3, overnight: 4 } as const
export type Session = (typeof SESSION)[keyof typeof SESSION]

/** A session of a trade date; Unix ms, its last instant not included. */
export interface DatedSession {
  readonly session: Session
  readonly startMs: number
  readonly endMs: number
}

/**
 * When a market trades; reads the market clock's instants (Unix ms), never the wall's. Dates are `YYYY-MM-DD`. A session
 * holds its first instant and not its last.
 */
export interface MarketHours {
  session(timeMs: number): Session
  /** The trade date an instant belongs to; while the market is closed, the next one. */
  tradeDate(timeMs: number): string
  /** When a trade date begins: from this instant on its corporate actions have happened. */
  tradeDateStart(tradeDate: string): number
  /** When a DAY order placed at an instant ends. */
  dayOrderExpiry(timeMs: number): number
  /** The instant itself while the market is open, else the last millisecond of the session before. */
  lastOpen(timeMs: number): number
  /** The sessions of a trade date, one after the other; none when the market is closed on it. */
  sessionsOf(tradeDate: string): readonly DatedSession[]
  /** The instant itself in a regular session, else when the next one begins. */
  nextRegular(timeMs: number): number
}

/** The market that never closes: always in its regular session, with a trade date from midnight to midnight New York. */
export const alwaysOpen: MarketHours = {
  session: () => SESSION.regular,
  tradeDate: (timeMs) => newYorkTime(timeMs).date,
  tradeDateStart: (tradeDate) => newYorkInstant(tradeDate, 0),
  dayOrderExpiry: (timeMs) => newYorkInstant(addDays(newYorkTime(timeMs).date, 1), 0),
  lastOpen: (timeMs) => timeMs,
  sessionsOf: (tradeDate) => [
    {
      session: SESSION.regular,
      startMs: newYorkInstant(tradeDate, 0),
      endMs: newYorkInstant(addDays(tradeDate, 1), 0),
    },
  ],
  nextRegular: (timeMs) => timeMs,
}
