import { once } from 'node:events'
import { createServer, type Server } from 'node:http'
import { Check } from 'typebox/value'
import { afterEach, beforeEach, describe, expect, it } from 'vitest'
import { createRpc, type Rpc } from '../../chain/rpc.ts'
import { WAD } from '../../lib/wad.ts'
import { positionSchema } from '../portfolio/positions.ts'
import { ScriptedNode, serveApi } from '../testing/api.ts'
import {
  AAPL,
  ALICE,
  BOB,
  closed,
  filled,
  limitFilled,
  MSFT,
  placed,
  placedLimit,
  published,
  randomHash,
  STOCK,
  stockDeposited,
  stockWithdrawalEnded,
  stockWithdrawalQueued,
  stockWithdrawn,
} from '../testing/chain.ts'
import { KeeperWorld } from '../testing/keeper.ts'

let world: KeeperWorld
let api: Awaited<ReturnType<typeof serveApi>>
beforeEach(async () => {
  world = await KeeperWorld.open()
  api = await serveApi({ ...world.venue, rpc: new ScriptedNode() })
})
afterEach(async () => {
  await api.close()
  await world.drop()
})

describe('GET /users/{userId}/positions', () => {
  async function positions(user: string = ALICE) {
    const { code, errMsg, data } = await api.get(`/users/${user}/positions`)
    expect([code, errMsg]).toEqual([200, ''])
    for (const position of data) expect(Check(positionSchema, position), JSON.stringify(position)).toBe(true)
    return data
  }

  /** A market buy that is filled at a price. */
  async function bought(quantity: bigint, price: bigint): Promise<void> {
    const orderId = randomHash()
    const fees = [WAD, WAD] as const
    await world.chain.emit(placed({ orderId, amount: 1000n * WAD }), filled({ orderId, quantity, price, fees }))
  }

  /** The market's last price of AAPL. */
  async function quoted(price8: bigint): Promise<void> {
    const price = price8.toString()
    await world.sql`delete from market_quotes`
    await world.sql`
      insert into market_quotes (symbol, price8, bid8, ask8, source_time, session, trade_date, open_price8, high_price8,
        low_price8, volume_counter_wad, volume_total_wad, volume_24h_wad)
      values ('AAPL', ${price}, ${price}, ${price}, to_timestamp(1700000000.9), 2, '2026-08-03', ${price}, ${price},
        ${price}, 0, 0, 0)`
    world.nowMs += 1000
  }

  it('is empty for who holds nothing, and refuses what is no wallet', async () => {
    expect(await positions()).toEqual([])
    await bought(WAD, WAD)
    expect(await positions(BOB)).toEqual([])
    expect(await api.get('/users/0x12/positions')).toMatchObject({
      status: 400,
      reason: 'request_invalid',
      errMsg: expect.stringMatching(/userId must be a wallet address/),
    })
  })

  it('has quantity, average price without fees, and profit at the last price', async () => {
    await bought(2n * WAD, 100n * WAD)
    await bought(WAD, 130n * WAD)
    await quoted(120_50000000n)
    const expected = {
      symbol: 'AAPL',
      contractAddress: AAPL,
      contractSymbol: 'aAAPL',
      quantity: '3',
      lockedQuantity: '0',
      avgPrice: 110,
      costBasis: '330',
      price: 120.5,
      lastUpdateTimestamp: 1_700_000_000,
      marketValue: '361.5',
      unrealizedPnl: '31.5',
    }
    expect(await positions()).toEqual([expected])
    expect(await positions(`%20${ALICE.toUpperCase().replace('0X', '0x')}`)).toEqual([expected])
  })

  it('keeps the average when a part is sold or withdrawn, and forgets it with the last share', async () => {
    await bought(4n * WAD, 100n * WAD)
    const orderId = randomHash()
    await world.chain.emit(placed({ orderId, amount: -WAD }), filled({ orderId, quantity: -WAD, price: 500n * WAD }))
    await world.chain.emit(stockWithdrawn(WAD))
    expect(await positions()).toMatchObject([{ quantity: '2', avgPrice: 100, costBasis: '200', unrealizedPnl: null }])
    await world.chain.emit(stockWithdrawn(2n * WAD))
    expect(await positions()).toEqual([])
    await bought(WAD, 7n * WAD)
    expect(await positions()).toMatchObject([{ quantity: '1', avgPrice: 7, costBasis: '7' }])
  })

  it('takes a deposit in at the price published then', async () => {
    await world.chain.emit(published('AAPL', 50_00000000n))
    await world.chain.emit(stockDeposited(3n * WAD))
    await world.chain.emit(published('AAPL', 70_00000000n))
    await quoted(80_00000000n)
    await bought(WAD, 90n * WAD)
    expect(await positions()).toMatchObject([
      { quantity: '4', avgPrice: 60, costBasis: '240', marketValue: '320', unrealizedPnl: '80' },
    ])
  })

  it('does not guess a cost: a deposit without a published price makes it unknown until nothing is left', async () => {
    await bought(WAD, 100n * WAD)
    await world.chain.emit(stockDeposited(WAD), published('AAPL', 80_00000000n))
    await quoted(80_00000000n)
    const unknown = { avgPrice: null, costBasis: null, unrealizedPnl: null }
    expect(await positions()).toMatchObject([{ ...unknown, quantity: '2', marketValue: '160', price: 80 }])
    await bought(WAD, 100n * WAD)
    expect(await positions()).toMatchObject([{ ...unknown, quantity: '3' }])
    await world.chain.emit(stockWithdrawn(3n * WAD), stockDeposited(WAD))
    expect(await positions()).toMatchObject([{ avgPrice: 80, costBasis: '80', unrealizedPnl: '0' }])
  })

  it('has locked what open sell orders still hold, of each stock', async () => {
    await world.chain.emit(stockDeposited(5n * WAD), stockDeposited(WAD, ALICE, MSFT), stockDeposited(9n * WAD, BOB))
    const [market, limit, other] = [randomHash(), randomHash(), randomHash()]
    await world.chain.emit(
      placed({ orderId: market, amount: -WAD }),
      placedLimit({ orderId: limit, quantity: -2n * WAD, price: WAD }),
      placedLimit({ orderId: other, user: BOB, quantity: -2n * WAD, price: WAD }),
      placedLimit({ orderId: randomHash(), quantity: 4n * WAD, price: WAD }),
    )
    const quantities = async () => {
      const held = await positions()
      return held.map((one: Record<string, string>) => [one.symbol, one.quantity, one.lockedQuantity])
    }
    expect(await quantities()).toEqual([
      ['AAPL', '5', '3'],
      ['MSFT', '1', '0'],
    ])
    await world.chain.emit(
      limitFilled({ orderId: limit, quantity: -WAD / 2n, price: WAD }),
      closed(market, 'takenBack'),
    )
    expect(await quantities()).toEqual([
      ['AAPL', '4.5', '1.5'],
      ['MSFT', '1', '0'],
    ])
    await world.chain.undo(1)
    expect((await quantities())[0]).toEqual(['AAPL', '5', '3'])
  })

  it('has locked what waits to be withdrawn, until it is paid or taken back', async () => {
    await world.chain.emit(stockDeposited(5n * WAD), stockDeposited(2n * WAD, BOB))
    await world.chain.emit(placed({ orderId: randomHash(), amount: -WAD }))
    const [paid, takenBack] = [randomHash(), randomHash()]
    const shown = async () => {
      const [held] = await positions()
      return [held.quantity, held.lockedQuantity]
    }
    await world.chain.emit(
      stockWithdrawalQueued(paid, WAD),
      stockWithdrawalQueued(takenBack, 3n * WAD),
      stockWithdrawalQueued(randomHash(), 2n * WAD, BOB),
    )
    expect(await shown()).toEqual(['5', '5'])
    await world.chain.emit(stockWithdrawalEnded(takenBack, 'TakenBack', 3n * WAD))
    expect(await shown()).toEqual(['5', '2'])
    await world.chain.emit(stockWithdrawalEnded(paid, 'Settled', WAD))
    expect(await shown()).toEqual(['4', '1'])
  })

  it('prints amounts digit for digit, and rounds the average alone', async () => {
    await bought(3n, 1n)
    await bought(39_614_081_257_132_168_796_771_975_167n, 333_333_333_333_333_333n)
    await quoted(1n)
    const { text } = await api.get(`/users/${ALICE}/positions`)
    const [position] = await positions()
    const cost = 3n + 39_614_081_257_132_168_796_771_975_167n * 333_333_333_333_333_333n
    expect(position.quantity).toBe('39614081257.13216879677197517')
    expect(position.costBasis.replace('.', '')).toBe(cost.toString())
    expect(position.marketValue).toBe('396.1408125713216879677197517')
    expect(text).toContain('"avgPrice":0.33333333,')
    expect(text).toContain('"price":0.00000001,')
    await world.chain.emit(stockWithdrawn(1n))
    expect((await positions())[0].costBasis).toMatch(/^13204693752\.\d{1,36}$/)
  })
})

describe('GET /users/{userId}/balance from a node', () => {
  const path = `/users/${ALICE}/balance?spenderAddress=${STOCK}`

  async function failsWith(rpc: Rpc): Promise<void> {
    const { post: _, ...served } = await serveApi({ ...world.venue, rpc })
    const answer = await served.get(path)
    await served.close()
    expect(answer).toMatchObject({ status: 400, code: 10_003, reason: 'chain_unreachable', data: null })
    expect(answer.errMsg).toMatch(/balances cannot be read/)
  }

  /** A node over HTTP that does with a request what a test says. */
  async function withNode(answer: Parameters<typeof createServer>[1], work: (rpc: Rpc) => Promise<void>) {
    const server: Server = createServer(answer as never).listen(0, '127.0.0.1')
    await once(server, 'listening')
    const { port } = server.address() as { port: number }
    try {
      await work(createRpc({ url: `http://127.0.0.1:${port}`, timeoutMs: 300 }))
    } finally {
      server.closeAllConnections()
      server.close()
    }
  }

  it('that never answers is a clear failure', () => withNode(() => {}, failsWith))

  it('that answers errors, rubbish or nothing at an address is one too', async () => {
    const bodies = ['rubbish', '{"jsonrpc":"2.0","id":0,"error":{"code":-32000,"message":"header not found"}}', '{}']
    for (const body of bodies) await withNode((_request, response) => response.end(body), failsWith)
    const empty = new ScriptedNode()
    empty.answerRaw('balanceWad', '0x')
    await failsWith(empty)
  })

  it('that loses one answer of many is one too: a missing figure is no zero', async () => {
    await withNode(async (request, response) => {
      const chunks: Buffer[] = []
      for await (const chunk of request) chunks.push(chunk as Buffer)
      const calls = JSON.parse(Buffer.concat(chunks).toString())
      if (!Array.isArray(calls)) return response.end('{"jsonrpc":"2.0","id":0,"result":"0x10"}')
      const answers = calls.slice(1).map(({ id }) => ({ jsonrpc: '2.0', id, result: `0x${'0'.repeat(64)}` }))
      return response.end(JSON.stringify(answers))
    }, failsWith)
  })
})
