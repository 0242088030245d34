import { describe, expect, it } from 'vitest'
import type { Hex } from '../../chain/types.ts'
import { WAD } from '../../lib/wad.ts'
import type { ListedInstrument } from '../listing/catalogue.ts'
import { closedOrderView } from './order-view.ts'
import type { OrderRow } from './record-store.ts'

const INSTRUMENT = { symbol: 'BTC/USDC', base: 'BTC', quote: { symbol: 'USDC', address: '0x01', decimals: 6 } }
const [PLACED, CLOSED] = ['0xaa', '0xbb'] as const satisfies readonly Hex[]
const CANCELLED = { type: 0, cancelTimestamp: 20, cancelTxHash: CLOSED, fillTimestamp: 0, fillTxHash: '' }
const FILLED = { type: 1, cancelTimestamp: 0, cancelTxHash: '', fillTimestamp: 20, fillTxHash: CLOSED }

const closed = (status: OrderRow['status'], closeEvent: OrderRow['closeEvent']): OrderRow => ({
  instrument: '0xc1',
  expiry: 4_294_967_295n,
  orderId: 1n,
  tick: 110_000,
  nonce: 0,
  oid: 1n,
  sizeWad: 2n * WAD,
  balanceWad: WAD,
  priceWad: WAD,
  status,
  placeTxHash: PLACED,
  placedAtSec: 10n,
  filledSizeWad: status === 'filled' ? 2n * WAD : status === 'cancelled' ? 0n : WAD,
  filledNotionalWad: 0n,
  filledBalanceWad: 0n,
  rebateWad: 0n,
  closeEvent,
  closeTxHash: CLOSED,
  closedAtSec: 20n,
  placeIndexInTx: 0,
})

describe('an order that has ended', () => {
  it.each([
    ['was filled', 'filled', 'Fill', FILLED],
    // So One Click fills (docs/decisions/perp-trading.md).
    ['was filled by the cancel of all that was taken', 'filled', 'Cancel', FILLED],
    ['was cancelled after a part was taken', 'partial_filled', 'Cancel', CANCELLED],
    ['was cancelled', 'cancelled', 'Cancel', CANCELLED],
  ] as const)('%s', (_, status, closeEvent, expected) => {
    const view = closedOrderView(closed(status, closeEvent), INSTRUMENT as ListedInstrument)
    expect(view).toMatchObject({ ...expected, typeString: status })
  })
})
