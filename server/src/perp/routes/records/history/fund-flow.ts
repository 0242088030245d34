import type { PerpContext } from '../../../context.ts'
import { movementExample, movementSchema } from '../../../portfolio/ledger-view.ts'
import type { Ledger } from '../../../portfolio/records.ts'
import { getHistory } from './history-route.ts'

/** GET history/fundFlow: money that an account brought to Gate and took from it (perp-api 8). */
export const getPublicFundFlow = (context: PerpContext, ledger: Ledger) =>
  getHistory(context, {
    name: 'fundFlow',
    summary: 'Money that a wallet brought to Gate and took from it',
    description: '`instrumentAddress` and `expiry` are accepted and have no effect: this money is of no pair.',
    item: movementSchema,
    example: movementExample,
    read: (asked, page) => ledger.movements(asked, 'wallet', page),
  })
