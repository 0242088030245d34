import type { PerpContext } from '../../../context.ts'
import { pairMovementExample, pairMovementSchema } from '../../../portfolio/ledger-view.ts'
import type { Ledger } from '../../../portfolio/records.ts'
import { getHistory } from './history-route.ts'

/** GET history/funding: funding that an account received and paid (perp-api 8). */
export const getPublicFunding = (context: PerpContext, ledger: Ledger) =>
  getHistory(context, {
    name: 'funding',
    summary: 'Funding that a wallet received and paid',
    item: pairMovementSchema,
    example: pairMovementExample,
    read: (asked, page) => ledger.pairMovements(asked, 'funding', page),
  })
