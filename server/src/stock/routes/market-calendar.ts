import Type from 'typebox'
import { defineRoute } from '../../http/product.ts'
import { isDate } from '../../lib/dates.ts'
import { AppError } from '../../lib/errors.ts'
import { addDays } from '../../market/calendar/new-york.ts'
import type { StockContext } from '../context.ts'
import { SESSION_NAMES, sessionName } from '../listing/sessions.ts'
import { stockReasons } from '../reasons.ts'

const MAX_DAYS = 366
const DAY_MS = 86_400_000

const query = Type.Object({
  start: Type.String({ description: 'First trade date, YYYY-MM-DD.' }),
  end: Type.String({ description: `Last trade date, YYYY-MM-DD; at most ${MAX_DAYS} days in all.` }),
})

/** GET /calendar: the trade dates of a time with their sessions. */
export const getMarketCalendar = (context: StockContext) =>
  defineRoute({
    method: 'GET',
    path: '/api/v1/calendar',
    summary: 'Trade dates and their sessions',
    access: 'OPEN',
    schema: {
      query,
      data: Type.Array(
        Type.Object({
          tradeDate: Type.String({ description: 'YYYY-MM-DD.' }),
          sessions: Type.Array(
            Type.Object({
              session: Type.Enum([...SESSION_NAMES]),
              start: Type.Integer({ description: 'Unix seconds.' }),
              end: Type.Integer({ description: 'Unix seconds; not included.' }),
            }),
          ),
        }),
      ),
    },
    description: 'Dates on which the market is closed are left out. A trade date begins with its overnight session.',
    reasons: [stockReasons.date_range_invalid, stockReasons.not_indexed_yet],
    examples: {
      query: { start: '2026-01-02', end: '2026-01-02' },
      data: [{ tradeDate: '2026-01-02', sessions: [{ session: 'regular', start: 1_767_364_200, end: 1_767_387_600 }] }],
    },
    async handler({ query: { start, end } }) {
      const { hours } = await context.catalogue()
      return datesOf(start, end).flatMap((tradeDate) => {
        const sessions = hours.sessionsOf(tradeDate).map(({ session, startMs, endMs }) => ({
          session: sessionName(session),
          start: startMs / 1000,
          end: endMs / 1000,
        }))
        return sessions.length === 0 ? [] : [{ tradeDate, sessions }]
      })
    },
  })

/** Every date from the first to the last. Throws `date_range_invalid`. */
function datesOf(start: string, end: string): string[] {
  const days = isDate(start) && isDate(end) ? (Date.parse(end) - Date.parse(start)) / DAY_MS + 1 : 0
  if (days < 1 || days > MAX_DAYS) {
    const message = `start and end must be dates YYYY-MM-DD, end not before start, and at most ${MAX_DAYS} days in all, got ${start} and ${end}`
    throw new AppError(stockReasons.date_range_invalid, message, { detail: { field: 'start' } })
  }
  return Array.from({ length: days }, (_, nth) => addDays(start, nth))
}
