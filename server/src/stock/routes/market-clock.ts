import Type from 'typebox'
import { defineRoute } from '../../http/product.ts'
import type { StockContext } from '../context.ts'
import { SESSION_NAMES, sessionName } from '../listing/sessions.ts'
import { stockReasons } from '../reasons.ts'

const sec = (timeMs: number): number => Math.ceil(timeMs / 1000)

/** GET /clock: the market's clock, the session it is in, and what comes next. */
export const getMarketClock = (context: StockContext) =>
  defineRoute({
    method: 'GET',
    path: '/api/v1/clock',
    summary: 'The market’s clock: session, trade date, and the next regular session',
    access: 'OPEN',
    schema: {
      data: Type.Object({
        timestamp: Type.Integer({ description: 'Unix seconds of the market’s clock.' }),
        session: Type.Enum([...SESSION_NAMES]),
        isOpen: Type.Boolean({ description: 'Limit orders may fill.' }),
        isRegular: Type.Boolean({ description: 'Market orders are taken.' }),
        tradeDate: Type.String({ description: 'YYYY-MM-DD; while the market is closed the next one.' }),
        nextRegular: Type.Integer({ description: 'Unix seconds; now in a regular session.' }),
        dayOrderExpiry: Type.Integer({ description: 'Unix seconds at which a DAY order that is placed now ends.' }),
      }),
    },
    reasons: [stockReasons.not_indexed_yet],
    examples: {
      data: {
        timestamp: 1_767_368_700,
        session: 'regular' as const,
        isOpen: true,
        isRegular: true,
        tradeDate: '2026-01-02',
        nextRegular: 1_767_368_700,
        dayOrderExpiry: 1_767_402_000,
      },
    },
    async handler() {
      const { hours } = await context.catalogue()
      const nowMs = context.venue.clock.nowMs()
      const session = sessionName(hours.session(nowMs))
      return {
        timestamp: Math.floor(nowMs / 1000),
        session,
        isOpen: session !== 'closed',
        isRegular: session === 'regular',
        tradeDate: hours.tradeDate(nowMs),
        nextRegular: session === 'regular' ? Math.floor(nowMs / 1000) : sec(hours.nextRegular(nowMs)),
        dayOrderExpiry: sec(hours.dayOrderExpiry(nowMs)),
      }
    },
  })
