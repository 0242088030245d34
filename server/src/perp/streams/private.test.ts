import { randomUUID } from 'node:crypto'
import { once } from 'node:events'
import { encodeErrorResult } from 'viem'
import { afterAll, beforeAll, describe, expect, it, vi } from 'vitest'
import { instrumentAbi } from '../../chain/abi/instrument.ts'
import type { DevelopmentAccount } from '../../chain/embedded/accounts.ts'
import { insertIntent } from '../../chain/send/intents.ts'
import type { Hex } from '../../chain/types.ts'
import { inTransaction } from '../../db/pool.ts'
import { WAD } from '../../lib/wad.ts'
import { REVERT_EXPLANATIONS } from '../reverts/revert-explanations.ts'
import { insertSends } from '../sending/send-store.ts'
import { CHAIN_ID } from '../testing/chain.ts'
import { signed, type TestKey } from '../testing/key-api.ts'
import { PrivateWorld, type Seen, signedHeaders, signedProtocols, WAIT } from '../testing/private-world.ts'
import { addRange, approveGate, cancel, place, setFeed, trade } from '../testing/trader.ts'

const CHANNELS = ['orders', 'executions', 'positions', 'account', 'liquidity', 'keptOrders', 'sends']
/** Where GET shows what a channel tells. */
const LISTS = {
  executions: 'execution/list?size=100',
  account: 'account/transaction-history?size=100',
  liquidity: 'liquidity/list',
}

let world: PrivateWorld
let btc: Hex
let alice: DevelopmentAccount
let bob: DevelopmentAccount
let aliceKey: TestKey
let bobKey: TestKey
/** A tick well below the price. */
let low: number
beforeAll(async () => {
  world = await PrivateWorld.start()
  const { chain } = world
  btc = await chain.instrument('BTC/USDC')
  ;[alice, bob] = chain.accounts.users as unknown as [DevelopmentAccount, DevelopmentAccount]
  await setFeed(chain, 'BTC', 60_000n * 10n ** 8n)
  for (const user of [alice, bob]) expect(await approveGate(chain, user, btc)).toBe('success')
  // Before alice has a key.
  expect(await trade(chain, alice, btc, WAD / 10n, 2_000n * WAD)).toBe('success')
  await world.told()
  aliceKey = await world.keyOf(alice)
  bobKey = await world.keyOf(bob)
  const { data } = await signed(world.apis[0], aliceKey, 'GET', 'market/orderBook?symbol=BTC%2FUSDC')
  low = data['1'].bids[0].tick - 20
  await world.told()
})
afterAll(() => world?.close())

const keysOf = ({ data }: Seen): string[] => data.map(({ key }: Seen) => key)
/** Records as the messages add up to them. */
function folded(snapshot: Seen, deltas: readonly Seen[]): Map<string, unknown> {
  const records = new Map<string, unknown>(snapshot.data.map(({ key, data }: Seen) => [key, data]))
  for (const { key, data } of deltas) {
    if (data === null) records.delete(key)
    else records.set(key, data)
  }
  return records
}
function expectGapless(from: number, deltas: readonly Seen[]): void {
  expect(deltas.map(({ previous }) => previous)).toEqual(deltas.map((_, nth) => from + nth))
  expect(deltas.map(({ sequence }) => sequence)).toEqual(deltas.map((_, nth) => from + nth + 1))
}

/** A send of One Click that waits for a relayer. */
async function sendOf({ address }: DevelopmentAccount, action: string) {
  const sendId = randomUUID()
  const { sql } = world.database
  const intent = await insertIntent(sql, {
    chainId: CHAIN_ID,
    purpose: 'submit',
    dedupeKey: sendId,
    to: btc,
    data: '0x',
  })
  const kept = { id: sendId, action, orders: [], trade: null }
  const user = address.toLowerCase() as Hex
  const send = { kept, intentId: intent.id, apiKeyId: aliceKey.apiKey, user }
  await inTransaction(sql, (tx) => insertSends(tx, CHAIN_ID, [send]))
  return { sendId, intent }
}

describe('a connection that nobody signs', () => {
  it('is told the public channels, and of the private ones that a key must sign', async () => {
    const client = await world.connect(null)
    for (const type of CHANNELS) expect(await client.ask({ type })).toMatch(/is private.*an API key signs/)
    expect(await client.ask({ type: 'common' })).toBe('success')
    await client.until((seen) => seen.find(({ stream }) => stream === 'blockNumChanged'))
    expect(client.deltas('orders')).toEqual([])
  })

  it('is refused where it is signed wrongly', async () => {
    const headers = signedHeaders(aliceKey)
    expect(await world.refused({ ...headers, 'x-api-sign': signedHeaders(bobKey)['x-api-sign'] as string })).toBe(401)
    expect(await world.refused({ 'x-api-key': aliceKey.apiKey })).toBe(401)
    expect(await world.refused({ ...headers, 'x-api-ts': String(Date.now() - 60_000) })).toBe(401)
  })
})

describe('a connection that a key signs', () => {
  it('begins with what the wallet has, also from before its first key', async () => {
    const client = await world.connect(aliceKey)
    const positions = await client.follow('positions')
    expect(positions).toMatchObject({ stream: 'positions', chainId: CHAIN_ID, reason: 'subscribed', total: 1 })
    const [read] = (await signed(world.apis[0], aliceKey, 'GET', 'position/list')).data
    const { key, data } = positions.data[0]
    expect(key).toBe(`${btc}_4294967295`)
    expect(read).toMatchObject(data)
    expect((await client.follow('executions')).data).toMatchObject([{ data: { typeString: 'market', side: 'long' } }])
    const account = await client.follow('account')
    expect(account.data.map((record: Seen) => record.data.typeString)).toContain('scatter')
  })

  it('may be a page’s, which offers what it signs with as protocols; none of that is sent back', async () => {
    const page = await world.connectAsPage(signedProtocols(bobKey))
    expect(page.socket.protocol).toBe('bourse')
    expect(await page.follow('orders')).toMatchObject({ event: 'snapshot', data: [] })
    const wrong = signedProtocols({ ...bobKey, apiSecret: aliceKey.apiSecret })
    expect(await world.refused({}, wrong)).toBe(401)
    // Without values it is nobody's.
    const nobody = await world.connectAsPage(['bourse'])
    expect(await nobody.ask({ type: 'orders' })).toContain('is private')
  })

  it('follows public channels too', async () => {
    const client = await world.connect(aliceKey)
    expect(await client.ask({ type: 'common' })).toBe('success')
    await client.until((seen) => seen.find(({ stream }) => stream === 'marketListChanged'))
  })

  it.each([
    [{ type: 'orders', chainId: 1 }, `params.chainId must be ${CHAIN_ID}`],
    [{ type: 'orders', from: -1 }, 'params.from must be the sequence'],
    [{ type: 'orders', from: '1' }, 'params.from must be the sequence'],
    [{ type: 'orders', userAddress: '0x' }, 'orders has no parameter "userAddress"'],
    [{ type: 'common', from: 1 }, 'common has no parameter "from"'],
  ])('is refused %j', async (params, message) => {
    const client = await world.connect(aliceKey)
    expect(await client.ask(params)).toContain(message)
  })

  it('is told a send of One Click that the chain reverts, until its block vanishes, and one that is not sent', async () => {
    const [mine, other] = [await world.connect(aliceKey), await world.connect(bobKey)]
    for (const client of [mine, other]) await client.follow('sends')
    const { sql } = world.database
    const revert = encodeErrorResult({ abi: instrumentAbi, errorName: 'TradeSlippage' })
    const [reverted, unsent] = [await sendOf(alice, 'market'), await sendOf(alice, 'limit')]
    const [hash, block] = [`0x${'5'.repeat(64)}`, `0x${'2'.repeat(64)}`]
    await sql`
      update tx_intents set state = 'mined', signer = 'nobody', nonce = 0, outcome = 'reverted', tx_hash = ${hash}, block_number = 1,
        block_hash = ${block}, gas_used = 1, revert_data = ${revert}, mined_at = now()
      where id = ${reverted.intent.id}`
    const told = await mine.until(() => mine.deltas('sends')[0])
    expect(told).toMatchObject({ event: 'send.updated', key: reverted.sendId })
    const market = {
      sendId: reverted.sendId,
      action: 'market',
      txHash: hash,
      status: 'Failed',
      failure: 'TradeSlippage()',
      failureMessage: REVERT_EXPLANATIONS.TradeSlippage,
    }
    expect(told.data).toEqual(market)
    // What is final says nothing new.
    await sql`update tx_intents set state = 'final' where id = ${reverted.intent.id}`
    await sql`update tx_intents set state = 'rejected', problem = 'it waited too long' where id = ${unsent.intent.id}`
    const second = await mine.until(() => mine.deltas('sends')[1])
    const limit = {
      sendId: unsent.sendId,
      action: 'limit',
      txHash: null,
      status: 'Failed',
      failure: 'it waited too long',
      failureMessage: null,
    }
    expect(second.data).toEqual(limit)
    await sql`
      update tx_intents set state = 'broadcast', outcome = null, tx_hash = null, block_number = null, block_hash = null,
        gas_used = null, revert_data = null, mined_at = null
      where id = ${reverted.intent.id}`
    const third = await mine.until(() => mine.deltas('sends')[2])
    expect(third).toMatchObject({ event: 'send.removed', key: reverted.sendId, data: null })
    expect(other.deltas('sends')).toEqual([])
    await sql`delete from perp_sends`
    await sql`delete from tx_intents where id in ${sql([reverted.intent.id, unsent.intent.id])}`
  })

  it('is told an order, its execution, the position and the money, each channel in order, and nothing of others', async () => {
    const [mine, other] = [await world.connect(aliceKey), await world.connect(bobKey)]
    const begun = new Map<string, Seen>()
    for (const type of CHANNELS) {
      begun.set(type, await mine.follow(type))
      await other.follow(type)
    }
    const { chain } = world
    const near = low + 15
    expect(await place(chain, alice, btc, { tick: near, size: WAD / 100n, margin: 500n * WAD })).toBe('success')
    const placed = await mine.until(() => mine.deltas('orders')[0])
    expect(placed).toMatchObject({
      stream: 'orders',
      chainId: CHAIN_ID,
      event: 'order.updated',
      version: 1,
      id: expect.any(String),
      data: { status: 'open', taken: '0', side: 2, size: String(WAD / 100n), tick: near },
    })
    expect(placed.key).toBe(placed.data.orderId)
    // Bob sells through it; alice's cancel turns what was taken into her position.
    expect(await trade(chain, bob, btc, -3n * WAD, 60_000n * WAD)).toBe('success')
    expect(await cancel(chain, alice, btc, near)).toBe('success')
    const closed = await mine.until(() => mine.deltas('orders').find(({ data }) => data.status !== 'open'))
    expect(closed.key).toBe(placed.key)
    expect(BigInt(closed.data.taken)).toBeGreaterThan(0n)
    const filled = await mine.until(() => mine.deltas('executions')[0])
    expect(filled).toMatchObject({ event: 'execution.updated', data: { typeString: 'fill', size: closed.data.taken } })
    const position = await mine.until(() =>
      mine.deltas('positions').find(({ data }) => data.size === String(WAD / 10n + BigInt(closed.data.taken))),
    )
    expect(position).toMatchObject({ event: 'position.updated', data: { side: 2, symbol: 'BTC/USDC' } })
    await mine.until(() => mine.deltas('account').find(({ data }) => data.typeString === 'scatter'))
    expect(await addRange(chain, alice, btc, 1_000n * WAD, 2_000)).toBe('success')
    await mine.until(() => mine.deltas('liquidity').find(({ event }) => event === 'range.updated'))
    await world.told()

    // Bob has what is his, and nothing of alice's.
    const execution = await other.until(() => other.deltas('executions')[0])
    expect(execution.data).toMatchObject({ side: 'short', typeString: 'market' })
    const hers = new Set(CHANNELS.flatMap((type) => mine.deltas(type).map(({ id }) => id)))
    for (const type of CHANNELS) expect(other.deltas(type).some(({ id }) => hers.has(id))).toBe(false)
    expect([...other.deltas('orders'), ...other.deltas('liquidity')]).toEqual([])

    for (const type of CHANNELS) expectGapless(begun.get(type).sequence, mine.deltas(type))
    for (const [type, list] of Object.entries(LISTS)) {
      const { data } = await signed(world.apis[0], aliceKey, 'GET', list)
      const records = [...folded(begun.get(type), mine.deltas(type)).values()]
      const wanted: unknown[] = data.list ?? data
      expect(records).toHaveLength(wanted.length)
      expect(records).toEqual(expect.arrayContaining(wanted))
    }
  })

  it('is told how much of a resting order others have taken, each time that it grows, and after a reorganisation again', async () => {
    const { chain } = world
    const client = await world.connect(aliceKey)
    const begun = await client.follow('orders')
    const { data: book } = await signed(world.apis[0], aliceKey, 'GET', 'market/orderBook?symbol=BTC%2FUSDC')
    const tick = book['1'].bids[0].tick - 5
    expect(await place(chain, alice, btc, { tick, size: 20n * WAD, margin: 150_000n * WAD })).toBe('success')
    const told = () => client.deltas('orders').filter(({ data }) => data?.tick === tick)
    const realtime = async (): Promise<Seen> => {
      await world.told()
      const { data } = await signed(world.apis[0], aliceKey, 'GET', 'order/realtime?symbol=BTC%2FUSDC')
      return data.find((order: Seen) => order.tick === tick)
    }
    /** Bob sells until the contract says that more of it is taken: the stream says the same. */
    const sellUntilTakenAbove = async (least: bigint): Promise<Seen> => {
      let order = await realtime()
      while (BigInt(order.taken) <= least) {
        expect(await trade(chain, bob, btc, -2n * WAD, 40_000n * WAD)).toBe('success')
        order = await realtime()
      }
      const seen = await client.until(() => told().find(({ data }) => data.taken === order.taken))
      expect(seen.data).toEqual(order)
      return seen
    }
    const first = await sellUntilTakenAbove(0n)
    expect(first.data).toMatchObject({ status: 'partial_filled', size: String(20n * WAD) })
    const second = await sellUntilTakenAbove(BigInt(first.data.taken))

    // A trade that a reorganisation takes back took nothing.
    const { rpc } = chain
    await rpc.call('evm_setIntervalMining', [0])
    await rpc.call('evm_setAutomine', [true])
    expect(await trade(chain, bob, btc, -WAD, 20_000n * WAD)).toBe('success')
    const third = await client.until(() => told().find(({ data }) => BigInt(data.taken) > BigInt(second.data.taken)))
    await rpc.call('anvil_reorg', [1, []])
    await rpc.call('evm_mine')
    await client.until(() => told().findLast(({ sequence }) => sequence > third.sequence))
    expect(told().at(-1).data).toEqual(second.data)
    await rpc.call('evm_setAutomine', [false])
    await rpc.call('evm_setIntervalMining', [1])

    expect(await cancel(chain, alice, btc, tick)).toBe('success')
    const closed = await client.until(() =>
      told().find(({ data }) => data.status !== 'open' && data.lastUpdateTxHash !== first.data.lastUpdateTxHash),
    )
    expect(closed.data).toMatchObject({ taken: second.data.taken, status: 'partial_filled' })
    expectGapless(begun.sequence, client.deltas('orders'))
    // Nothing is told twice.
    const texts = told().map(({ data }) => JSON.stringify(data))
    expect(texts.every((text, nth) => text !== texts[nth - 1])).toBe(true)
  })

  it('goes on at another process where it was cut, without a gap and nothing twice', async () => {
    const first = await world.connect(aliceKey)
    const begun = await first.follow('orders')
    expect(await place(world.chain, alice, btc, { tick: low - 50, size: WAD / 100n, margin: 500n * WAD })).toBe(
      'success',
    )
    const last = await first.until(() => first.deltas('orders').at(-1))
    first.socket.terminate()
    expect(await cancel(world.chain, alice, btc, low - 50)).toBe('success')
    expect(await place(world.chain, alice, btc, { tick: low - 60, size: WAD / 100n, margin: 500n * WAD })).toBe(
      'success',
    )
    const second = await world.connect(aliceKey, world.apis[1])
    expect(await second.follow('orders', last.sequence)).toMatchObject({ event: 'resumed', sequence: last.sequence })
    expect(await cancel(world.chain, alice, btc, low - 60)).toBe('success')
    await second.until(() =>
      second.deltas('orders').findLast(({ data }) => data.tick === low - 60 && data.status === 'canceled'),
    )
    const all = [...first.deltas('orders'), ...second.deltas('orders')]
    expectGapless(begun.sequence, all)
    expect(new Set(all.map(({ id }) => id)).size).toBe(all.length)
  })

  it('begins anew, and says so, where what it missed is no longer kept', async () => {
    const client = await world.connect(aliceKey)
    const begun = await client.follow('orders', 10 ** 9)
    expect(begun).toMatchObject({ event: 'snapshot', reason: 'too_old' })
    const { sequence } = begun
    expect(sequence).toBeGreaterThan(1)
    await world.database
      .sql`delete from outbox where channel like ${`%${alice.address.toLowerCase()}:orders`} and sequence <= 2`
    const later = await world.connect(aliceKey)
    expect(await later.follow('orders', 1)).toMatchObject({ event: 'snapshot', reason: 'too_old', sequence })
  })

  it('is corrected after a reorganisation by what follows', async () => {
    const { rpc } = world.chain
    const client = await world.connect(aliceKey)
    const begun = await client.follow('orders')
    await rpc.call('evm_setIntervalMining', [0])
    await rpc.call('evm_setAutomine', [true])
    expect(await place(world.chain, alice, btc, { tick: low - 70, size: WAD / 100n, margin: 500n * WAD })).toBe(
      'success',
    )
    const placed = await client.until(() => client.deltas('orders').find(({ data }) => data?.tick === low - 70))
    await rpc.call('anvil_reorg', [1, []])
    await rpc.call('evm_mine')
    const removed = await client.until(() => client.deltas('orders').find(({ event }) => event === 'order.removed'))
    expect(removed).toMatchObject({ key: placed.key, data: null })
    expectGapless(begun.sequence, client.deltas('orders'))
    await rpc.call('evm_setAutomine', [false])
    await rpc.call('evm_setIntervalMining', [1])
    const again = await world.connect(aliceKey)
    expect(keysOf(await again.follow('orders'))).not.toContain(placed.key)
  })

  it('was told nothing but what the reference says', () => {
    const changed = CHANNELS.filter((channel) => channel !== 'keptOrders').map((channel) => `${channel}Updated`)
    const begun = CHANNELS.map((channel) => `${channel}Snapshot`)
    expect([...world.messages()]).toEqual(
      expect.arrayContaining([...begun, ...changed, 'ordersResumed', 'ordersRemoved', 'ack', 'blockNumChanged']),
    )
  })

  it('ends when its key is deleted, and the other connections go on', async () => {
    const key = await world.keyOf(alice)
    const [ended, stays] = [await world.connect(key), await world.connect(aliceKey)]
    await ended.follow('orders')
    await stays.follow('orders')
    const closed = once(ended.socket, 'close')
    expect((await signed(world.apis[1], key, 'POST', 'api-key/delete', { apiKey: key.apiKey })).status).toBe(200)
    const [code, reason] = await closed
    expect([code, String(reason)]).toEqual([4003, 'key_ended'])
    expect(await stays.ask({ type: 'orders' }, 'UNSUBSCRIBE')).toBe('success')
    await vi.waitFor(async () => expect(await world.refused(signedHeaders(key))).toBe(401), WAIT)
  })
})
