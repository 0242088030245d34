import { fork } from 'node:child_process'
import { once } from 'node:events'
import { join } from 'node:path'
import { isDeepStrictEqual } from 'node:util'
import { encodeErrorResult, erc20Abi, maxUint256, numberToHex } from 'viem'
import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, it } from 'vitest'
import { instrumentAbi } from '../../chain/abi/instrument.ts'
import { testFeedAbi } from '../../chain/abi/test-feed.ts'
import { contractRead } from '../../chain/read.ts'
import type { Rpc } from '../../chain/rpc.ts'
import { OUT_OF_GAS } from '../../chain/send/out-of-gas.ts'
import type { Hex } from '../../chain/types.ts'
import { DEFAULT_GAS_PER_DAY } from '../../delegation/submit.ts'
import type { Venue } from '../../http/product.ts'
import { sleep } from '../../lib/clock.ts'
import { programFile } from '../../lib/testing-programs.ts'
import { WAD } from '../../lib/wad.ts'
import { openSurvey, type Pair } from '../keeper/survey.ts'
import { PERPETUAL_EXPIRY } from '../listing/catalogue.ts'
import { STATUS } from '../listing/states.ts'
import { type AccessVenue, type KeyedUser, startAccessVenue } from '../testing/access-venue.ts'
import { CHAIN_ID } from '../testing/chain.ts'
import { forgetSend } from '../testing/forget.ts'
import { keyOf, signed } from '../testing/key-api.ts'
import { follow } from '../testing/market-world.ts'
import { allMined } from '../testing/mined.ts'
import { StreamSession, signedHeaders } from '../testing/private-world.ts'
import { setFeed } from '../testing/trader.ts'
import { keepOrders } from './keep.ts'
import type { KeptOrderView } from './kept-view.ts'
import { hasNothingLeft } from './nothing-left.ts'
import { MOST_LIVE } from './place.ts'

// Kept orders on the contracts: the API keeps them, rounds of the keeper send them, the relayer brings them to the chain.

const START = 60_000n
const SIZE = WAD / 50n
/** The account of a wallet that gives all its money away but its margin. */
const POOR = 2
const pair = { instrument: 'BTC/USDC', expiry: PERPETUAL_EXPIRY }
/** Closes a long. */
const sell = { ...pair, side: 1, slippageBps: 1000 }
const buy = { ...pair, side: 2, slippageBps: 1000 }

let venue: AccessVenue
let btc: Hex
let user: KeyedUser
let other: KeyedUser
/** Those of keeper-child.ts, which runs where it is imported. */
const KILL_STEPS = ['before', 'inside', 'committed'] as const

beforeAll(async () => {
  // An order has its end when its transaction is final.
  venue = await startAccessVenue({ finality: { by: 'depth', blocks: 16 } })
  ;[user, other] = [await venue.user(0), await venue.user(1)]
  btc = await venue.chain.instrument('BTC/USDC')
  const { quote } = await venue.chain.readInstrument(btc, 'getSetting', [])
  for (const index of [0, 1]) {
    const approval = [venue.chain.contract('Gate'), maxUint256] as const
    expect(await venue.chain.send(accountOf(index), quote, erc20Abi, 'approve', approval)).toBe('success')
  }
  await other.enable()
})
afterAll(() => venue?.stop())

function accountOf(index: number) {
  const account = venue.chain.accounts.users[index]
  if (!account) throw new Error(`there is no account ${index}`)
  return account
}

const price = (whole: bigint) => setFeed(venue.chain, 'BTC', whole * 10n ** 8n)
const sizeOf = async ({ address }: KeyedUser) =>
  (await venue.chain.readInstrument(btc, 'getPortfolio', [PERPETUAL_EXPIRY, address])).position.size

/** A round of the keeper's task, which remembers nothing. */
const round = (survey: Parameters<typeof keepOrders>[1] = openSurvey(), of: Venue = venue.api.venue) =>
  keepOrders({ venue: of, chainId: CHAIN_ID, submitGasPerDay: DEFAULT_GAS_PER_DAY }, survey)

const head = () => venue.chain.rpc.call<Hex>('eth_blockNumber')

/** The venue on a node that stands still at a block. */
function standingAt(block: Hex): Venue {
  const { rpc } = venue.chain
  const call: Rpc['call'] = async (method, params = [], options) => {
    if (method === 'eth_blockNumber') return block as never
    const [first, ...rest] = params
    return rpc.call(method, first === 'latest' ? [block, ...rest] : params, options)
  }
  return { ...venue.api.venue, rpc: { ...rpc, call } }
}

/** A survey that shows other pairs than the chain has. */
async function surveyed(shown: (pairs: readonly Pair[]) => readonly Pair[]) {
  const survey = await openSurvey()(venue.api.venue)
  return async () => ({ ...survey, pairs: shown(survey.pairs) })
}

async function rowOf({ keptOrderId }: KeptOrderView): Promise<{ readonly judgedBlock: bigint }> {
  const [row] = await venue.database.sql<{ judgedBlock: bigint }[]>`
    select judged_block as "judgedBlock" from perp_kept_orders where kept_id = ${keptOrderId}`
  if (!row) throw new Error('it is not stored')
  return row
}

const withStatus = (of: Pair, status: number): Pair => ({ ...of, amm: { ...of.amm, status } })

let sends = 0
async function trade(of: KeyedUser, side: number, size: string, leverage = '5') {
  const body = { ...pair, side, size, leverage, slippageBps: 500 }
  const { msg } = await of.post('order/market', body, { 'Idempotency-Key': `trade-${sends++}` })
  expect(msg).toBe('')
  await allMined(venue.database.sql)
}

async function kept(of: KeyedUser, body: object): Promise<KeptOrderView[]> {
  const { msg, data } = await of.post('order/kept', body as Record<string, unknown>)
  expect(msg).toBe('')
  return data.orders
}

async function one(of: KeyedUser, body: object): Promise<KeptOrderView> {
  const [order, ...more] = await kept(of, body)
  expect(more).toEqual([])
  return order as KeptOrderView
}

const listed = async (of: KeyedUser, query = ''): Promise<KeptOrderView[]> =>
  (await of.get(`order/kept${query}`)).data.list

async function now(of: KeyedUser, { keptOrderId }: KeptOrderView): Promise<KeptOrderView> {
  const found = (await listed(of, '?size=100')).find((order) => order.keptOrderId === keptOrderId)
  if (!found) throw new Error('it is not listed')
  return found
}

/** Rounds until the order has ended for good. */
/** When a transaction that a test stores was mined. */
const MINED_SEC = 1_764_000_000

async function ended(of: KeyedUser, order: KeptOrderView): Promise<KeptOrderView> {
  for (;;) {
    await round()
    await allMined(venue.database.sql)
    const [row] = await venue.database.sql<{ state: string }[]>`
      select state from perp_kept_orders where kept_id = ${order.keptOrderId}`
    if (row?.state !== 'open' && row?.state !== 'sent') return now(of, order)
    await sleep(50)
  }
}

async function linkedPair(): Promise<{ readonly takes: KeptOrderView; readonly stops: KeptOrderView }> {
  const [takes, stops] = await kept(user, { ...sell, takeProfitPrice: '61000', stopLossPrice: '59000' })
  if (!takes || !stops) throw new Error('two are kept')
  return { takes, stops }
}

/** Has a take-profit sent, and its trade rejected before there is a transaction; `meanwhile` runs before a round notices. */
async function refusedByRelayer(order: KeptOrderView, meanwhile = async () => {}): Promise<void> {
  const { sql } = venue.database
  await sql`insert into tx_pauses (chain_id, reason, detail) values (${CHAIN_ID}, 'operator', 'a test')`
  try {
    await price(61_000n)
    await round()
    expect(await now(user, order)).toMatchObject({ status: 'sent', txHash: null })
    await sql`update tx_intents set state = 'rejected', problem = 'a test' where state = 'queued'`
    await meanwhile()
  } finally {
    await sql`delete from tx_pauses where chain_id = ${CHAIN_ID}`
  }
  // The mark is no longer there, so that this round only notes what became of the send.
  await price(START)
  await round()
}

/** How many trades the keeper has stored. */
async function storedTrades(): Promise<number> {
  const [row] = await venue.database.sql<{ sends: number }[]>`
    select count(*)::int as sends from tx_intents where dedupe_key like 'perp.kept:%'`
  return row?.sends ?? 0
}

async function storedRows(): Promise<unknown> {
  const [row] = await venue.database.sql`
    select (select count(*) from perp_kept_orders)::int as kept, (select count(*) from tx_intents)::int as intents`
  return row
}

it('needs One Click: without it nothing is kept, and the answer says how to enable it', async () => {
  const { status, code, reason, msg } = await user.post('order/kept', { ...sell, stopLossPrice: '55000' })
  expect([status, code, reason]).toEqual([403, 40302, 'delegation_not_enabled'])
  expect(msg).toContain('/v4/public/trader/1ct/prepare')
  await user.enable()
})

describe('an order that is kept', () => {
  beforeEach(async () => {
    // A key of its own for each test, of which none asks 120 times a minute.
    user = await venue.user(0)
    await price(START)
    await trade(user, 2, '0.02')
  })

  afterEach(clear)

  /** Whatever is left of the position and of the orders goes. */
  async function clear() {
    for (const { keptOrderId } of await listed(user, '?status=open'))
      await user.post('order/kept/cancel', { keptOrderId })
    await price(START)
    if ((await sizeOf(user)) !== 0n) await user.post('position/close', { ...pair, slippageBps: 1000 })
    await allMined(venue.database.sql)
    expect(await sizeOf(user)).toBe(0n)
  }

  it('takes the profit of a long once the mark is there, and not before', async () => {
    const order = await one(user, { ...sell, takeProfitPrice: '61000' })
    expect(order).toMatchObject({ kind: 'takeProfit', status: 'open', size: null, linkedOrderIds: [], txHash: null })
    expect(order.triggerPrice).toBe(String(61_000n * WAD))
    await price(60_999n)
    await round()
    expect(await storedTrades()).toBe(0)
    expect((await now(user, order)).status).toBe('open')
    await price(61_000n)
    const end = await ended(user, order)
    expect(end).toMatchObject({ status: 'done', reason: null, tradedSize: String(-SIZE) })
    expect(await user.mined(end.txHash as Hex)).toBe('success')
    expect(await sizeOf(user)).toBe(0n)
    expect(await storedTrades()).toBe(1)
    // More rounds do nothing more.
    await round()
    expect(await storedTrades()).toBe(1)
  })
  it('of a linked pair the first that is sent cancels the other', async () => {
    const before = await storedTrades()
    const [profit, loss] = await kept(user, { ...sell, takeProfitPrice: '61000', stopLossPrice: '59000' })
    if (!profit || !loss) throw new Error('two are kept')
    expect([profit.kind, profit.linkedOrderIds]).toEqual(['takeProfit', [loss.keptOrderId]])
    expect([loss.kind, loss.linkedOrderIds]).toEqual(['stopLoss', [profit.keptOrderId]])
    await price(58_999n)
    expect((await ended(user, loss)).status).toBe('done')
    expect(await now(user, profit)).toMatchObject({ status: 'cancelled', reason: 'linked_order_sent', txHash: null })
    expect(await sizeOf(user)).toBe(0n)
    await price(62_000n)
    await round()
    expect(await storedTrades()).toBe(before + 1)
    const late = await user.post('order/kept/cancel', { keptOrderId: profit.keptOrderId })
    expect([late.code, late.reason]).toEqual([40004, 'kept_order_not_open'])
  })

  it('of a linked pair the other is open again when the send of the first comes to nothing, and is then sent itself', async () => {
    const { takes, stops } = await linkedPair()
    await refusedByRelayer(takes)
    expect(await now(user, takes)).toMatchObject({ status: 'open', reason: 'not_sent', endedAt: null })
    expect(await now(user, stops)).toEqual(stops)
    await price(58_999n)
    expect((await ended(user, stops)).status).toBe('done')
    expect(await now(user, takes)).toMatchObject({ status: 'cancelled', reason: 'linked_order_sent' })
    expect(await sizeOf(user)).toBe(0n)
  })

  it('of a linked pair what the wallet cancelled, or what expired, stays as it is when the send of the first comes to nothing', async () => {
    const { sql } = venue.database
    const { takes, stops } = await linkedPair()
    expect((await user.post('order/kept/cancel', { keptOrderId: stops.keptOrderId })).code).toBe(0)
    await refusedByRelayer(takes)
    expect(await now(user, takes)).toMatchObject({ status: 'open' })
    expect(await now(user, stops)).toMatchObject({ status: 'cancelled', reason: 'cancelled' })

    await price(START)
    const { takes: first, stops: late } = await linkedPair()
    await refusedByRelayer(first, async () => {
      await sql`update perp_kept_orders set expires_at_sec = 1 where kept_id = ${late.keptOrderId}`
    })
    expect(await now(user, late)).toMatchObject({ status: 'expired', reason: 'expired' })
  })

  it('of a linked pair the other stays cancelled when the wallet cancels it while the first is sent', async () => {
    const { takes, stops } = await linkedPair()
    await refusedByRelayer(takes, async () => {
      expect(await now(user, stops)).toMatchObject({ status: 'cancelled', reason: 'linked_order_sent' })
      const { code, data } = await user.post('order/kept/cancel', { keptOrderId: stops.keptOrderId })
      expect([code, data.status, data.reason]).toEqual([0, 'cancelled', 'cancelled'])
    })
    expect(await now(user, takes)).toMatchObject({ status: 'open', reason: 'not_sent' })
    expect(await now(user, stops)).toMatchObject({ status: 'cancelled', reason: 'cancelled' })
  })

  describe('of a linked pair of which the first has reverted in a block that is not final', () => {
    let takes: KeptOrderView
    let stops: KeptOrderView
    beforeEach(async () => {
      const { sql } = venue.database
      ;({ takes, stops } = await linkedPair())
      const revert = encodeErrorResult({ abi: instrumentAbi, errorName: 'TradeSlippage' })
      await refusedByRelayer(takes, async () => {
        await sql`
          update tx_intents set state = 'mined', outcome = 'reverted', revert_data = ${revert}, signer = 'nobody', nonce = id,
            tx_hash = ${`0x${'6'.repeat(64)}`}, block_number = ${BigInt(await head()) + 1_000_000n}, block_hash = ${`0x${'7'.repeat(64)}`},
            gas_used = 1, mined_at = to_timestamp(${MINED_SEC}), problem = null
          where id = (select intent_id from perp_kept_orders where kept_id = ${takes.keptOrderId})`
      })
    })
    afterEach(async () => {
      await intentOf(takes, "state = 'final'")
      await round()
    })

    const intentOf = (order: KeptOrderView, change: string) =>
      venue.database.sql`
        update tx_intents set ${venue.database.sql.unsafe(change)}
        where id = (select intent_id from perp_kept_orders where kept_id = ${order.keptOrderId})`
    const reachedDepth = async () => {
      const { number, hash } = await venue.chain.rpc.call<Record<'number' | 'hash', Hex>>('eth_getBlockByNumber', [
        'latest',
        false,
      ])
      await intentOf(takes, `block_number = ${BigInt(number)}, block_hash = '${hash}'`)
      await round()
    }

    it('the other is open again, and is sent, once the block is as deep as the keeper acts on', async () => {
      expect(await now(user, takes)).toMatchObject({ status: 'failed', reason: 'TradeSlippage' })
      expect(await now(user, stops)).toMatchObject({ status: 'cancelled', reason: 'linked_order_sent' })
      await reachedDepth()
      expect(await now(user, takes)).toMatchObject({ status: 'failed', reason: 'TradeSlippage' })
      expect(await now(user, stops)).toEqual(stops)
      await price(58_999n)
      expect((await ended(user, stops)).status).toBe('done')
      await intentOf(takes, "state = 'final'")
      await round()
      expect(await now(user, takes)).toMatchObject({ status: 'failed', reason: 'TradeSlippage' })
      expect((await now(user, stops)).status).toBe('done')
      expect(await sizeOf(user)).toBe(0n)
    })

    it('the other stays cancelled while the chain has another block in the place of that one', async () => {
      await intentOf(takes, `block_number = ${BigInt(await head())}`)
      await round()
      expect(await now(user, stops)).toMatchObject({ status: 'cancelled', reason: 'linked_order_sent' })
      await reachedDepth()
      expect(await now(user, stops)).toEqual(stops)
    })

    it('the other is cancelled again when a reorganisation lets the first succeed', async () => {
      await reachedDepth()
      expect(await now(user, stops)).toEqual(stops)
      await intentOf(takes, "outcome = 'succeeded', revert_data = null")
      await round()
      expect(await now(user, stops)).toMatchObject({ status: 'cancelled', reason: 'linked_order_sent' })
      expect((await now(user, takes)).status).toBe('done')
    })
  })

  it('of a linked pair the other is open again when the first fails for good', async () => {
    const { sql } = venue.database
    const { takes, stops } = await linkedPair()
    await refusedByRelayer(takes, async () => {
      await sql`update perp_kept_orders set tries = 9 where kept_id = ${takes.keptOrderId}`
    })
    expect(await now(user, takes)).toMatchObject({ status: 'failed', reason: 'not_sent' })
    expect(await now(user, stops)).toEqual(stops)
  })

  describe('while a node shows a block before the one that the order was made at', () => {
    let flat: Hex
    let held: Hex
    let order: KeptOrderView
    beforeEach(async () => {
      await trade(user, 1, '0.02')
      await price(58_000n)
      flat = await head()
      await trade(user, 2, '0.02')
      held = await head()
      await price(START)
      order = await one(user, { ...sell, stopLossPrice: '59000' })
    })

    it('does not end because that has no position', async () => {
      await round(openSurvey(), standingAt(flat))
      expect(await now(user, order)).toEqual(order)
    })

    it('is not sent at the mark of that', async () => {
      const before = await storedTrades()
      await round(openSurvey(), standingAt(held))
      // The node may go back between the look at all orders and the one at this order, too.
      const survey = await surveyed((pairs) => pairs.map((pair) => ({ ...pair, markWad: 58_000n * WAD })))
      await round(survey, standingAt(held))
      expect(await now(user, order)).toEqual(order)
      expect(await storedTrades()).toBe(before)
      await price(58_000n)
      expect((await ended(user, order)).status).toBe('done')
    })

    it('does not end because that has no such pair', async () => {
      await venue.database.sql`
        update perp_kept_orders set created_at = created_at - interval '700 seconds' where kept_id = ${order.keptOrderId}`
      const none = await surveyed(() => [])
      await round(async () => ({ ...(await none()), blockNumber: BigInt(held) }))
      expect((await now(user, order)).status).toBe('open')
    })
  })

  it('of a part, for a short, it buys back that part and no more', async () => {
    await trade(user, 1, '0.05')
    const order = await one(user, { ...buy, size: '0.01', stopLossPrice: '61000' })
    await price(61_500n)
    expect(await ended(user, order)).toMatchObject({ status: 'done', tradedSize: String(WAD / 100n) })
    expect(await sizeOf(user)).toBe(-WAD / 50n)
  })

  it('never trades more than the position has left', async () => {
    const order = await one(user, { ...sell, size: '0.02', stopLossPrice: '59000' })
    await trade(user, 1, '0.01')
    await price(58_000n)
    expect(await ended(user, order)).toMatchObject({ status: 'done', tradedSize: String(-WAD / 100n) })
    expect(await sizeOf(user)).toBe(0n)
  })

  it('closes at a generous slippage a position that is all the money that the wallet has', async () => {
    const poor = await venue.user(POOR)
    const account = accountOf(POOR)
    const { quote } = await venue.chain.readInstrument(btc, 'getSetting', [])
    const approval = [venue.chain.contract('Gate'), maxUint256] as const
    expect(await venue.chain.send(account, quote, erc20Abi, 'approve', approval)).toBe('success')
    await poor.enable()
    await trade(poor, 2, '0.02', '9')
    const held = await venue.chain.read(contractRead({ address: quote, abi: erc20Abi }, 'balanceOf', account.address))
    const away = [accountOf(0).address, held] as const
    expect(await venue.chain.send(account, quote, erc20Abi, 'transfer', away)).toBe('success')
    const order = await one(poor, { ...sell, slippageBps: 2500, stopLossPrice: '59000' })
    await price(58_900n)
    expect(await ended(poor, order)).toMatchObject({ status: 'done', reason: null, tradedSize: String(-SIZE) })
    expect(await sizeOf(poor)).toBe(0n)
  })

  it('waits while the position is gone only in blocks that the keeper does not act on', async () => {
    const order = await one(user, { ...sell, stopLossPrice: '59000' })
    const { judgedBlock } = await rowOf(order)
    const held = BigInt(await head())
    await trade(user, 1, '0.02')
    await price(58_000n)
    const gone = BigInt(await head())
    // Each asks what it asks of a node whose newest block is that one, and of a chain on which the keeper waits for twelve.
    const nothingAt = (newest: bigint, judged = judgedBlock, chainId = 1) =>
      hasNothingLeft({ venue: standingAt(numberToHex(newest)), chainId }, btc, {
        user: user.address,
        expiry: PERPETUAL_EXPIRY,
        side: 1,
        judgedBlock: judged,
      })
    await venue.chain.rpc.call('anvil_mine', [numberToHex(12n)])
    expect(await nothingAt(held + 11n)).toBe(false)
    expect(await nothingAt(gone + 11n)).toBe(true)
    expect(await nothingAt(gone + 11n, gone + 1n)).toBe(false)
    expect(await nothingAt(gone, judgedBlock, CHAIN_ID)).toBe(true)

    // A round on a node whose confirmed block still has the position.
    const { rpc } = venue.chain
    const call: Rpc['call'] = async (method, params = [], options) =>
      method === 'eth_blockNumber' ? (numberToHex(held) as never) : rpc.call(method, params, options)
    await round(openSurvey(), { ...venue.api.venue, rpc: { ...rpc, call } })
    expect(await now(user, order)).toEqual(order)
    expect(await ended(user, order)).toMatchObject({ status: 'cancelled', reason: 'position_missing' })
  })

  it('ends without a trade where the position is gone, or of the other side', async () => {
    const before = await storedTrades()
    const gone = await one(user, { ...sell, stopLossPrice: '59000' })
    await trade(user, 1, '0.02')
    await price(58_000n)
    expect(await ended(user, gone)).toMatchObject({ status: 'cancelled', reason: 'position_missing', txHash: null })
    await price(START)
    await trade(user, 2, '0.02')
    const turned = await one(user, { ...sell, stopLossPrice: '59000' })
    await trade(user, 1, '0.04')
    await price(58_000n)
    expect(await ended(user, turned)).toMatchObject({ status: 'cancelled', reason: 'reduce_only_would_increase' })
    expect(await sizeOf(user)).toBe(-SIZE)
    expect(await storedTrades()).toBe(before)
  })

  it('never ends by its time when that is 0, as when it is left out', async () => {
    const order = await one(user, { ...sell, stopLossPrice: '59000', expiresAt: 0 })
    expect(order).toMatchObject({ status: 'open', expiresAt: null })
  })

  it('ends unsent when its time has passed', async () => {
    const expiresAt = Math.floor(Date.now() / 1000) + 3
    const answer = await user.post('order/kept', { ...sell, stopLossPrice: '59000', expiresAt })
    // A slow machine may ask too late: then a later one is never sent either.
    const [order] =
      answer.code === 0
        ? answer.data.orders
        : await kept(user, { ...sell, stopLossPrice: '59000', expiresAt: expiresAt + 60 })
    expect(await ended(user, order)).toMatchObject({ status: 'expired', reason: 'expired', txHash: null })
    await price(58_000n)
    await round()
    expect(await sizeOf(user)).toBe(SIZE)
  })

  it('of a cancel and a send at once exactly one is done', async () => {
    for (let nth = 0; nth < 4; nth++) {
      const before = await storedTrades()
      const order = await one(user, { ...sell, size: '0.002', stopLossPrice: '59000' })
      await price(58_000n)
      const { keptOrderId } = order
      const [cancelled] = await Promise.all([
        sleep(nth * 40).then(() => user.post('order/kept/cancel', { keptOrderId })),
        round(),
      ])
      const end = await ended(user, order)
      if (cancelled.code !== 0) expect([cancelled.code, cancelled.reason]).toEqual([40004, 'kept_order_not_open'])
      expect(end.status).toBe(cancelled.code === 0 ? 'cancelled' : 'done')
      expect(await storedTrades()).toBe(before + (cancelled.code === 0 ? 0 : 1))
      await price(START)
    }
  })

  it('is sent once however many keepers are at work', async () => {
    const before = await storedTrades()
    const orders = [
      await kept(user, { ...sell, size: '0.005', takeProfitPrice: '61000', stopLossPrice: '59000' }),
      await kept(user, { ...sell, stopLossPrice: '59000' }),
    ].flat()
    await price(58_000n)
    await Promise.all(Array.from({ length: 5 }, () => round()))
    for (const order of orders) await ended(user, order)
    const states = await Promise.all(orders.map(async (order) => (await now(user, order)).status))
    expect(states.sort()).toEqual(['cancelled', 'done', 'done'])
    expect(await storedTrades()).toBe(before + 2)
    expect(await sizeOf(user)).toBe(0n)
  })

  it.each(KILL_STEPS)('is sent once when the keeper is killed at %s', async (killAt) => {
    const before = await storedTrades()
    const order = await one(user, { ...sell, stopLossPrice: '59000' })
    await price(58_000n)
    expect(await killedKeeper(killAt)).toBe('SIGKILL')
    expect(await storedTrades()).toBe(before + (killAt === 'committed' ? 1 : 0))
    expect((await ended(user, order)).status).toBe('done')
    expect(await storedTrades()).toBe(before + 1)
    expect(await sizeOf(user)).toBe(0n)
  })

  it('is not traded again where a restored database has forgotten that it was', async () => {
    await trade(user, 2, '0.02')
    const order = await one(user, { ...sell, size: '0.02', stopLossPrice: '59000' })
    await price(58_000n)
    const { txHash } = await ended(user, order)
    await forgetSend(venue.database.sql, txHash as Hex)
    expect(await now(user, order)).toMatchObject({ status: 'open', txHash: null })
    await price(57_000n)
    expect(await ended(user, order)).toMatchObject({ status: 'done', txHash })
    expect(await sizeOf(user)).toBe(SIZE)
  })

  it('of a linked pair the other does not trade either where a restored database has forgotten that one has', async () => {
    const [takes, stops] = await kept(user, { ...sell, size: '0.01', takeProfitPrice: '61000', stopLossPrice: '59000' })
    if (!takes || !stops) throw new Error('two are kept')
    await price(61_000n)
    const { txHash } = await ended(user, takes)
    expect(await sizeOf(user)).toBe(SIZE / 2n)
    await forgetSend(venue.database.sql, txHash as Hex)
    expect(await now(user, stops)).toEqual(stops)
    await price(58_000n)
    expect(await ended(user, takes)).toMatchObject({ status: 'done', txHash, tradedSize: String(-SIZE / 2n) })
    expect(await now(user, stops)).toMatchObject({ status: 'cancelled', reason: 'linked_order_sent', txHash: null })
    expect(await sizeOf(user)).toBe(SIZE / 2n)
  })

  it('has traded, and is not told that there was no position, where a restored database has forgotten that it closed it', async () => {
    const order = await one(user, { ...sell, stopLossPrice: '59000' })
    await price(58_000n)
    const { txHash } = await ended(user, order)
    await forgetSend(venue.database.sql, txHash as Hex)
    expect(await ended(user, order)).toMatchObject({ status: 'done', txHash, tradedSize: String(-SIZE) })
  })

  it('is not sent at a price that is too old, nor while the instrument is frozen', async () => {
    const order = await one(user, { ...sell, stopLossPrice: '59000' })
    const feed = venue.chain.contract('PerpFeedBTC')
    const past = [58_000n * 10n ** 8n, BigInt(Math.floor(Date.now() / 1000) - 100_000)] as const
    const { admin } = venue.chain.accounts
    expect(await venue.chain.send(admin, feed, testFeedAbi, 'setAt', past)).toBe('success')
    await round()
    expect((await now(user, order)).status).toBe('open')
    await price(58_000n)
    expect(await venue.chain.send(admin, btc, instrumentAbi, 'freeze', [])).toBe('success')
    await round()
    expect((await now(user, order)).status).toBe('open')
    expect(await venue.chain.send(admin, btc, instrumentAbi, 'normalize', [])).toBe('success')
    expect((await ended(user, order)).status).toBe('done')
  })

  it('fails with the reason when One Click has ended', async () => {
    const order = await one(user, { ...sell, stopLossPrice: '59000' })
    expect((await user.post('1ct/disable')).code).toBe(0)
    await allMined(venue.database.sql)
    await price(58_000n)
    expect(await ended(user, order)).toMatchObject({ status: 'failed', reason: 'delegation_not_enabled', txHash: null })
    await user.enable()
    await allMined(venue.database.sql)
    expect(await sizeOf(user)).toBe(SIZE)
  })

  it('is tried again while nothing came to the chain, and not without end', async () => {
    const { sql } = venue.database
    const order = await one(user, { ...sell, slippageBps: 0, size: '0.02', stopLossPrice: '59000' })
    await trade(user, 2, '3')
    await price(58_000n)
    // More than the slippage allows, since it would move the price by itself.
    await sql`update perp_kept_orders set size_wad = ${String(3n * WAD)}::numeric where kept_id = ${order.keptOrderId}`
    await round()
    const tried = await now(user, order)
    expect(tried).toMatchObject({ status: 'open', reason: 'TradeSlippage', txHash: null })
    // It waits before it tries again.
    await round()
    const [row] =
      await sql`select tries, next_try_at > created_at as waits from perp_kept_orders where kept_id = ${order.keptOrderId}`
    expect(row).toMatchObject({ waits: true })
    // Never for more than a minute: the market goes on meanwhile.
    await sql`update perp_kept_orders set tries = 8, next_try_at = null where kept_id = ${order.keptOrderId}`
    await round()
    const [late] = await sql<{ waitsSec: number; tries: number }[]>`
      select extract(epoch from next_try_at - clock_timestamp())::float8 as "waitsSec", tries from perp_kept_orders
      where kept_id = ${order.keptOrderId}`
    expect(late?.tries).toBe(9)
    expect(late?.waitsSec).toBeLessThanOrEqual(60)
    await sql`update perp_kept_orders set tries = 9, next_try_at = null where kept_id = ${order.keptOrderId}`
    await round()
    expect(await now(user, order)).toMatchObject({ status: 'failed', reason: 'TradeSlippage' })
    expect((await now(user, order)).message).toContain('TradeSlippage')
  })

  it('tells of a revert on chain, and is not tried again', async () => {
    const { sql } = venue.database
    const order = await one(user, { ...sell, stopLossPrice: '59000' })
    const revert = encodeErrorResult({ abi: instrumentAbi, errorName: 'NotTradeable' })
    await sql`
      with intent as (
        insert into tx_intents (chain_id, purpose, dedupe_key, to_address, data, value_wei, state, signer, nonce, outcome, tx_hash,
          block_number, block_hash, gas_used, revert_data, mined_at)
        values (${CHAIN_ID}, 'submit', 'reverted', ${btc.toLowerCase()}, '0x', 0, 'final', 'nobody', 0, 'reverted', ${`0x${'1'.repeat(64)}`},
          1, ${`0x${'2'.repeat(64)}`}, 1, ${revert}, to_timestamp(${MINED_SEC}))
        returning id)
      update perp_kept_orders set state = 'sent', intent_id = (select id from intent) where kept_id = ${order.keptOrderId}`
    const before = await now(user, order)
    expect(before).toMatchObject({ status: 'failed', reason: 'NotTradeable', endedAt: MINED_SEC })
    // What it says does not move when it is noted for good.
    expect(await ended(user, order)).toEqual({ ...before, txHash: `0x${'1'.repeat(64)}` })
  })

  it('is tried again when its transaction ran out of gas, and not told as failed meanwhile', async () => {
    const { sql } = venue.database
    const order = await one(user, { ...sell, stopLossPrice: '59000' })
    const [hash, signer] = [`0x${'5'.repeat(64)}`, 'nobody']
    await sql`
      with intent as (
        insert into tx_intents (chain_id, purpose, dedupe_key, to_address, data, value_wei, state, signer, nonce, outcome, tx_hash,
          block_number, block_hash, gas_used, revert_data, problem, mined_at)
        values (${CHAIN_ID}, 'submit', 'out of gas', ${btc.toLowerCase()}, '0x', 0, 'mined', ${signer}, 2, 'reverted', ${hash},
          1, ${`0x${'2'.repeat(64)}`}, 303197, '0x', ${OUT_OF_GAS}, to_timestamp(${MINED_SEC}))
        returning id), attempt as (
        insert into tx_attempts (chain_id, intent_id, hash, signer, nonce, raw_tx, gas_limit, max_fee_wei,
          max_priority_fee_wei, head_number)
        select ${CHAIN_ID}, id, ${hash}, ${signer}, 2, '0x', 335414, 1, 1, 1 from intent)
      update perp_kept_orders set state = 'sent', intent_id = (select id from intent) where kept_id = ${order.keptOrderId}`
    expect(await now(user, order)).toMatchObject({ status: 'sent', endedAt: null, reason: null })
    await sql`update tx_intents set state = 'final' where dedupe_key = 'out of gas'`
    await round()
    const again = { status: 'open', endedAt: null, reason: 'out_of_gas', message: 'the transaction ran out of gas' }
    expect(await now(user, order)).toMatchObject(again)
    expect((await user.post('order/kept/cancel', { keptOrderId: order.keptOrderId })).code).toBe(0)
  })

  it('is tried again too when the block vanished in which it ran out of gas, and its transaction was withdrawn', async () => {
    const { sql } = venue.database
    const order = await one(user, { ...sell, stopLossPrice: '59000' })
    await sql`
      with intent as (
        insert into tx_intents (chain_id, purpose, dedupe_key, to_address, data, value_wei, state, signer, nonce, revert_data,
          problem, withdrawn_at)
        values (${CHAIN_ID}, 'submit', 'withdrawn out of gas', ${btc.toLowerCase()}, '0x', 0, 'failed', 'nobody', 3, '0x',
          ${OUT_OF_GAS}, clock_timestamp())
        returning id)
      update perp_kept_orders set state = 'sent', intent_id = (select id from intent) where kept_id = ${order.keptOrderId}`
    await round()
    expect(await now(user, order)).toMatchObject({ status: 'open', endedAt: null, reason: 'out_of_gas' })
    expect((await user.post('order/kept/cancel', { keptOrderId: order.keptOrderId })).code).toBe(0)
  })

  it('is not tried again either when the block of the revert vanished and its transaction was withdrawn', async () => {
    const { sql } = venue.database
    const order = await one(user, { ...sell, stopLossPrice: '59000' })
    const revert = encodeErrorResult({ abi: instrumentAbi, errorName: 'NotTradeable' })
    await sql`
      with intent as (
        insert into tx_intents (chain_id, purpose, dedupe_key, to_address, data, value_wei, state, signer, nonce, revert_data,
          withdrawn_at)
        values (${CHAIN_ID}, 'submit', 'withdrawn', ${btc.toLowerCase()}, '0x', 0, 'failed', 'nobody', 1, ${revert},
          clock_timestamp())
        returning id)
      update perp_kept_orders set state = 'sent', intent_id = (select id from intent) where kept_id = ${order.keptOrderId}`
    expect(await ended(user, order)).toMatchObject({ status: 'failed', reason: 'NotTradeable' })
  })

  it('is seen and cancelled by every key of the wallet, and by nobody else', async () => {
    const order = await one(user, { ...sell, stopLossPrice: '59000' })
    const { keptOrderId } = order
    expect(await listed(other)).toEqual([])
    const foreign = await other.post('order/kept/cancel', { keptOrderId })
    expect([foreign.status, foreign.code, foreign.reason]).toEqual([400, 40401, 'kept_order_unknown'])
    const second = await keyOf(venue.api, user.account)
    const { data } = await signed(venue.api, second, 'GET', 'order/kept?status=open&symbol=BTC/USDC')
    expect(data).toEqual({ list: [order], totalCount: 1 })
    const cancelled = await signed(venue.api, second, 'POST', 'order/kept/cancel', { keptOrderId })
    expect(cancelled.data).toMatchObject({ keptOrderId, status: 'cancelled', reason: 'cancelled' })
    const again = await user.post('order/kept/cancel', { keptOrderId })
    expect([again.status, again.code, again.reason]).toEqual([400, 40004, 'kept_order_not_open'])
    const { createdAt } = order
    const made = (query: string) => user.get(`order/kept?${query}&status=cancelled`)
    const ids = ({ data }: { data: { list: KeptOrderView[] } }) => data.list.map((one) => one.keptOrderId)
    expect(ids(await made(`endTime=${createdAt}&startTime=${createdAt}`))).toContain(keptOrderId)
    expect(ids(await made(`startTime=${createdAt + 1}`))).not.toContain(keptOrderId)
    expect((await made(`endTime=${createdAt - 100_000}`)).data).toEqual({ list: [], totalCount: 0 })
    const page = await user.get('order/kept?page=1&size=1')
    expect(page.data.list).toHaveLength(1)
    expect(page.data.totalCount).toBeGreaterThan(1)
  })

  it('is told by the stream from its making to its end, to its wallet alone, as the list shows it', async () => {
    const stopFollowing = follow(venue.chain, venue.database)
    const sessions = [user, other].map(({ key }) => new StreamSession(venue.api.url, signedHeaders(key)))
    try {
      await Promise.all(sessions.map(({ socket }) => once(socket, 'open')))
      const [mine, foreign] = sessions as [StreamSession, StreamSession]
      await Promise.all(sessions.map((session) => session.follow('keptOrders')))
      const [takes, stops] = await kept(user, { ...sell, takeProfitPrice: '61000', stopLossPrice: '59000' })
      const told = (of: KeptOrderView | undefined, shown: Partial<KeptOrderView>) =>
        mine.until(() =>
          mine
            .deltas('keptOrders')
            .find(({ key, data }) => key === of?.keptOrderId && isDeepStrictEqual({ ...data, ...shown }, data)),
        )
      expect(await told(takes, { status: 'open' })).toMatchObject({
        event: 'keptOrder.updated',
        version: 1,
        data: takes,
      })
      await price(62_000n)
      // Mined first, and then for good.
      const done = await told(takes, await ended(user, takes as KeptOrderView))
      expect(done.data).toMatchObject({ status: 'done', txHash: expect.stringMatching(/^0x/) })
      const ofTakes = mine.deltas('keptOrders').filter(({ key }) => key === takes?.keptOrderId)
      expect(new Set(ofTakes.map(({ data }) => data.endedAt))).toEqual(
        new Set([null, (done.data as KeptOrderView).endedAt]),
      )
      await told(stops, { status: 'cancelled', reason: 'linked_order_sent' })
      const late = new StreamSession(venue.api.url, signedHeaders(user.key))
      sessions.push(late)
      await once(late.socket, 'open')
      const { data } = await late.follow('keptOrders')
      const held = new Map(data.map((record: { key: string; data: unknown }) => [record.key, record.data]))
      expect(held.get(takes?.keptOrderId)).toEqual(done.data)
      expect(foreign.deltas('keptOrders')).toEqual([])
    } finally {
      for (const { socket } of sessions) socket.terminate()
      await stopFollowing()
    }
  })

  it('is about the first of two instruments of one symbol, as a request is', async () => {
    const order = await one(user, { ...sell, stopLossPrice: '59000' })
    await price(58_000n)
    const twice = await surveyed((pairs) => {
      const eth = pairs.find(({ instrument }) => instrument.symbol === 'ETH/USDC')
      if (!eth) throw new Error('there is no ETH/USDC')
      return [...pairs, { ...eth, instrument: { ...eth.instrument, symbol: 'BTC/USDC' } }]
    })
    await round(twice)
    expect((await now(user, order)).status).not.toBe('open')
    expect((await ended(user, order)).status).toBe('done')
  })

  it('is never about the second one, though the first has no pair any more', async () => {
    const order = await one(user, { ...sell, stopLossPrice: '59000' })
    const second = await surveyed((pairs) =>
      pairs
        .filter(({ instrument }) => instrument.symbol === 'ETH/USDC')
        .map((eth) => ({
          ...eth,
          markWad: 58_000n * WAD,
          instrument: { ...eth.instrument, symbol: 'BTC/USDC' },
        })),
    )
    await price(58_000n)
    await round(second)
    expect(await now(user, order)).toEqual(order)
  })

  it.each([
    ['has settled', 0, (dated: Pair) => [withStatus(dated, STATUS.SETTLED)], 'cancelled'],
    ['is gone', 700, () => [], 'cancelled'],
    ['is not there though it was a moment ago', 0, () => [], 'open'],
    ['is settling, and still traded', 0, (dated: Pair) => [withStatus(dated, STATUS.SETTLING)], 'open'],
  ] as const)('of a dated pair that %s', async (_, ageSec, shown, status) => {
    const order = await one(user, { ...sell, takeProfitPrice: '61000' })
    const { pairs, nowSec } = await openSurvey()(venue.api.venue)
    const [perpetual] = pairs
    if (!perpetual) throw new Error('there is no pair')
    const expiry = nowSec + 600
    await venue.database.sql`
      update perp_kept_orders set expiry = ${expiry}, created_at = created_at - ${ageSec} * interval '1 second'
      where kept_id = ${order.keptOrderId}`
    await round(await surveyed((all) => [...all, ...shown({ ...perpetual, expiry })]))
    const reason = status === 'open' ? null : 'pair_settled'
    expect(await now(user, order)).toMatchObject({ status, reason, txHash: null })
    await venue.database.sql`
      update perp_kept_orders set expiry = ${PERPETUAL_EXPIRY} where kept_id = ${order.keptOrderId}`
  })

  it('is kept once under one Idempotency-Key', async () => {
    const headers = { 'Idempotency-Key': 'kept-once' }
    const body = { ...sell, takeProfitPrice: '61000', stopLossPrice: '59000' }
    const first = await user.post('order/kept', body, headers)
    const again = await user.post('order/kept', body, headers)
    expect(again.data).toEqual(first.data)
    expect(await listed(user, '?status=open')).toHaveLength(2)
  })

  it('is refused with what is wrong, and nothing is stored', async () => {
    await one(user, { ...sell, stopLossPrice: '59000' })
    // Nobody renews the price that this feed began with, and a slow run takes longer than it stays fresh.
    expect(await setFeed(venue.chain, 'ETH', 3_000n * 10n ** 8n)).toBe('success')
    const before = await storedRows()
    const refusals: readonly (readonly [object, number, string, string])[] = [
      [sell, 40001, 'fields_not_together', 'takeProfitPrice, stopLossPrice, or both'],
      [{ ...sell, takeProfitPrice: '60000' }, 40001, 'kept_price_reached', 'above the mark price'],
      [{ ...sell, stopLossPrice: '60000' }, 40001, 'kept_price_reached', 'below the mark price'],
      [{ ...sell, takeProfitPrice: '61000', stopLossPrice: '61000' }, 40001, 'kept_price_reached', 'stopLossPrice'],
      [{ ...sell, stopLossPrice: '0' }, 40001, 'amount_invalid', 'stopLossPrice'],
      [{ ...sell, stopLossPrice: '1e4' }, 40001, 'amount_invalid', 'exponent'],
      [{ ...sell, stopLossPrice: '59000', size: '0.03' }, 40001, 'size_above_position', 'at most 0.02'],
      [{ ...buy, stopLossPrice: '61000' }, 40001, 'reduce_only_would_increase', 'must be 1 (short)'],
      [
        { ...sell, stopLossPrice: '59000', expiresAt: 1_700_000_000 },
        40001,
        'deadline_passed',
        'expiresAt must be in the future',
      ],
      [{ ...sell, instrument: 'ETH/USDC', stopLossPrice: '1' }, 40401, 'position_missing', 'no position'],
      [{ ...sell, instrument: 'XYZ/USDC', stopLossPrice: '1' }, 40002, 'instrument_unknown', 'XYZ/USDC'],
      [{ ...sell, stopLossPrice: '59000', side: 3 }, 40001, 'request_invalid', 'side'],
      [{ ...sell, stopLossPrice: '59000', slippageBps: 10_001 }, 40001, 'request_invalid', 'slippageBps'],
    ]
    for (const [body, code, reason, words] of refusals) {
      const answer = await user.post('order/kept', body as Record<string, unknown>)
      expect([reason, answer.code, answer.reason]).toEqual([reason, code, reason])
      expect(answer.msg).toContain(words)
    }
    expect((await user.post('order/kept/cancel', { keptOrderId: '7' })).reason).toBe('request_invalid')
    expect((await user.get('order/kept?expiry=5')).data).toEqual({ list: [], totalCount: 0 })
    const whole = (await user.get('order/kept')).data
    expect((await user.get(`order/kept?expiry=${PERPETUAL_EXPIRY}`)).data).toEqual(whole)
    expect((await user.get('order/kept?startTime=1764000000000')).reason).toBe('request_invalid')
    expect((await user.get('order/kept?endTime=10&startTime=20')).reason).toBe('perp_range_invalid')
    expect(await storedRows()).toEqual(before)
  })

  it('is refused to a wallet that has as many as it may', async () => {
    const order = await one(user, { ...sell, stopLossPrice: '59000' })
    await venue.database.sql`
      insert into perp_kept_orders (chain_id, kept_id, user_address, api_key_id, link_id, symbol, expiry, kind, side, trigger_wad,
        slippage_bps, state)
      select chain_id, gen_random_uuid(), user_address, api_key_id, gen_random_uuid(), symbol, expiry, kind, side, 1, 0, 'open'
      from perp_kept_orders, generate_series(1, ${MOST_LIVE - 2}) where kept_id = ${order.keptOrderId}`
    const two = await user.post('order/kept', { ...sell, takeProfitPrice: '61000', stopLossPrice: '59000' })
    expect([two.status, two.code, two.reason]).toEqual([400, 40004, 'kept_orders_exhausted'])
    await one(user, { ...sell, stopLossPrice: '59000' })
    const more = await user.post('order/kept', { ...sell, stopLossPrice: '59000' })
    expect(more.reason).toBe('kept_orders_exhausted')
    await venue.database.sql`delete from perp_kept_orders where trigger_wad = 1`
  })
})

/** A keeper of its own process, which kills itself; resolves to how it ended. */
async function killedKeeper(killAt: (typeof KILL_STEPS)[number]): Promise<unknown> {
  const { chainId, contracts } = venue.chain.deployment
  const order = {
    databaseUrl: venue.database.url,
    rpcUrl: venue.chain.anvil.rpcUrl,
    deployment: { chainId, contracts },
    killAt,
  }
  const child = fork(programFile(join(import.meta.dirname, 'keeper-child.ts')), {
    env: { ...process.env, KEPT_CHILD: JSON.stringify(order) },
    stdio: ['ignore', 'inherit', 'inherit', 'ipc'],
  })
  const [code, signal] = await once(child, 'exit')
  return signal ?? code
}
