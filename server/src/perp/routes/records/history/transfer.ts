import type { PerpContext } from '../../../context.ts'
import { pairMovementExample, pairMovementSchema } from '../../../portfolio/ledger-view.ts'
import type { Ledger } from '../../../portfolio/records.ts'
import { getHistory } from './history-route.ts'

/** GET history/transfer: margin between an account’s reserve and pairs (perp-api 8). */
export const getPublicTransfers = (context: PerpContext, ledger: Ledger) =>
  getHistory(context, {
    name: 'transfer',
    summary: 'Margin between a wallet’s reserve and pairs',
    item: pairMovementSchema,
    example: { ...pairMovementExample, typeString: 'scatter' },
    read: (asked, page) => ledger.pairMovements(asked, 'pair', page),
  })
