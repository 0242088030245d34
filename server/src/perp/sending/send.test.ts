import { encodeErrorResult } from 'viem'
import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, it } from 'vitest'
import { instrumentAbi } from '../../chain/abi/instrument.ts'
import { observerAbi } from '../../chain/abi/observer.ts'
import { whilePaused } from '../../chain/embedded/testing-pause.ts'
import { runFollower } from '../../chain/follow/follower.ts'
import { chainProfile } from '../../chain/profiles.ts'
import { contractRead } from '../../chain/read.ts'
import { OUT_OF_GAS } from '../../chain/send/out-of-gas.ts'
import type { Hex } from '../../chain/types.ts'
import { sleep } from '../../lib/clock.ts'
import { formatUnits } from '../../lib/decimal.ts'
import { createLogger } from '../../lib/logger.ts'
import { WAD } from '../../lib/wad.ts'
import { perpEvents } from '../events.ts'
import { PERPETUAL_EXPIRY } from '../listing/catalogue.ts'
import { tickToPrice } from '../maths/tick.ts'
import { type AccessVenue, type KeyedUser, startAccessVenue } from '../testing/access-venue.ts'
import { CHAIN_ID } from '../testing/chain.ts'
import { forgetSend } from '../testing/forget.ts'
import { keyOf, type PerpApi, servePerp, signed, type TestKey } from '../testing/key-api.ts'
import { allMined } from '../testing/mined.ts'
import { approveGate, trade } from '../testing/trader.ts'

// Trading by One Click: the API asks, the relayer sends, the chain shows it.

let venue: AccessVenue
let btc: Hex
let user: KeyedUser
let other: KeyedUser
const indexer = new AbortController()
let indexing: Promise<void>
beforeAll(async () => {
  venue = await startAccessVenue()
  const { chain, database } = venue
  indexing = runFollower({
    sql: database.sql,
    rpc: chain.rpc,
    deployment: chain.deployment,
    profile: chainProfile(CHAIN_ID),
    modules: [perpEvents],
    log: createLogger('silent'),
    pollMs: 20,
    confirmMs: 5,
    signal: indexer.signal,
  })
  ;[user, other] = [await venue.user(0), await venue.user(1)]
  btc = await venue.chain.instrument('BTC/USDC')
  for (const index of [0, 1]) await approve(index)
})
afterAll(async () => {
  indexer.abort()
  await indexing
  await venue?.stop()
})

function accountOf(index: number) {
  const account = venue.chain.accounts.users[index]
  if (!account) throw new Error(`there is no account ${index}`)
  return account
}

const approve = async (index: number) => expect(await approveGate(venue.chain, accountOf(index), btc)).toBe('success')

const pair = { instrument: 'BTC/USDC', expiry: PERPETUAL_EXPIRY }
const market = (side: number, size: string) => ({ ...pair, side, size, leverage: '5', slippageBps: 100 })
const limit = (price: string, side = 2) => ({ ...pair, side, size: '0.02', price, leverage: '5' })

const portfolioOf = ({ address }: KeyedUser) =>
  venue.chain.readInstrument(btc, 'getPortfolio', [PERPETUAL_EXPIRY, address])
const sizeOf = async (of: KeyedUser) => (await portfolioOf(of)).position.size
const oidsOf = async (of: KeyedUser) => (await portfolioOf(of)).oids.map(String)

/** How much the venue has stored of sends. */
async function stored() {
  const { sql } = venue.database
  const [row] =
    await sql`select (select count(*) from perp_sends)::int as sends, (select count(*) from tx_intents)::int as intents`
  return row
}

/** Waits until every signer has begun and ended a look at the chain: from then on none sends by what a block before showed. */
async function looked() {
  const { sql } = venue.database
  const now = async () => (await sql<{ at: string }[]>`select clock_timestamp()::text as at`)[0]?.at ?? ''
  const silent = (at: string) => sql`select from tx_signers where seen_at <= ${at}::timestamptz`
  // The look that ends first may have begun before.
  for (let looks = 0; looks < 2; looks++) {
    const at = await now()
    while ((await silent(at)).length > 0) await sleep(20)
  }
}

let sends = 0
/** Sends and waits until it is mined with success; a slow venue is asked again for the hash, by the same Idempotency-Key. */
async function sent(of: KeyedUser, path: string, body: object, key = `sent-${sends++}`) {
  const headers = { 'Idempotency-Key': key }
  let answer = await of.post(path, body as Record<string, unknown>, headers)
  while (answer.code === 0 && answer.data.txHash === null) {
    await sleep(20)
    answer = await of.post(path, body as Record<string, unknown>, headers)
  }
  expect([answer.msg, answer.code]).toEqual(['', 0])
  expect(await of.mined(answer.data.txHash)).toBe('success')
  return answer.data
}

describe('without One Click', () => {
  it('every operation that sends is refused, with the way to enable it', async () => {
    const before = await stored()
    const bodies = {
      'order/market': market(2, '0.02'),
      'order/limit': limit('59000'),
      'order/scaled': { ...limit('0'), price: undefined, prices: ['58000', '57000'], size: '0.05' },
      'liquidity/add': { ...pair, amount: '2000', alphaLower: '1.2', alphaUpper: '1.2', slippageBps: 100 },
    }
    for (const [path, body] of Object.entries(bodies)) {
      const { status, code, reason, msg } = await user.post(path, body)
      expect([status, code, reason]).toEqual([403, 40302, 'delegation_not_enabled'])
      expect(msg).toContain('/v4/public/trader/1ct/prepare')
    }
    expect(await stored()).toEqual(before)
  })
})

describe('by One Click', () => {
  beforeAll(async () => {
    await user.enable()
    await other.enable()
  })

  it('a market order trades', async () => {
    const data = await sent(user, 'order/market', market(2, '0.02'))
    expect(Object.keys(data).sort()).toEqual(['failure', 'failureMessage', 'sendId', 'status', 'txHash'])
    expect(await sizeOf(user)).toBe(WAD / 50n)
  })

  it('a send that ran out of gas has failed, and says so', async () => {
    await sent(user, 'order/market', market(2, '0.01'), 'ran-out-of-gas')
    await allMined(venue.database.sql)
    await venue.database.sql`
      update tx_intents set state = 'final', outcome = 'reverted', revert_data = '0x', problem = ${OUT_OF_GAS}
      where id = (select max(id) from tx_intents)`
    const again = await user.post('order/market', market(2, '0.01'), { 'Idempotency-Key': 'ran-out-of-gas' })
    expect(again.data).toMatchObject({
      status: 'Failed',
      failure: 'the transaction ran out of gas',
      failureMessage: null,
    })
  })

  it('a send that reverted says by which error, and what would be right', async () => {
    const { sendId } = await sent(user, 'order/market', market(2, '0.01'))
    await allMined(venue.database.sql)
    const reverted = encodeErrorResult({ abi: instrumentAbi, errorName: 'TradeSlippage' })
    await venue.database.sql`
      update tx_intents set state = 'final', outcome = 'reverted', revert_data = ${reverted}
      where id = (select max(id) from tx_intents)`
    const { data } = await user.get(`send/byId?sendId=${sendId}`)
    expect(data).toMatchObject({ status: 'Failed', failure: 'TradeSlippage()' })
    expect(data.failureMessage).toMatch(/worse than the slippage allows\. Allow more/)
  })

  it('a limit order rests, is cancelled by its oid, and a second cancel finds nothing', async () => {
    await sent(user, 'order/limit', limit('59000'))
    const [oid] = await oidsOf(user)
    await sent(user, 'order/cancel', { ...pair, oid })
    expect(await oidsOf(user)).toEqual([])
    const again = await user.post('order/cancel', { ...pair, oid })
    expect([again.status, again.code, again.reason]).toEqual([400, 40401, 'perp_order_not_open'])
  })

  it('a limit order that crosses trades and rests in one transaction', async () => {
    const before = await sizeOf(user)
    await sent(user, 'order/limit', { ...limit('60100'), size: '3' })
    const { position, orders } = await portfolioOf(user)
    expect(orders).toHaveLength(1)
    expect(position.size - before + (orders[0]?.size ?? 0n)).toBe(3n * WAD)
    await sent(user, 'order/batch-cancel', { ...pair, all: true })
  })

  it('more orders than one word holds are cancelled by one transaction, each reported', async () => {
    const nine = Array.from({ length: 9 }, (_, index) => String(58_000 - index * 100))
    await sent(user, 'order/scaled', { ...pair, side: 2, size: '0.1', leverage: '5', prices: nine })
    const three = ['57000', '56900', '56800']
    await sent(user, 'order/scaled', { ...pair, side: 2, size: '0.05', leverage: '5', prices: three })
    const oids = await oidsOf(user)
    expect(oids).toHaveLength(12)
    const gone = '1869451624454'
    const { orders } = await sent(user, 'order/batch-cancel', { ...pair, oids: [...oids, gone] })
    const told = new Map(orders.map(({ oid, status }: { oid: string; status: string }) => [oid, status]))
    expect(oids.map((oid) => told.get(oid))).toEqual(oids.map(() => 'sent'))
    expect(told.get(gone)).toBe('not_open')
    expect(await oidsOf(user)).toEqual([])
  })

  it('an order that is taken becomes a position by fill', async () => {
    await sent(other, 'order/limit', limit('60150', 1))
    const [oid] = await oidsOf(other)
    const early = await other.post('order/fill', { ...pair, oid })
    expect([early.status, early.reason]).toEqual([400, 'order_not_taken'])
    await sent(user, 'order/market', market(2, '3'))
    await sent(other, 'order/fill', { ...pair, oid })
    expect(await sizeOf(other)).toBe(-WAD / 50n)
  })

  it('a position changes its leverage and margin, and closes', async () => {
    await sent(user, 'position/adjust', { ...pair, leverage: '3' })
    const before = (await portfolioOf(user)).position.balance
    await sent(user, 'position/margin', { ...pair, amount: '100', type: 'add' })
    expect((await portfolioOf(user)).position.balance - before).toBeGreaterThan(90n * WAD)
    await sent(user, 'position/close', { ...pair, slippageBps: 200, size: '1' })
    await sent(user, 'position/close', { ...pair, slippageBps: 200 })
    expect(await sizeOf(user)).toBe(0n)
  })

  it('liquidity is added and removed', async () => {
    await sent(user, 'liquidity/add', {
      ...pair,
      amount: '2000',
      alphaLower: '1.2',
      alphaUpper: '1.2',
      slippageBps: 100,
    })
    const [rid] = (await portfolioOf(user)).rids
    const tick = (value: bigint) => Number(BigInt.asIntN(24, value))
    const [tickLower, tickUpper] = [tick(BigInt(rid ?? 0) >> 24n), tick(BigInt(rid ?? 0))]
    await sent(user, 'liquidity/remove', { ...pair, tickLower, tickUpper, slippageBps: 100 })
    expect((await portfolioOf(user)).rids).toEqual([])
  })

  it('what would revert is refused by name, and nothing is stored', async () => {
    const before = await stored()
    const refusals: readonly (readonly [string, object, number, string])[] = [
      ['order/market', market(2, '100000'), 40003, 'TradeOutOfLiquidity'],
      ['order/market', { ...market(2, '2'), slippageBps: 0 }, 40003, 'TradeSlippage'],
      ['order/limit', limit('30000'), 40003, 'OrderTooFar'],
      ['order/limit', { ...limit('90000'), postOnly: true }, 40003, 'OrderWrongSide'],
      ['position/close', { ...pair, slippageBps: 50 }, 40401, 'has no position'],
      ['order/market', { ...market(2, '0.02'), gasLimit: 30_000 }, 40001, 'does not succeed within gasLimit 30000'],
    ]
    for (const [path, body, code, words] of refusals) {
      const answer = await user.post(path, body as Record<string, unknown>)
      expect([answer.code, answer.status]).toEqual([code, 400])
      expect(answer.msg).toContain(words)
    }
    expect(await stored()).toEqual(before)
  })
})

describe('orders by their public id', () => {
  /** The account's open orders as the API lists them, once so many are indexed. */
  async function listed(of: KeyedUser, count: number): Promise<readonly { readonly orderId: string }[]> {
    for (;;) {
      const { data } = await of.get('order/realtime')
      if (data.length === count) return data
      await sleep(20)
    }
  }

  it('are cancelled one by one and together; of an unknown one the answer tells', async () => {
    for (const price of ['58000', '57900', '57800']) await sent(user, 'order/limit', limit(price))
    const [first, ...rest] = (await listed(user, 3)).map(({ orderId }) => orderId)
    await sent(user, 'order/cancel', { ...pair, orderId: first })
    const { orders } = await sent(user, 'order/batch-cancel', { ...pair, orderIds: [...rest, first, '5'] })
    expect(orders.map(({ orderId, status }: Record<string, string>) => [orderId, status])).toEqual([
      ...rest.map((orderId) => [orderId, 'sent']),
      [first, 'not_open'],
      ['5', 'not_open'],
    ])
    expect(await oidsOf(user)).toEqual([])
    // The last two are more than any id can be: no order's either, and no failure of the database.
    for (const orderId of ['5', '9223372036854775808', '9999999999999999999']) {
      const unknown = await user.post('order/cancel', { ...pair, orderId })
      expect([unknown.status, unknown.reason]).toEqual([400, 'perp_order_not_open'])
      const several = await user.post('order/batch-cancel', { ...pair, orderIds: [orderId] })
      expect([several.status, several.reason]).toEqual([400, 'perp_order_not_open'])
    }
  })

  it('are not the next order at their price once they have ended', async () => {
    await sent(user, 'order/limit', limit('58000'))
    const [first] = await listed(user, 1)
    const oids = await oidsOf(user)
    await sent(user, 'order/cancel', { ...pair, orderId: first?.orderId })
    await listed(user, 0)
    await sent(user, 'order/limit', limit('58000'))
    const [second] = await listed(user, 1)
    // The contract has the same name for both.
    expect(await oidsOf(user)).toEqual(oids)
    const again = await user.post('order/cancel', { ...pair, orderId: first?.orderId })
    expect([again.status, again.reason]).toEqual([400, 'perp_order_not_open'])
    const alone = await user.post('order/batch-cancel', { ...pair, orderIds: [first?.orderId] })
    expect([alone.status, alone.reason]).toEqual([400, 'perp_order_not_open'])
    expect(await oidsOf(user)).toEqual(oids)
    const { orders } = await sent(user, 'order/batch-cancel', { ...pair, orderIds: [first?.orderId, second?.orderId] })
    expect(orders).toEqual([
      { orderId: first?.orderId, oid: oids[0], status: 'not_open' },
      { orderId: second?.orderId, oid: oids[0], status: 'sent' },
    ])
    expect(await oidsOf(user)).toEqual([])
  })

  it('are not the next order at their price while their end is not indexed yet', async () => {
    for (const price of ['58000', '57900']) await sent(user, 'order/limit', limit(price))
    const [stays, ended] = (await listed(user, 2)).map(({ orderId }) => orderId)
    await venue.database.sql.begin(async (tx) => {
      // The indexer waits.
      await tx`lock table perp_orders in share mode`
      await sent(user, 'order/cancel', { ...pair, orderId: ended })
      await sent(user, 'order/limit', limit('58000'))
      const oids = await oidsOf(user)
      for (const path of ['order/cancel', 'order/fill']) {
        const again = await user.post(path, { ...pair, orderId: ended })
        expect([again.status, again.reason]).toEqual([400, 'perp_order_not_open'])
      }
      expect(await oidsOf(user)).toEqual(oids)
      const { orders } = await sent(user, 'order/batch-cancel', { ...pair, orderIds: [ended, stays] })
      expect(orders.map(({ status }: Record<string, string>) => status)).toEqual(['not_open', 'sent'])
      expect(await oidsOf(user)).toHaveLength(1)
    })
    const [oid] = await oidsOf(user)
    await sent(user, 'order/cancel', { ...pair, oid })
    await listed(user, 0)
  })

  it('are nobody else’s, and of one pair', async () => {
    await sent(user, 'order/limit', limit('58000'))
    const [order] = await listed(user, 1)
    const orderId = order?.orderId
    expect((await other.post('order/cancel', { ...pair, orderId })).reason).toBe('perp_order_not_open')
    const elsewhere = { ...pair, instrument: 'ETH/USDC', orderId }
    expect((await user.post('order/cancel', elsewhere)).reason).toBe('perp_order_not_open')
    expect((await user.post('order/cancel', pair)).msg).toBe('send either orderId or oid')
    expect((await user.post('order/cancel', { ...pair, orderId, oid: 1 })).msg).toBe('send either orderId or oid')
    await sent(user, 'order/cancel', { ...pair, orderId })
  })
})

it('of two whole closes at once one is sent, and the other turns nothing round', async () => {
  await sent(user, 'order/market', market(2, '0.05'))
  const close = { ...pair, slippageBps: 200 }
  const answers = await Promise.all([0, 3].map((ms) => sleep(ms).then(() => user.post('position/close', close))))
  await allMined(venue.database.sql)
  expect(await sizeOf(user)).toBe(0n)
  const refused = answers.filter(({ code }) => code !== 0)
  expect(refused.every(({ code }) => [40003, 40004, 40401].includes(code))).toBe(true)
})

it('of reducing trades at once no more are sent than the position has room for', async () => {
  await sent(user, 'order/market', market(2, '0.05'))
  const reduce = { ...pair, slippageBps: 200, size: '0.02' }
  // A few milliseconds apart: those that are signed at one moment are one request, and have one answer.
  const answers = await Promise.all(
    Array.from({ length: 6 }, (_, index) => sleep(index * 3).then(() => user.post('position/close', reduce))),
  )
  const refused = answers.filter(({ code }) => code !== 0).map(({ code, reason }) => `${code} ${reason}`)
  for (const one of refused) expect(['40004 reduction_under_way', '40001 size_above_position']).toContain(one)
  const accepted = new Set(answers.filter(({ code }) => code === 0).map(({ data }) => data.sendId))
  expect([1, 2]).toContain(accepted.size)
  await allMined(venue.database.sql)
  expect(await sizeOf(user)).toBe(WAD / 20n - (BigInt(accepted.size) * WAD) / 50n)
  await sent(user, 'position/close', { ...pair, slippageBps: 200 })
})

describe('the gas of a wallet within 24 hours', () => {
  /** Another api process of the venue, where the wallet may use what it has used already, and room for so many sends. */
  async function apiWithRoomFor(of: KeyedUser, more: number, gasLimit: number): Promise<PerpApi> {
    const { chain, database, api } = venue
    await allMined(venue.database.sql)
    const [row] = await database.sql<{ used: bigint }[]>`
      select sum(i.gas_used)::numeric(78, 0) as used from submissions s
      join tx_intents i on i.chain_id = s.chain_id and i.id = s.intent_id where s.user_address = ${of.address}`
    const environment = { SUBMIT_GAS_PER_DAY: String((row?.used ?? 0n) + BigInt(more * gasLimit)) }
    const { contracts } = chain.deployment
    return servePerp({ sql: database.sql, rpc: chain.rpc, contracts, environment }, api.auth.masterKeys)
  }

  it('is bounded whichever key sends: ending one and making another opens no new budget', async () => {
    const gasLimit = 3_000_000
    const api = await apiWithRoomFor(user, 3, gasLimit)
    try {
      await whilePaused(venue.chain.rpc, async () => {
        let price = 55_000
        const place = async (by: TestKey) => {
          price -= 500
          const body = { ...limit(String(price)), gasLimit }
          const { status, reason, msg } = await signed(api, by, 'POST', 'order/limit', body)
          return status === 200 ? 'sent' : `${reason}: ${msg}`
        }
        const first = await keyOf(api, user.account)
        for (let nth = 0; nth < 3; nth++) expect(await place(first)).toBe('sent')
        const refused = /^gas_budget_exhausted: .* 0 are left/
        expect(await place(first)).toMatch(refused)
        expect((await signed(api, first, 'POST', 'api-key/delete', { apiKey: first.apiKey })).status).toBe(200)
        expect(await place(await keyOf(api, user.account))).toMatch(refused)
      })
    } finally {
      await api.close()
    }
    await allMined(venue.database.sql)
    await sent(user, 'order/batch-cancel', { ...pair, all: true })
  })
})

describe('an Idempotency-Key', () => {
  it('makes one transaction of twenty equal requests at once, and answers each with it', async () => {
    const before = await sizeOf(other)
    const body = market(1, '0.01')
    const headers = { 'Idempotency-Key': 'twenty' }
    // A few milliseconds apart, so that each is signed anew and none is the repetition of another.
    const answers = await Promise.all(
      Array.from({ length: 20 }, async (_, index) => {
        await sleep(index * 3)
        return other.post('order/market', body, headers)
      }),
    )
    expect(answers.map(({ msg }) => msg)).toEqual(answers.map(() => ''))
    expect(new Set(answers.map(({ data }) => data.sendId)).size).toBe(1)
    expect(new Set(answers.map(({ data }) => data.txHash)).size).toBe(1)
    expect(await other.mined(answers[0]?.data.txHash)).toBe('success')
    expect(await sizeOf(other)).toBe(before - WAD / 100n)

    const again = await other.post('order/market', body, headers)
    expect([again.code, again.data.txHash]).toEqual([0, answers[0]?.data.txHash])
    const another = await other.post('order/market', market(1, '0.02'), headers)
    expect([another.status, another.code, another.reason]).toEqual([400, 42201, 'idempotency_key_reused'])
    expect(await sizeOf(other)).toBe(before - WAD / 100n)
  })

  it('says that the gas may not suffice where the limit has come to be too low when its turn came', async () => {
    const { sql } = venue.database
    const post = () =>
      other.post('order/market', { ...market(1, '0.01'), gasLimit: 2_000_000 }, { 'Idempotency-Key': 'starved' })
    await sql`insert into tx_pauses (chain_id, reason, detail) values (${CHAIN_ID}, 'operator', 'a test')`
    await post().finally(async () => {
      await sql`update tx_intents set gas_limit = 200000 where state = 'queued'`
      await sql`delete from tx_pauses where chain_id = ${CHAIN_ID}`
      await allMined(venue.database.sql)
    })
    const final = await post()
    expect(final).toMatchObject({ status: 400, code: 40003 })
    expect(final.msg).toMatch(/not tried again under its Idempotency-Key: .*Unknown.*or the gas does not suffice/)
  })

  it('tells by its replay that a refusal is final: of what was accepted and could not be done when its turn came', async () => {
    const { admin } = venue.chain.accounts
    const { sql } = venue.database
    const before = await sizeOf(other)
    const post = async (key: string) => {
      const { status, code, msg, headers } = await other.post('order/market', market(1, '0.01'), {
        'Idempotency-Key': key,
      })
      return { status, code, msg, replayed: headers.get('idempotent-replayed') }
    }
    const turn = (name: 'freeze' | 'normalize') => venue.chain.send(admin, btc, instrumentAbi, name, [])
    const refused = async () => {
      await sql`insert into tx_pauses (chain_id, reason, detail) values (${CHAIN_ID}, 'operator', 'a test')`
      const accepted = await post('its-turn').finally(async () => {
        expect(await turn('freeze')).toBe('success')
        await looked()
        await sql`delete from tx_pauses where chain_id = ${CHAIN_ID}`
        await allMined(venue.database.sql)
      })
      expect(accepted).toEqual({ status: 200, code: 0, msg: '', replayed: null })
      const final = await post('its-turn')
      expect(final).toMatchObject({ status: 400, code: 40003, replayed: 'true' })
      expect(final.msg).toContain('not tried again under its Idempotency-Key: the transaction would revert: ')
      // Refused before anything is stored: that is no end, and a repeat is tried anew.
      expect(await post('another')).toMatchObject({ replayed: null })
      return final
    }
    const final = await refused().finally(async () => expect(await turn('normalize')).toBe('success'))
    expect(await post('its-turn')).toEqual(final)
    const { data } = await other.get('send/byIdempotencyKey?idempotencyKey=its-turn')
    expect(data).toMatchObject({ status: 'Failed', txHash: null })
    expect(final.msg).toContain(`: ${data.failure.replace('()', '.')}`)
    await sent(other, 'order/market', market(1, '0.01'), 'another')
    expect(await sizeOf(other)).toBe(before - WAD / 100n)
  })
})

describe('a send that is asked for', () => {
  const byId = (of: KeyedUser, sendId: string) => of.get(`send/byId?sendId=${sendId}`)
  const byKey = (of: KeyedUser, key: string) => of.get(`send/byIdempotencyKey?idempotencyKey=${key}`)
  const unknown = { status: 400, code: 40401, reason: 'send_unknown' }

  it('is told by its id and by the key of its request, from when it waits until it is mined, and nothing is sent', async () => {
    const { sql } = venue.database
    const post = () => user.post('order/limit', limit('58100'), { 'Idempotency-Key': 'asked-for' })
    expect(await byKey(user, 'asked-for')).toMatchObject(unknown)
    await sql`insert into tx_pauses (chain_id, reason, detail) values (${CHAIN_ID}, 'operator', 'a test')`
    const { data } = await post().finally(() => looked())
    const waiting = (await byKey(user, 'asked-for')).data
    expect(waiting).toEqual({ ...data, action: 'limit', orders: [], createdAt: expect.any(Number) })
    expect(waiting).toMatchObject({ status: 'Pending', txHash: null, failure: null })
    expect(Math.abs(Date.now() / 1000 - waiting.createdAt)).toBeLessThan(600)
    await sql`delete from tx_pauses where chain_id = ${CHAIN_ID}`
    await allMined(venue.database.sql)
    const before = await stored()
    const done = (await byId(user, data.sendId)).data
    expect(done).toEqual({ ...waiting, status: 'Confirmed', txHash: (await post()).data.txHash })
    expect((await byKey(user, 'asked-for')).data).toEqual(done)
    expect(await stored()).toEqual(before)
  })

  it('tells of the orders that it is about', async () => {
    const oids = await oidsOf(user)
    expect(oids).not.toEqual([])
    const { sendId, orders } = await sent(user, 'order/batch-cancel', { ...pair, oids: [...oids, '1869451624454'] })
    expect((await byId(user, sendId)).data).toMatchObject({ action: 'batch-cancel', orders })
    expect(orders).toHaveLength(oids.length + 1)
  })

  it('is the wallet’s by its id, and the API key’s by the key of its request', async () => {
    const { sendId } = await sent(user, 'order/market', market(2, '0.01'), 'mine?&=')
    const key = encodeURIComponent('mine?&=')
    const second = await venue.user(0)
    expect((await byKey(user, key)).data.sendId).toBe(sendId)
    expect((await byId(second, sendId.toUpperCase())).data.sendId).toBe(sendId)
    for (const answer of [byKey(second, key), byKey(other, key), byId(other, sendId)])
      expect(await answer).toMatchObject(unknown)
  })

  it('is not what other operations have stored under their keys, and has to be named', async () => {
    const body = { ...pair, side: 1, slippageBps: 1000, stopLossPrice: '30000' }
    const kept = await user.post('order/kept', body, { 'Idempotency-Key': 'kept' })
    expect(kept.code).toBe(0)
    expect(await byKey(user, 'kept')).toMatchObject(unknown)
    for (const query of ['byId', 'byId?sendId=7', 'byIdempotencyKey', 'byIdempotencyKey?idempotencyKey=a%20b']) {
      expect(await user.get(`send/${query}`)).toMatchObject({ status: 400, reason: 'request_invalid' })
    }
  })
})

describe('what a database that was put back has forgotten', () => {
  /** The newest send as the chain alone knows it, once an operator has let sending go on (docs/runbooks/restore.md). */
  async function forgotten(path: string, body: object, key: string): Promise<Hex> {
    const { txHash } = await sent(user, path, body, key)
    await allMined(venue.database.sql)
    await forgetSend(venue.database.sql, txHash)
    return txHash
  }

  it('is not traded again when it is asked for again, though the price is another', async () => {
    const before = await sizeOf(user)
    const txHash = await forgotten('order/market', market(2, '0.03'), 'forgotten-trade')
    // A key that was made after the copy is forgotten too, and the wallet has another one since.
    for (const key of [user, await venue.user(0)]) {
      expect((await sent(key, 'order/market', market(2, '0.03'), 'forgotten-trade')).txHash).toBe(txHash)
      await allMined(venue.database.sql)
      await forgetSend(venue.database.sql, txHash)
    }
    expect(await sizeOf(user)).toBe(before + (WAD * 3n) / 100n)
    // Another key is another wish.
    expect((await sent(user, 'order/market', market(2, '0.03'))).txHash).not.toBe(txHash)
    expect(await sizeOf(user)).toBe(before + (WAD * 6n) / 100n)
  })

  it('answers its repetition also where the contract would refuse to do it twice', async () => {
    const txHash = await forgotten('order/limit', limit('58400'), 'forgotten-order')
    const twice = await user.post('order/limit', limit('58400'))
    expect([twice.status, twice.msg]).toEqual([400, expect.stringContaining('OrderOccupied')])
    expect((await sent(user, 'order/limit', limit('58400'), 'forgotten-order')).txHash).toBe(txHash)
    await sent(user, 'order/batch-cancel', { ...pair, all: true })
  })
})

describe('while a send of the wallet is under way that may turn what was taken of an order, or a range, into a position', () => {
  const slippageBps = 500
  const close = { ...pair, slippageBps }
  const bare = (side: number, size: string) => ({ ...pair, side, size, leverage: '2', slippageBps })
  const rest = { side: 1, size: '1', leverage: '2', postOnly: true }
  let owner: KeyedUser

  beforeAll(async () => {
    owner = await venue.user(2)
    await approve(2)
    await owner.enable()
  })
  beforeEach(() => sent(owner, 'order/market', bare(2, '1')))
  afterEach(async () => {
    if ((await oidsOf(owner)).length > 0) await sent(owner, 'order/batch-cancel', { ...pair, all: true })
    if ((await sizeOf(owner)) !== 0n) await sent(owner, 'position/close', close)
  })

  /** Rests a sell of one, and has so much of it taken, but for what the curve gives of its last tick; resolves to its oid. */
  async function restingSell(taken: bigint): Promise<string> {
    const { tick } = await venue.chain.readInstrument(btc, 'getAmm', [PERPETUAL_EXPIRY])
    await sent(owner, 'order/limit', { ...pair, ...rest, price: formatUnits(tickToPrice(tick + 20), 18) })
    if (taken > 0n) {
      const observer = { address: venue.chain.contract('Observer'), abi: observerAbi }
      const reach = contractRead(observer, 'getBaseSizeByTick', btc, PERPETUAL_EXPIRY, tick + 19)
      await othersTrade((await venue.chain.read(reach)) + taken)
    }
    const [oid] = await oidsOf(owner)
    return String(oid)
  }
  const othersTrade = async (size: bigint) =>
    expect(await trade(venue.chain, accountOf(1), btc, size, 50_000n * WAD)).toBe('success')
  const takenNow = async () => (await portfolioOf(owner)).ordersTaken[0] ?? 0n

  /** What the API answers to a close while what was sent before cannot be mined. */
  async function answersBeside(path: string, body: object, closing: object = close) {
    const answer = await whilePaused(venue.chain.rpc, async () => {
      const { msg } = await owner.post(path, body as Record<string, unknown>)
      expect(msg).toBe('')
      const { code, reason } = await owner.post('position/close', closing as Record<string, unknown>)
      return [code, reason]
    })
    await allMined(venue.database.sql)
    return answer
  }
  const UNDER_WAY = [40_004, 'reduction_under_way']
  const SENT = [0, null]

  it('a whole close waits for the cancel of an order that is taken in part, and then closes what is left', async () => {
    const oid = await restingSell((WAD * 3n) / 5n)
    const taken = await takenNow()
    expect(taken < 0n && taken > -WAD).toBe(true)
    expect(await answersBeside('order/batch-cancel', { ...pair, oids: [oid] })).toEqual(UNDER_WAY)
    expect(await sizeOf(owner)).toBe(WAD + taken)
    // Once it is mined nothing waits.
    await sent(owner, 'position/close', close)
    expect(await sizeOf(owner)).toBe(0n)
  })

  it('a close of a part does not wait where the position has room for what was taken besides', async () => {
    const oid = await restingSell((WAD * 3n) / 5n)
    const taken = await takenNow()
    expect(await answersBeside('order/cancel', { ...pair, oid }, { ...close, size: '0.3' })).toEqual(SENT)
    expect(await sizeOf(owner)).toBe(WAD + taken - (WAD * 3n) / 10n)
  })

  it('a whole close waits for the fill of an order that is taken whole', async () => {
    const oid = await restingSell(2n * WAD)
    expect(await takenNow()).toBe(-WAD)
    expect(await answersBeside('order/fill', { ...pair, oid })).toEqual(UNDER_WAY)
    expect(await sizeOf(owner)).toBe(0n)
  })

  it('a whole close waits for the removal of a range', async () => {
    await sent(owner, 'liquidity/add', { ...pair, amount: '2000', alphaLower: '1.2', alphaUpper: '1.2', slippageBps })
    const [rid] = (await portfolioOf(owner)).rids
    const tick = (value: bigint) => Number(BigInt.asIntN(24, value))
    const [tickLower, tickUpper] = [tick(BigInt(rid ?? 0) >> 24n), tick(BigInt(rid ?? 0))]
    await othersTrade(WAD / 2n)
    const removal = { ...pair, tickLower, tickUpper, slippageBps }
    expect(await answersBeside('liquidity/remove', removal)).toEqual(UNDER_WAY)
  })

  it('a whole close does not wait for the cancel of an order that nobody has taken, an order that is placed, or margin that is added', async () => {
    const oid = await restingSell(0n)
    expect(await answersBeside('order/cancel', { ...pair, oid })).toEqual(SENT)
    expect(await sizeOf(owner)).toBe(0n)

    await sent(owner, 'order/market', bare(2, '1'))
    expect(await answersBeside('order/limit', { ...pair, ...rest, price: '70000', size: '0.1' })).toEqual(SENT)
    await sent(owner, 'order/market', bare(2, '1'))
    expect(await answersBeside('position/margin', { ...pair, amount: '10', type: 'add' })).toEqual(SENT)
    expect(await sizeOf(owner)).toBe(0n)
  })

  it('a whole close does not wait for what is under way in another pair', async () => {
    const eth = { ...pair, instrument: 'ETH/USDC' }
    await sent(owner, 'order/market', { ...eth, side: 2, size: '1', leverage: '2', slippageBps })
    const oid = await restingSell((WAD * 3n) / 5n)
    expect(await answersBeside('order/cancel', { ...pair, oid }, { ...eth, slippageBps })).toEqual(SENT)
  })
})
