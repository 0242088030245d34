import { Check } from 'typebox/value'
import { describe, expect, it } from 'vitest'
import type { Hex } from '../../chain/types.ts'
import type { MappingRow } from '../recording/mapping-store.ts'
import type { CashOperationRow } from '../store.ts'
import { cashOperationView, cashOperationViewSchema, operationStatus } from './cash.ts'

const hex = (digit: string): Hex => `0x${digit.repeat(64)}`

const deposit: CashOperationRow = {
  operationId: hex('a'),
  kind: 'deposit',
  userAddress: `0x${'1'.repeat(40)}`,
  token: `0x${'2'.repeat(40)}`,
  tokenDecimals: 6,
  status: 'settled',
  isInstant: true,
  amountRaw: 1_500_000n,
  amountWad: 1_500_000_000_000_000_000n,
  feeWad: 0n,
  orderId: null,
  createTxHash: hex('b'),
  createdAtSec: 1_700_000_000n,
  settleTxHash: hex('b'),
  settledAtSec: 1_700_000_000n,
}
const queuedDeposit: CashOperationRow = {
  ...deposit,
  status: 'queued',
  isInstant: false,
  amountWad: null,
  settleTxHash: null,
  settledAtSec: null,
}

const mapping: MappingRow = {
  claimId: '00000000-0000-4000-8000-000000000000',
  chainId: 31_337,
  txHash: hex('b'),
  operationType: 'deposit',
  clientOrderId: null,
  revertData: null,
  problem: null,
  ofOthers: null,
  cancelOrderId: null,
  expired: false,
  boundAddress: null,
  createdAt: new Date(1_700_000_001_500),
  succeeded: true,
  minedAtSec: 1_700_000_000n,
  operationId: hex('a'),
  userAddress: deposit.userAddress,
}
const pending: MappingRow = { ...mapping, succeeded: null, minedAtSec: null, operationId: null, userAddress: null }

describe('operationStatus', () => {
  it.each<[string | null, CashOperationRow['status'] | null, MappingRow | null]>([
    ['success', 'settled', mapping],
    ['processing', 'queued', mapping],
    ['failed', 'taken_back', mapping],
    ['processing', 'queued', null],
    [null, null, pending],
    ['failed', null, { ...pending, succeeded: false }],
    [null, null, null],
  ])('%s', (expected, status, row) => {
    expect(operationStatus(status && { ...deposit, status }, row)).toBe(expected)
  })
})

describe('cashOperationView', () => {
  const view = (operation: CashOperationRow | null, row: MappingRow | null = mapping) => {
    const wire = JSON.parse(JSON.stringify(cashOperationView(operation, row, 'Bourse')))
    expect(Check(cashOperationViewSchema, wire), JSON.stringify(wire)).toBe(true)
    return wire
  }

  it('of a deposit', () => {
    expect(view(deposit)).toEqual({
      operationId: hex('a'),
      txHash: hex('b'),
      mappingStatus: 'confirmed',
      operationStatus: 'success',
      mapping: {
        id: mapping.claimId,
        chainId: 31_337,
        productType: 'Bourse',
        userAddress: deposit.userAddress,
        operationType: 'deposit',
        txHash: hex('b'),
        clientOrderId: null,
        orderId: null,
        operationId: hex('a'),
        status: 'confirmed',
        statusReason: null,
        createdAt: 1_700_000_001,
        updatedAt: 1_700_000_001,
      },
      depositOperation: {
        operationId: hex('a'),
        userAddress: deposit.userAddress,
        tokenAddress: deposit.token,
        status: 'success',
        isInstant: true,
        feeAmount: 0,
        orderId: null,
        createTxHash: hex('b'),
        settleTxHash: hex('b'),
        createdAt: 1_700_000_000,
        settledAt: 1_700_000_000,
        amount: 1.5,
        creditAmount: 1.5,
      },
      withdrawalOperation: null,
    })
  })

  it('of a queued deposit has no credit yet', () => {
    expect(view(queuedDeposit)).toMatchObject({
      operationStatus: 'processing',
      depositOperation: { amount: 1.5, creditAmount: null, settleTxHash: null, settledAt: null },
    })
  })

  it('of a withdrawal has what left the balance, and what was paid once it was', () => {
    const queued = { ...queuedDeposit, kind: 'withdraw' as const, amountRaw: null, amountWad: 2n * 10n ** 18n }
    const row = { ...mapping, operationType: 'withdraw' as const }
    const withdrawal = { mUsdAmount: 2, amount: null }
    expect(view(queued, row)).toMatchObject({ depositOperation: null, withdrawalOperation: withdrawal })
    const paid = view({ ...queued, status: 'settled', amountRaw: 1_995_800n, feeWad: 4_200_000_000_000_000n }, row)
    expect(paid).toMatchObject({ withdrawalOperation: { mUsdAmount: 2, amount: 1.9958, feeAmount: 0.0042 } })
  })

  it('of a pending transaction has the hash alone', () => {
    const expected = { operationId: null, txHash: hex('b'), mappingStatus: 'pending', operationStatus: null }
    expect(view(null, pending)).toMatchObject({ ...expected, depositOperation: null, withdrawalOperation: null })
  })
})
