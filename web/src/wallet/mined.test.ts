import { Reverted } from '@bourse/sdk/wallet'
import { createWalletClient, custom } from 'viem'
import { describe, expect, it } from 'vitest'
import { explain, mayBeDone } from '../lib/explain.ts'
import { mined } from './mined.ts'

const HASH = `0x${'cc'.repeat(32)}` as const
const ALICE = `0x${'a1'.repeat(20)}` as const
const SENT = { hash: HASH, from: ALICE, to: ALICE, value: '0x0', input: '0x', nonce: '0x5' }

/** A wallet whose node has this receipt. */
function wallet(receipt: object) {
  const answers: Record<string, unknown> = {
    eth_blockNumber: '0x1',
    eth_getTransactionByHash: SENT,
    eth_getTransactionReceipt: { transactionHash: HASH, blockNumber: '0x1', logs: [], ...receipt },
  }
  const request = async ({ method }: { method: string }) => answers[method] ?? null
  return createWalletClient({ account: ALICE, transport: custom({ request }), pollingInterval: 1 })
}

const failureOf = (receipt: object): Promise<unknown> =>
  mined(wallet(receipt), HASH).then(
    () => null,
    (error: unknown) => error,
  )

describe('what the wallet has sent', () => {
  it('is done with the hash that was mined', async () => {
    expect(await mined(wallet({ status: '0x1' }), HASH)).toBe(HASH)
  })

  it('has failed where it reverted', async () => {
    const error = await failureOf({ status: '0x0' })
    expect(error).toBeInstanceOf(Reverted)
    expect(mayBeDone(error)).toBe(false)
  })

  it('has not failed since its state could not be read: the hash is told, and not to send it again', async () => {
    const error = await failureOf({ status: '0x1', blockNumber: 'nonsense' })
    expect(mayBeDone(error)).toBe(true)
    expect(explain(error)).toContain(HASH)
    expect(explain(error)).toContain('do not send it again')
  })
})
