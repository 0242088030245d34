import { pino } from 'pino'
import { encodeErrorResult, toFunctionSelector } from 'viem'
import { afterEach, beforeEach, describe, expect, it, vi } from 'vitest'
import { cashierAbi } from '../../chain/abi/cashier.ts'
import type { Rpc, RpcCall } from '../../chain/rpc.ts'
import { RpcError } from '../../chain/rpc-error.ts'
import { OUT_OF_GAS } from '../../chain/send/out-of-gas.ts'
import { rejectQueued, saveSigner, storeSigned } from '../../chain/send/store.ts'
import type { Hex } from '../../chain/types.ts'
import { inTransaction } from '../../db/pool.ts'
import { type TestDatabase, testDatabase } from '../../db/testing.ts'
import { SEND_LIMITS, type SendLimits } from '../../delegation/send-queue.ts'
import type { Caller } from '../../http/caller.ts'
import type { Idempotency } from '../../http/idempotency.ts'
import type { Venue } from '../../http/product.ts'
import { systemClock } from '../../lib/clock.ts'
import { WAD } from '../../lib/wad.ts'
import { cancelCalldata, withdrawCalldata } from '../calldata/calldata.ts'
import type { StockContext } from '../context.ts'
import { recordTransaction } from '../recording/claims.ts'
import { listMappings, mappingsOfTransaction } from '../recording/mapping-store.ts'
import { REVERT_EXPLANATIONS } from '../reverts/revert-explanations.ts'
import { ALICE, BOB, CHAIN_ID, deployment, ROUTER, randomHash, TestChain, USDC } from '../testing/chain.ts'
import { testContext } from '../testing/context.ts'
import { type StockSendFields, sendForUser } from './send.ts'

const ONE_CLICK: Hex = `0x${'8'.repeat(40)}`
const POOL: Hex = `0x${'9'.repeat(40)}`
const SIGNER: Hex = `0x${'5'.repeat(40)}`
const lane = { chainId: CHAIN_ID, signer: SIGNER }
const GAS = 200_000n
const word = (value: bigint | string): Hex => `0x${BigInt(value).toString(16).padStart(64, '0')}`

let database: TestDatabase
let chain: TestChain
/** What the node answers to the run of a transaction. */
let run: (method: string) => Hex
let delegatee: Hex
beforeEach(async () => {
  database = await testDatabase()
  chain = await TestChain.open(database.sql)
  run = () => word(GAS)
  delegatee = POOL
  const seen = { purposes: ['submit'], balanceWei: 1n, chainNonce: 0n, stoppedReason: null }
  await saveSigner(database.sql, lane, seen)
})
afterEach(() => {
  vi.restoreAllMocks()
  return database.drop()
})

/** A node on which everybody has delegated, and whose run of a transaction is the test's to say. */
function node(): Rpc {
  const answer = ({ method, params }: RpcCall): Hex => {
    if (method === 'eth_estimateGas') return run(method)
    return (params[0] as { to: Hex }).to === ONE_CLICK ? word(delegatee) : run(method)
  }
  return {
    call: () => Promise.reject(new RpcError('rpc_unreachable', 'call', 'not in this test')),
    batch: () => Promise.reject(new RpcError('rpc_unreachable', 'batch', 'not in this test')),
    outcomes: async (calls) =>
      calls.map((call) => {
        try {
          return { ok: true, value: answer(call) as never }
        } catch (error) {
          return { ok: false, error: error as RpcError }
        }
      }),
  }
}

function contextOf(budget?: bigint, limits?: SendLimits): StockContext {
  const contracts = { ...deployment.contracts, OneClickRouter: ONE_CLICK, OperatorPool: POOL }
  const parts = { sql: database.sql, clock: systemClock, log: pino({ level: 'silent' }), rpc: node() }
  const venue: Venue = { ...parts, deployment: { ...deployment, contracts } }
  return testContext(venue, budget === undefined ? {} : { submitGasPerDay: budget }, limits)
}

const caller = (keyId = 'key', userAddress: Hex | null = ALICE): Caller => ({ keyId, access: 'WRITABLE', userAddress })

const withdraw = (fields: StockSendFields = {}, by = caller(), budget?: bigint, idempotency?: Idempotency) =>
  sendForUser(contextOf(budget), { caller: by, ...(idempotency ? { idempotency } : {}) }, fields, async () => ({
    calldata: withdrawCalldata(ROUTER, USDC, WAD),
    spending: null,
  }))

const intentIds = async () =>
  (await database.sql<{ id: bigint }[]>`select id from tx_intents order by id`).map(({ id }) => id)

/** What the relayer does: gives the intent a nonce, and signs it under this hash. */
async function sign(id: bigint, hash: Hex, nonce = 0n): Promise<void> {
  const fees = { maxFeeWei: 1n, maxPriorityFeeWei: 1n }
  const signed = { id, nonce, hash, rawTx: '0x' as Hex, gasLimit: GAS, ...fees, headNumber: 1n }
  await inTransaction(database.sql, (tx) => storeSigned(tx, lane, [signed]))
}

/** A replacement with a higher fee. */
const replace = (id: bigint, hash: Hex) => database.sql`
  insert into tx_attempts (chain_id, intent_id, hash, signer, nonce, raw_tx, gas_limit, max_fee_wei,
    max_priority_fee_wei, head_number, signed_at)
  values (${CHAIN_ID}, ${id.toString()}::bigint, ${hash}, ${SIGNER}, 0, '0x', 1, 2, 2, 2, clock_timestamp())`

const scope = (apiKeyId = 'key') => ({ chainId: CHAIN_ID, apiKeyId, operationType: 'withdraw' }) as const
const found = async (hash: Hex) => (await mappingsOfTransaction(database.sql, scope(), hash)).map((row) => row.claimId)

describe('more sends than there is room for', () => {
  const build = async () => ({ calldata: withdrawCalldata(ROUTER, USDC, WAD), spending: null })

  it('are turned away before anything is done, and all that are let in are stored', async () => {
    const context = contextOf(undefined, { ...SEND_LIMITS, atOnce: 2, waiting: 3, waitMs: 60_000 })
    const sends = Array.from({ length: 12 }, (_, index) =>
      sendForUser(context, { caller: caller(`key ${index}`) }, {}, build).then(
        () => 'stored',
        (error) => [error.reason.name, error.retryAfterSec].join(),
      ),
    )
    const outcomes = await Promise.all(sends)
    expect(outcomes.filter((one) => one === 'stored')).toHaveLength(5)
    expect(outcomes.filter((one) => one === 'sends_overloaded,1')).toHaveLength(7)
    expect(await intentIds()).toHaveLength(5)
  })

  it('keep nobody from learning how a stored one stands: its key is answered without a place', async () => {
    const idempotency = () => ({ key: 'k', requestHash: 'h', replayed: false })
    const first = await withdraw({}, caller(), undefined, idempotency())
    const full = contextOf(undefined, { ...SEND_LIMITS, atOnce: 0, waiting: 0 })
    const again = idempotency()
    const answer = await sendForUser(full, { caller: caller(), idempotency: again }, {}, build)
    expect([answer.id, again.replayed]).toEqual([first.id, true])
    const other = { caller: caller(), idempotency: { key: 'other', requestHash: 'h', replayed: false } }
    await expect(sendForUser(full, other, {}, build)).rejects.toMatchObject({ reason: { name: 'sends_overloaded' } })
    expect(await intentIds()).toHaveLength(1)
  })

  it('a caller who goes away while it is checked has stored nothing', async () => {
    const gone = new AbortController()
    const request = { caller: caller(), disconnected: () => gone.signal }
    const sent = sendForUser(contextOf(), request, {}, async () => {
      gone.abort()
      return build()
    })
    await expect(sent).rejects.toMatchObject({ reason: { name: 'send_abandoned' } })
    expect(await intentIds()).toEqual([])
  })
})

describe('a send', () => {
  it('answers without a hash while nobody signs; every attempt’s hash then leads to it', async () => {
    const sent = await withdraw()
    expect(sent).toMatchObject({ status: 'Pending', txHash: null, userAddress: ALICE, operationType: 'withdraw' })
    const [id] = await intentIds()
    const [first, second] = [randomHash(), randomHash()]
    await sign(id as bigint, first)
    await replace(id as bigint, second)
    expect([await found(first), await found(second)]).toEqual([[sent.id], [sent.id]])
    const { total, rows } = await listMappings(database.sql, scope(), { limit: 10, offset: 0 })
    expect([total, rows.map(({ txHash }) => txHash)]).toEqual([1, [second]])

    // The first one is mined after all.
    const opId = randomHash()
    const args = { opId, user: ALICE, token: USDC, amountWad: WAD, amount: 1_000_000n, feeWad: 0n }
    await chain.block({ hash: first, from: SIGNER, to: POOL, events: [['InstantWithdrawal', args]] })
    await database.sql`
      update tx_intents set state = 'mined', outcome = 'succeeded', tx_hash = ${first}, block_number = 1, block_hash = '0x'`
    expect(await mappingsOfTransaction(database.sql, scope(), second)).toMatchObject([
      { claimId: sent.id, txHash: first, succeeded: true, operationId: opId },
    ])
    await chain.undo(1)
    expect(await mappingsOfTransaction(database.sql, scope(), second)).toMatchObject([
      { claimId: sent.id, operationId: null },
    ])
  })

  it('has the first attempt’s hash when it is signed in time', async () => {
    const hash = randomHash()
    // The clock stands still: however slow the machine, it is in time.
    vi.spyOn(Date, 'now').mockReturnValue(Date.now())
    const [sent] = await Promise.all([
      withdraw(),
      (async () => {
        let ids = await intentIds()
        while (ids.length === 0) ids = await intentIds()
        await sign(ids[0] as bigint, hash)
      })(),
    ])
    expect(sent).toMatchObject({ status: 'Pending', txHash: hash })
  })

  it('is the key’s alone: neither another key of the user nor one of another user records its hashes', async () => {
    await withdraw()
    const [id] = await intentIds()
    const [first, second] = [randomHash(), randomHash()]
    await sign(id as bigint, first)
    await replace(id as bigint, second)
    const args = { opId: randomHash(), user: ALICE, token: USDC, amountWad: WAD, amount: 1_000_000n, feeWad: 0n }
    await chain.block({ hash: first, from: SIGNER, to: POOL, events: [['InstantWithdrawal', args]] })
    const record = (by: Caller) =>
      recordTransaction(database.sql, node(), {
        chainId: CHAIN_ID,
        router: ROUTER,
        caller: by,
        txHash: first,
        operationType: 'withdraw',
      })
    await expect(record(caller('sibling'))).rejects.toMatchObject({ reason: { name: 'transaction_of_other_key' } })
    await expect(record(caller('other', BOB))).rejects.toMatchObject({ reason: { name: 'transaction_of_other_user' } })
    await record(caller())
    expect(await found(first)).toHaveLength(1)
  })

  it('that the relayer rejects has failed, by the name of the revert and what it means', async () => {
    const idempotency = { key: 'once', requestHash: 'same', replayed: false }
    const sent = await withdraw({}, caller(), undefined, idempotency)
    const [id] = await intentIds()
    const revertData = encodeErrorResult({ abi: cashierAbi, errorName: 'InsufficientBalanceWad' })
    const why = { problem: 'the simulation failed', revertData }
    await inTransaction(database.sql, (tx) => rejectQueued(tx, CHAIN_ID, id as bigint, why))
    const [row] = (await listMappings(database.sql, scope(), { limit: 1, offset: 0 })).rows
    expect(row).toMatchObject({ claimId: sent.id, succeeded: false, txHash: null, problem: 'the simulation failed' })
    expect(await withdraw({}, caller(), undefined, idempotency)).toMatchObject({
      status: 'Failed',
      failure: 'InsufficientBalanceWad()',
      failureMessage: REVERT_EXPLANATIONS.InsufficientBalanceWad,
    })
  })
})

describe('a send that reverts without a word', () => {
  it.each([
    ['when it ran out of gas', OUT_OF_GAS, 'the transaction ran out of gas'],
    ['for another reason', null, 'the transaction reverted'],
  ])('has failed, and the record and the send say why: %s', async (_, problem, failure) => {
    const idempotency = { key: 'once', requestHash: 'same', replayed: false }
    await withdraw({}, caller(), undefined, idempotency)
    const [id] = await intentIds()
    await sign(id as bigint, randomHash())
    await database.sql`
      update tx_intents i set state = 'mined', outcome = 'reverted', revert_data = '0x', problem = ${problem},
        tx_hash = a.hash, block_number = 1, block_hash = '0x' from tx_attempts a where a.intent_id = i.id`
    const failed = { status: 'Failed', failure, failureMessage: null, statusReason: failure }
    expect(await withdraw({}, caller(), undefined, idempotency)).toMatchObject(failed)
  })
})

describe('a send is refused, and nothing is stored,', () => {
  const refused = async (send: Promise<unknown>, name: string, message: RegExp) => {
    await expect(send).rejects.toMatchObject({ reason: { name }, message: expect.stringMatching(message) })
    expect(await intentIds()).toEqual([])
    expect(await database.sql`select from stock_claims`).toHaveLength(0)
    expect(await database.sql`select from submissions`).toHaveLength(0)
  }

  it('without a bound user, or for another one', async () => {
    await refused(withdraw({}, caller('key', null)), 'key_not_bound', /bound to no wallet/)
    await refused(withdraw({ userAddress: BOB }), 'user_not_bound', /the wallet this API key is bound to/)
  })

  it('without a delegation, or with one to somebody else', async () => {
    run = () => {
      throw new RpcError('rpc_error', 'eth_estimateGas', 'reverted', {
        rpc: { code: 3, message: 'execution reverted', data: toFunctionSelector('CallerNotDelegatee()') },
      })
    }
    for (const other of [word(0n), BOB]) {
      delegatee = other
      await refused(withdraw(), 'delegation_not_enabled', /has not enabled One Click/)
    }
  })

  it('when the transaction would revert, when it is out of gas, when the node is away', async () => {
    run = () => {
      throw new RpcError('rpc_error', 'eth_call', 'reverted', {
        rpc: { code: 3, message: 'execution reverted', data: '0x' },
      })
    }
    await refused(withdraw(), 'would_revert', /would revert: Unknown/)
    await refused(withdraw({ gasLimit: 30_000 }), 'would_revert', /would revert: Unknown/)
    const without = run
    run = (method) => (method === 'eth_call' ? without(method) : word(GAS))
    await refused(withdraw({ gasLimit: 30_000 }), 'gas_limit_too_low', /within gasLimit 30000: it needs 200000 gas/)
    run = () => {
      throw new RpcError('rpc_timeout', 'eth_call', 'no answer')
    }
    await refused(withdraw(), 'chain_not_answering', /nothing was stored or sent/)
  })

  it('where no relayer submits for users, or the chain has no One Click', async () => {
    await database.sql`delete from tx_signers`
    await refused(withdraw(), 'one_click_unavailable', /no relayer that submits/)
  })
})

describe('the gas of a wallet within 24 hours', () => {
  // The profile sends with twice the estimate.
  const reserved = 2n * GAS

  it('is bounded for all its sends, those at the same moment too; what is rejected or mined gives back', async () => {
    const budget = 3n * reserved
    const outcomes = await Promise.allSettled(Array.from({ length: 8 }, () => withdraw({}, caller(), budget)))
    expect(outcomes.filter(({ status }) => status === 'fulfilled')).toHaveLength(3)
    for (const outcome of outcomes) {
      if (outcome.status === 'fulfilled') continue
      expect(outcome.reason).toMatchObject({ reason: { name: 'gas_budget_exhausted' } })
      expect(outcome.reason.message).toMatch(/of the 1200000 that sends for this wallet may use in 24 hours 0 are left/)
    }
    await expect(withdraw({}, caller('another key'), budget)).rejects.toMatchObject({
      reason: { name: 'gas_budget_exhausted' },
    })
    expect(await withdraw({}, caller('a key of another', BOB), budget)).toMatchObject({ status: 'Pending' })

    const [first, second] = await intentIds()
    const why = { problem: 'no', revertData: null }
    await inTransaction(database.sql, (tx) => rejectQueued(tx, CHAIN_ID, first as bigint, why))
    expect(await withdraw({}, caller(), budget)).toMatchObject({ status: 'Pending' })
    await database.sql`update tx_intents set state = 'mined', outcome = 'succeeded', gas_used = 1000, tx_hash = '0x',
      block_number = 1, block_hash = '0x', signer = ${SIGNER}, nonce = 9 where id = ${String(second)}::bigint`
    await expect(withdraw({}, caller(), budget)).rejects.toMatchObject({ reason: { name: 'gas_budget_exhausted' } })
    expect(await withdraw({}, caller(), budget + 1000n)).toMatchObject({ status: 'Pending' })
    await database.sql`update submissions set created_at = created_at - interval '25 hours'`
    expect(await withdraw({}, caller(), reserved)).toMatchObject({ status: 'Pending' })
  }, 60_000)

  it('is counted by the limit that a request gives, up to the cap of the chain', async () => {
    await expect(withdraw({ gasLimit: 500_000 }, caller(), 499_999n)).rejects.toMatchObject({
      message: expect.stringMatching(/this needs 500000 gas/),
    })
    await expect(withdraw({ gasLimit: 99_000_000 }, caller(), 1n)).rejects.toMatchObject({
      message: expect.stringMatching(/this needs 16777216 gas/),
    })
  })
})

describe('a clientOrderId', () => {
  it('is taken once by a key, also by two sends at once, and by each key for itself', async () => {
    const outcomes = await Promise.allSettled([1, 2].map(() => withdraw({ clientOrderId: 'mine' })))
    expect(outcomes.map(({ status }) => status).sort()).toEqual(['fulfilled', 'rejected'])
    await expect(withdraw({ clientOrderId: 'mine' })).rejects.toMatchObject({
      reason: { name: 'client_order_id_taken' },
    })
    expect(await withdraw({ clientOrderId: 'mine' }, caller('other'))).toMatchObject({ clientOrderId: 'mine' })
    expect(await intentIds()).toHaveLength(2)
    const { rows } = await listMappings(database.sql, scope(), { limit: 10, offset: 0 }, 'mine')
    expect(rows.map(({ clientOrderId }) => clientOrderId)).toEqual(['mine'])
  })
})

it('a second cancel of an order is refused while the first is under way, also when both come at once', async () => {
  const orderId = randomHash()
  const cancel = () =>
    sendForUser(contextOf(), { caller: caller() }, {}, async () => ({
      calldata: cancelCalldata(ROUTER, orderId),
      spending: null,
    }))
  const reasonOf = (error: unknown) => (error as { reason?: { name: string } }).reason?.name
  const outcomes = await Promise.all([1, 2, 3].map(() => cancel().then(() => 'sent', reasonOf)))
  expect(outcomes.toSorted()).toEqual(['cancel_already_requested', 'cancel_already_requested', 'sent'])
  const [claim] = await database.sql`select intent_id, cancel_order_id from stock_claims`
  expect(claim?.cancel_order_id).toBe(orderId)
  await database.sql`update tx_intents set state = 'rejected'`
  expect(await cancel().then(() => 'sent', reasonOf)).toBe('sent')
})
