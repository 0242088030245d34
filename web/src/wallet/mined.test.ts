import { Reverted } from '@bourse/sdk/wallet'
import { createWalletClient, custom } from 'viem'
import { describe, expect, it } from 'vitest'
import { explain, mayBeDone } from '../lib/explain.ts'
import { follow, mined } from './mined.ts'

const HASH = `0x${'cc'.repeat(32)}` as const
const ALICE = `0x${'a1'.repeat(20)}` as const
const OTHER = `0x${'dd'.repeat(32)}` as const
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

describe('what the wallet makes of what it has sent', () => {
  /** A wallet that has this in the place of what it sent; null where it has left that alone. */
  async function toldOf(other: object | null, status = '0x1') {
    const receiptOf = (hash: string) => ({ transactionHash: hash, status, blockNumber: '0x1', logs: [] })
    const place = { ...SENT, hash: OTHER, ...other }
    const request = async ({ method, params = [] }: { method: string; params?: readonly unknown[] }) => {
      if (method === 'eth_blockNumber') return '0x1'
      if (method === 'eth_getTransactionByHash') return SENT
      if (method === 'eth_getBlockByNumber') return { number: '0x1', transactions: [place] }
      const isMined = method === 'eth_getTransactionReceipt' && params[0] === (other ? OTHER : HASH)
      return isMined ? receiptOf(String(params[0])) : null
    }
    const client = createWalletClient({ account: ALICE, transport: custom({ request }), pollingInterval: 1 })
    const told: string[] = []
    const follower = { sped: (hash: string) => told.push(hash), replaced: () => told.push('replaced') }
    await follow(client, HASH, follower as Parameters<typeof follow>[2])
    return told
  }

  it.each(['0x1', '0x0'])('is told by the hash that was mined where it was sped up, with status %s', async (status) => {
    expect(await toldOf({ gasPrice: '0x9' }, status)).toEqual([OTHER])
  })

  it('is told where something else was sent in its place', async () => {
    expect(await toldOf({ input: '0x5678' })).toEqual(['replaced'])
  })

  it.each(['0x1', '0x0'])('is not told where it was left alone, with status %s', async (status) => {
    expect(await toldOf(null, status)).toEqual([])
  })
})
