import { describe, expect, it } from 'vitest'
import type { Rpc, RpcOutcome } from '../../chain/rpc.ts'
import { RpcError } from '../../chain/rpc-error.ts'
import { broadcast, type SignedTransaction } from './signed-transaction.ts'

const HASH = `0x${'ab'.repeat(32)}` as const
const SIGNER = `0x${'11'.repeat(20)}` as const
const transaction: SignedTransaction = {
  raw: '0x02',
  hash: HASH,
  signer: SIGNER,
  nonce: 7,
  to: SIGNER,
  data: '0x01',
  valueWei: 0n,
}

const told = (value: unknown): RpcOutcome<unknown> => ({ ok: true, value })
const silent: RpcOutcome<unknown> = { ok: false, error: new RpcError('rpc_timeout', 'x', 'no answer in time') }
const says = (message: string): RpcOutcome<unknown> => ({
  ok: false,
  error: new RpcError('rpc_error', 'x', message, { rpc: { code: -32000, message } }),
})

/** A node that answers the send, the look for the hash and the look for the count so. */
function node(sent: RpcOutcome<unknown>, found: RpcOutcome<unknown>, count: RpcOutcome<unknown>): Rpc {
  const answers: Readonly<Record<string, RpcOutcome<unknown>>> = {
    eth_sendRawTransaction: sent,
    eth_getTransactionByHash: found,
    eth_getTransactionCount: count,
  }
  const outcomes = async (calls: readonly { readonly method: string }[]) => calls.map(({ method }) => answers[method])
  return { outcomes } as unknown as Rpc
}

const reasonOf = async (rpc: Rpc) =>
  broadcast(rpc, transaction).then(
    (hash) => hash,
    (error) => error.reason.name,
  )

const TOO_LOW = says('nonce too low')
const REFUSED = says('intrinsic gas too low')

describe('a signed transaction that the node does not take', () => {
  it.each([
    ['it has it already', TOO_LOW, told({}), told('0x8'), HASH],
    ['it did not answer, and has it', silent, told({}), told('0x7'), HASH],
    ['another one with its nonce is mined', TOO_LOW, told(null), told('0x8'), 'transaction_refused'],
    ['it is refused for what it is', REFUSED, told(null), told('0x7'), 'transaction_refused'],
    ['its nonce is used, and nobody says by what', TOO_LOW, silent, silent, 'transaction_unknown'],
    [
      'its nonce is used, and the one that was asked by what is behind',
      TOO_LOW,
      told(null),
      told('0x7'),
      'transaction_unknown',
    ],
    ['it is refused, and nobody says whether it was kept before', REFUSED, silent, told('0x7'), 'transaction_unknown'],
    ['nothing is said at all', silent, silent, silent, 'transaction_unknown'],
    ['it did not answer, and does not have it yet', silent, told(null), told('0x7'), 'transaction_unknown'],
  ])('%s', async (_case, sent, found, count, answer) => {
    expect(await reasonOf(node(sent, found, count))).toBe(answer)
  })
})
