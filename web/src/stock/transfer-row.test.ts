import type { CashOperation } from '@bourse/sdk/stock'
import { expect, it } from 'vitest'
import { rowOf } from './transfer-row.ts'

/** A withdrawal of 500 dollars; `amount` is what was paid of the token. */
const withdrawal = (operationStatus: CashOperation['operationStatus'], amount: string | null) =>
  ({
    operationId: '0x1',
    txHash: null,
    mappingStatus: null,
    operationStatus,
    mapping: null,
    depositOperation: null,
    withdrawalOperation: { tokenAddress: '0x2', mUsdAmount: '500', amount, createdAt: 1 },
  }) as CashOperation

it('a withdrawal of cash counts dollars of the venue until it is paid, then the token', () => {
  expect(rowOf('', withdrawal('processing', null))).toMatchObject({ status: 'queued', amount: '500', unit: 'USD' })
  expect(rowOf('', withdrawal('failed', null))).toMatchObject({ status: 'failed', amount: '500', unit: 'USD' })
  const paid = rowOf('', withdrawal('success', '498.95'))
  expect(paid).toMatchObject({ status: 'success', amount: '498.95', unit: null, token: '0x2' })
})

it('what is not on chain yet has no amount, and no unit', () => {
  const recorded = { ...withdrawal(null, null), operationId: null, withdrawalOperation: null }
  expect(rowOf('', recorded)).toMatchObject({ status: 'onChain', amount: null, unit: null, token: null })
})
