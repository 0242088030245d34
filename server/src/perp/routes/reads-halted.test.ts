import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { instrumentAbi } from '../../chain/abi/instrument.ts'
import { testFeedAbi } from '../../chain/abi/test-feed.ts'
import type { SoundRequest } from '../../http/testing-statuses.ts'
import { arrangedReads } from '../testing/arranged-reads.ts'
import { ask, keyFor, openStatusDesk, operationOf, type StatusDesk } from '../testing/status-desk.ts'

// An instrument that takes nothing for a while is read as ever; what needs its price says that there is none.

/** Quotes where a size is named, and then needs a price as they do. */
const CONTEXT = 'GET /v4/public/market/getOnChainContext'
/** Quotes, for which the contracts need a price. */
const QUOTATIONS = [
  ...['inquire', 'inquireByTick', 'inquireByNotional'].map((name) => `GET /v4/public/market/${name}`),
  CONTEXT,
]

let desk: StatusDesk
let sound: ReadonlyMap<string, SoundRequest>
beforeAll(async () => {
  desk = await openStatusDesk()
  sound = await arrangedReads(desk)
}, 120_000)
afterAll(() => desk?.close())

function get(name: string, request = sound.get(name) ?? {}) {
  const route = operationOf(name)
  return ask(desk.api, route, request, keyFor(route, desk.user.key))
}

async function everyReadAnswers({ hasPrice }: { readonly hasPrice: boolean }): Promise<void> {
  await desk.indexed()
  for (const name of sound.keys()) {
    const { status, code, text } = await get(name)
    const isQuoted = !hasPrice && QUOTATIONS.includes(name)
    expect([name, status, code], text).toEqual([name, isQuoted ? 400 : 200, isQuoted ? 40003 : 0])
    if (isQuoted) expect(text).toContain('InvalidCexPrice (aggregator 0x')
  }
  const { signedSize, ...query } = sound.get(CONTEXT)?.query ?? {}
  expect([signedSize !== undefined, (await get(CONTEXT, { query })).code]).toEqual([true, 0])
}

async function position() {
  const { data } = await get('GET /v4/public/trader/position/list')
  return (data as readonly Readonly<Record<string, unknown>>[])[0]
}

/** What of a position follows from the mark. */
const OF_MARK = ['markPrice', 'unrealizedPnl', 'equity', 'leverage', 'maintenanceMargin']
const withoutMark = Object.fromEntries(OF_MARK.map((name) => [name, null]))

async function loseThePrice(): Promise<void> {
  const { chain } = desk.venue
  const past = [60_000n * 10n ** 8n, BigInt(Math.floor(Date.now() / 1000) - 100_000)] as const
  const feed = chain.contract('PerpFeedBTC')
  expect(await chain.send(chain.accounts.oracle, feed, testFeedAbi, 'setAt', past)).toBe('success')
}

describe('reads of an instrument', () => {
  it('frozen: all answer, and what a position owes no longer grows with time', async () => {
    const { chain } = desk.venue
    const before = await position()
    expect(await chain.send(chain.accounts.admin, desk.btc, instrumentAbi, 'freeze', [])).toBe('success')
    await everyReadAnswers({ hasPrice: true })
    const frozen = await position()
    for (const name of OF_MARK) expect(frozen?.[name]).toMatch(/^-?[1-9]\d+$/)
    expect(frozen).toMatchObject({ size: before?.size, balance: before?.balance })
    await desk.indexed()
    expect(await position()).toEqual(frozen)
  })

  it('frozen, and without a fresh price: all answer but quotations, and a position has what needs no price', async () => {
    const frozen = await position()
    await loseThePrice()
    await everyReadAnswers({ hasPrice: false })
    expect(await position()).toEqual({ ...frozen, ...withoutMark })
  })

  it('without a fresh price alone: the same', async () => {
    const { chain } = desk.venue
    expect(await chain.send(chain.accounts.admin, desk.btc, instrumentAbi, 'normalize', [])).toBe('success')
    await everyReadAnswers({ hasPrice: false })
    expect(await position()).toMatchObject(withoutMark)
  })
})
