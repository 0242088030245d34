import { describe, expect, it } from 'vitest'
import {
  createClient,
  getMarketList,
  getPositions,
  getTickers,
  placeMarketOrder,
  SendUnconfirmed,
  submitTransaction,
  Unauthenticated,
} from '../src/perp/index.ts'
import { type Fate, fakeClock, type Got, hostile } from './hostile.ts'

const NOW = 1_700_000_000_000
const order = {
  instrument: 'BTC/USDC',
  expiry: 4_294_967_295,
  size: '1',
  side: 2,
  leverage: '5',
  slippageBps: 50,
} as const

const answer = (data: unknown, headers = {}): Response =>
  new Response(JSON.stringify({ code: 0, msg: '', data, requestId: 'r' }), { headers })
const refusal = (status: number, code: number, headers = {}): Response =>
  new Response(JSON.stringify({ code, msg: 'no', data: {}, requestId: 'r' }), { status, headers })

function venue(...fates: ((got: Got) => Fate)[]) {
  const { transport, got } = hostile(...fates)
  const { clock } = fakeClock(NOW)
  const signer = { apiKey: 'k', secret: 's' }
  return { client: createClient({ baseUrl: 'http://x', chainId: 7, signer, transport, clock }), got }
}

describe('a client of the perpetual API', () => {
  it('never signs the same twice: two equal orders at one moment are two', async () => {
    const { client, got } = venue(() => answer({}))
    await Promise.all([1, 2, 3].map(() => placeMarketOrder(client, order)))
    expect(new Set(got.map(({ headers }) => headers['x-api-ts'])).size).toBe(3)
    expect(new Set(got.map(({ headers }) => headers['x-api-sign'])).size).toBe(3)
    expect(new Set(got.map(({ headers }) => headers['idempotency-key'])).size).toBe(3)
  })

  it.each([60_000, -60_000])('corrects a clock that is %i ms off by the header Date', async (ms) => {
    const date = new Date(NOW + ms).toUTCString()
    const isRight = (got: Got) => Math.abs(Number(got.headers['x-api-ts']) - NOW - ms) < 30_000
    const { client, got } = venue((one) => (isRight(one) ? answer([]) : refusal(401, 40101, { date })))
    await getPositions(client)
    await getPositions(client)
    expect(got).toHaveLength(3)
  })

  it('does not take another second of the header for another clock', async () => {
    const date = new Date(NOW).toUTCString()
    const { client, got } = venue(() => refusal(401, 40101, { date }))
    await expect(getPositions(client)).rejects.toThrow(Unauthenticated)
    expect([got.length, client.state.offsetMs]).toEqual([2, 0])
  })

  it('submits a signed transaction once, and says when the venue does not know what became of it', async () => {
    const { client, got } = venue(() => refusal(500, 50001, { 'x-error-reason': 'transaction_unknown' }))
    await expect(submitTransaction(client, { signedTransaction: '0x01' })).rejects.toThrow(SendUnconfirmed)
    expect(got).toHaveLength(1)
  })

  const cutOff = () => refusal(400, 40004, { 'x-error-reason': 'first_answer_unknown' })

  it('signs a send anew under its key when what a browser sent twice was cut off the first time', async () => {
    const { client, got } = venue(cutOff, () => answer({ status: 'Confirmed' }))
    expect(await placeMarketOrder(client, order)).toEqual({ status: 'Confirmed' })
    expect(new Set(got.map(({ headers }) => headers['x-api-sign'])).size).toBe(2)
    expect(new Set(got.map(({ headers }) => headers['idempotency-key'])).size).toBe(1)
  })

  it('does not know what became of a write without a key that was cut off, and makes it once', async () => {
    const { client, got } = venue(cutOff)
    await expect(submitTransaction(client, { signedTransaction: '0x01' })).rejects.toThrow(SendUnconfirmed)
    expect(got).toHaveLength(1)
  })

  it('tells the block of an answer, and signs nothing that is public', async () => {
    const blockInfo = { height: 5, timestamp: 6 }
    const text = JSON.stringify({ code: 0, msg: '', data: [], requestId: 'r', blockInfo })
    const { client, got } = venue(() => new Response(text))
    let block: unknown
    await getMarketList(
      client,
      {},
      {
        onAnswer(info) {
          block = info.block
        },
      },
    )
    expect(block).toEqual(blockInfo)
    expect(Object.keys(got[0]?.headers ?? {})).toEqual([])
  })

  it('asks for open market data with its key, and without one where it has none', async () => {
    const { client, got } = venue(() => answer([]))
    await getTickers(client)
    const { signer: _signer, ...rest } = client.options
    await getTickers(createClient(rest))
    expect(got.map(({ headers }) => 'x-api-sign' in headers)).toEqual([true, false])
  })
})
