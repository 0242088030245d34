import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { observerAbi } from '../../chain/abi/observer.ts'
import type { DevelopmentAccount } from '../../chain/embedded/accounts.ts'
import { readHead } from '../../chain/node-head.ts'
import { contractRead, readContracts } from '../../chain/read.ts'
import type { Hex } from '../../chain/types.ts'
import type { BlockInfo } from '../../http/product.ts'
import { createRandom } from '../../lib/testing-random.ts'
import { WAD } from '../../lib/wad.ts'
import { PERPETUAL_EXPIRY } from '../listing/catalogue.ts'
import { tickToPrice } from '../maths/tick.ts'
import { CHAIN_ID, PerpChain } from '../testing/chain.ts'
import { chainClient } from '../testing/sdk.ts'
import { addRange, approveGate, place, setFeed, trade } from '../testing/trader.ts'
import { bookRatios, bookReach, bookWidths, type Depth, type Level, orderBook, stepOf } from './order-book.ts'
import { readDepth } from './pair-reader.ts'

const INITIAL_MARGIN_RATIO = 1000
const RATIOS = bookRatios(INITIAL_MARGIN_RATIO)

let chain: PerpChain
let btc: Hex
let users: readonly DevelopmentAccount[]
beforeAll(async () => {
  chain = await PerpChain.start()
  btc = await chain.instrument('BTC/USDC')
  users = chain.accounts.users.slice(0, 4)
  await setFeed(chain, 'BTC', 60_000n * 10n ** 8n)
  for (const user of users) expect(await approveGate(chain, user, btc)).toBe('success')
})
afterAll(() => chain?.stop())

const observer = () => chain.contract('Observer')
const sizeRead = (tick: number) =>
  contractRead({ address: observer(), abi: observerAbi }, 'getBaseSizeByTick', btc, PERPETUAL_EXPIRY, tick)

async function readNow(): Promise<{ block: BlockInfo; depth: Depth }> {
  const block = await readHead(chain.rpc)
  const pair = { instrument: btc, expiry: PERPETUAL_EXPIRY }
  return {
    block,
    depth: await readDepth(chain.rpc, observer(), pair, bookReach(bookWidths(INITIAL_MARGIN_RATIO)), block),
  }
}

type SdkLevel = Omit<Level, 'baseSize'> & { readonly baseQuantity: bigint }
type SdkBook = Readonly<Record<string, { readonly bids: readonly SdkLevel[]; readonly asks: readonly SdkLevel[] }>>

/** How far from the price the published client reads for each ratio, in ticks; a level beyond is cut short there. */
const SDK_REACH: Readonly<Record<number, number>> = { 1: 20, 10: 110, 100: 1050, 200: 1990 }

/** Every level that the published client reads whole is the same here, to the last digit. */
async function expectLikeSdk({ block, depth }: { block: BlockInfo; depth: Depth }): Promise<void> {
  const client = chainClient(chain.anvil.rpcUrl, CHAIN_ID, observer(), btc)
  const sdk = (await client.getOrderBook(undefined, { blockNumber: block.height })) as unknown as SdkBook
  expect(Object.keys(sdk).map(Number)).toEqual(RATIOS)
  for (const ratio of RATIOS) {
    const isWhole = ({ tick }: { tick: number }) => Math.abs(tick - depth.tick) < (SDK_REACH[ratio] as number)
    const book = orderBook(depth, stepOf(ratio))
    for (const side of ['bids', 'asks'] as const) {
      const theirs = (sdk[ratio]?.[side] ?? []).filter(isWhole)
      const ours = book[side].filter(isWhole).slice(0, theirs.length)
      expect(ours.length, `${side} at ${ratio}`).toBeGreaterThanOrEqual(ratio === 100 || ratio === 200 ? 8 : 10)
      expect(ours, `${side} at ${ratio}, tick ${depth.tick}`).toEqual(
        theirs.map(({ baseQuantity, ...level }) => ({ ...level, baseSize: baseQuantity })),
      )
    }
  }
}

/**
 * The sum of a level is the size that moves the price onto its tick, as the contracts reckon it: rounding up where the book rounds
 * down, a wei at each stretch. A sell to a tick stops before what rests there.
 */
async function expectLikeChain({ block, depth }: { block: BlockInfo; depth: Depth }): Promise<void> {
  for (const ratio of RATIOS) {
    const { bids, asks } = orderBook(depth, stepOf(ratio))
    const levels = [...bids, ...asks]
    expect(levels).toHaveLength(20)
    const reads = levels.map(({ tick }) => sizeRead(tick))
    const sizes = await readContracts(chain.rpc, reads, block.height)
    for (const [nth, { tick, baseSum }] of levels.entries()) {
      const left = depth.pearls.find((pearl) => pearl.tick === tick)?.left ?? 0n
      const size = sizes[nth] as bigint
      const expected = size > 0n ? size : -size + (left > 0n ? left : 0n)
      const off = baseSum > expected ? baseSum - expected : expected - baseSum
      expect(off, `ratio ${ratio}, tick ${tick}: ${baseSum} for ${expected}`).toBeLessThanOrEqual(500n)
    }
  }
}

describe('the order book of a pair', () => {
  it('is that of the published client and of the contracts when the curve stands alone', async () => {
    const now = await readNow()
    await expectLikeSdk(now)
    await expectLikeChain(now)
    const { bids, asks } = orderBook(now.depth, 1)
    expect(bids[0]?.tick).toBe(now.depth.tick - 1)
    expect(asks[0]?.tick).toBe(now.depth.tick + 1)
    expect(asks[0]?.price).toBe(tickToPrice(now.depth.tick + 1))
  })

  it('stays so while users place orders, add liquidity and trade', async () => {
    const random = createRandom(7)
    const pick = (from: number, to: number) => from + random.below(to - from + 1)
    let done = 0
    for (let step = 0; step < 24; step++) {
      const user = users[step % users.length] as DevelopmentAccount
      const { depth } = await readNow()
      const value = BigInt(pick(1_000, 40_000)) * WAD
      const isBuy = random.below(2) === 0
      if (step % 12 === 3) await addRange(chain, user, btc, 50_000n * WAD, pick(960, 1500))
      else if (step % 3 === 0) {
        const size = (value * WAD) / tickToPrice(depth.tick)
        if ((await trade(chain, user, btc, isBuy ? size : -size, value / 2n)) === 'success') done++
      } else {
        const tick = isBuy ? depth.tick - pick(1, 60) : depth.tick + pick(1, 60)
        const size = ((isBuy ? value : -value) * WAD) / tickToPrice(tick)
        if ((await place(chain, user, btc, { tick, size, margin: value / 4n })) === 'success') done++
      }
      if (step % 4 !== 3) continue
      const now = await readNow()
      await expectLikeSdk(now)
      await expectLikeChain(now)
    }
    expect(done).toBeGreaterThan(15)
    expect((await readNow()).depth.pearls.filter(({ left }) => left !== 0n).length).toBeGreaterThan(5)
  })

  it('passes through the end of a range in which the price stands', async () => {
    const [user] = users as [DevelopmentAccount]
    const { depth } = await readNow()
    const end = depth.pearls.findLast(({ tick, liquidityNet }) => tick < depth.tick - 900 && liquidityNet > 0n)
    if (!end) throw new Error('no range ends below the price')
    await setFeed(chain, 'BTC', tickToPrice(end.tick) / 10n ** 10n)
    const size = await chain.read(sizeRead(end.tick))
    expect(await trade(chain, user, btc, size, 900_000n * WAD)).toBe('success')
    const now = await readNow()
    expect(now.depth.tick).toBe(end.tick)
    await expectLikeChain(now)
  })
})
