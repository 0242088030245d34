import { QuotationWithSize, TradeInput } from '@synfutures/perpv3-ts/actions'
import { type PairSnapshot, Position, type Side } from '@synfutures/perpv3-ts/types'
import { decodeFunctionData, maxUint256 } from 'viem'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { instrumentAbi } from '../../chain/abi/instrument.ts'
import type { Hex } from '../../chain/types.ts'
import { formatUnits } from '../../lib/decimal.ts'
import { WAD } from '../../lib/wad.ts'
import { tradeWords } from '../calldata/words.ts'
import { PERPETUAL_EXPIRY } from '../listing/catalogue.ts'
import { type PerpApi, servePerp } from '../testing/api.ts'
import { CHAIN_ID, PerpChain } from '../testing/chain.ts'
import { atOneBlock, chainClient, sdkSetting } from '../testing/sdk.ts'
import { Wallet } from '../testing/wallet.ts'

// What the venue builds and foretells against what the published client makes of the same block.

let chain: PerpChain
let api: PerpApi
let btc: Hex
let alice: Wallet
beforeAll(async () => {
  chain = await PerpChain.start()
  api = await servePerp(chain)
  btc = await chain.instrument('BTC/USDC')
  const [first] = chain.accounts.users
  if (!first) throw new Error('there is no account')
  alice = new Wallet(chain, first)
  const { quote } = await chain.readInstrument<{ quote: Hex }>(btc, 'getSetting', [])
  await alice.approve(quote, chain.contract('Gate'), maxUint256)
})
afterAll(async () => {
  await api?.close()
  await chain?.stop()
})

const pair = { instrument: 'BTC/USDC', expiry: PERPETUAL_EXPIRY }
const TOLERANCE_WEI = 2n

function expectNear(actual: string, foretold: bigint, what: string): void {
  const gap = BigInt(actual) - foretold
  if (gap > TOLERANCE_WEI || gap < -TOLERANCE_WEI) expect(actual, what).toBe(String(foretold))
}

/** Sizes that open, grow, reduce, turn and close a position. */
const TRADES: readonly (readonly [what: string, sizeWad: bigint, leverage: bigint, slippageBps: number])[] = [
  ['opens a long', 20n * (WAD / 100n), 5n * WAD, 50],
  ['grows it at another leverage', 5n * (WAD / 100n), 3n * WAD, 100],
  ['grows it at the greatest leverage', 5n * (WAD / 100n), 10n * WAD, 10],
  ['reduces it', -7n * (WAD / 100n), 4n * WAD, 50],
  ['turns it', -60n * (WAD / 100n), 8n * WAD, 50],
  ['grows the short', -(WAD / 10n), 2n * WAD, 500],
  ['closes the short', 47n * (WAD / 100n), 5n * WAD, 50],
]

describe('a market order as the published client makes it', () => {
  it.each(TRADES)('%s', async (_, size, leverage, slippageBps) => {
    const side = size > 0n ? 2 : 1
    const params = {
      ...pair,
      size: formatUnits(size > 0n ? size : -size, 18),
      side,
      leverage: formatUnits(leverage, 18),
      slippageBps,
    }
    const { answer, snapshot } = await atOneBlock(chain, async () => ({
      answer: await api.post('order/build', { action: 'market', params }, alice.address),
      snapshot: await chainClient(chain.anvil.rpcUrl, CHAIN_ID, chain.contract('Observer'), btc).getSnapshot(
        alice.address,
        size,
      ),
    }))
    expect([answer.msg, answer.blockInfo?.height]).toEqual(['', snapshot.blockInfo.height])
    const [param, { postPosition }, quoted] = foretoldBySdk(snapshot, size, leverage, slippageBps)
    const { amount, limitTick: tick, deadline: deadlineSec } = param
    const { transaction, simulation } = answer.data
    const { functionName, args } = decodeFunctionData({ abi: instrumentAbi, data: transaction.data })
    expect(functionName).toBe('trade')
    expect(args).toEqual([tradeWords({ expiry: PERPETUAL_EXPIRY, deadlineSec, tick, amount, size })])

    expect(simulation).toMatchObject({
      price: String(quoted.tradePrice),
      notional: String(quoted.tradeValue),
      fee: String(quoted.tradingFee),
      amount: String(amount),
      markPrice: String(snapshot.priceData.markPrice),
    })
    expectNear(simulation.priceImpact, quoted.priceImpact, 'price impact')
    const amm = snapshot.updateAmmFundingIndex()
    const isFlat = postPosition.size === 0n
    expectNear(simulation.after.margin, isFlat ? 0n : postPosition.balance, 'margin')
    expectNear(simulation.after.leverage, postPosition.leverage(amm, snapshot.priceData.markPrice), 'leverage')
    const { maintenanceMarginRatio } = snapshot.instrumentSetting
    expectNear(
      simulation.after.liquidationPrice,
      postPosition.liquidationPrice(amm, maintenanceMarginRatio),
      'liquidation price',
    )
    const before = Position.ensureInstance(snapshot.portfolio.position)
    expectNear(simulation.before.liquidationPrice, before.liquidationPrice(amm, maintenanceMarginRatio), 'before')
    expectNear(simulation.before.leverage, before.leverage(amm, snapshot.priceData.markPrice), 'leverage before')

    const sent = await api.post('order/submit', { signedTransaction: await alice.sign(transaction) }, alice.address)
    await alice.mined(sent.data.txHash)
  })
})

function foretoldBySdk(snapshot: PairSnapshot, size: bigint, leverage: bigint, slippageBps: number) {
  const { quotation } = snapshot
  if (!quotation) throw new Error('no quotation')
  const quoted = new QuotationWithSize(size, quotation)
  const side = (size > 0n ? 2 : 1) as Side
  const input = new TradeInput(alice.address, size > 0n ? size : -size, side)
  const [param, simulation] = input.simulate(snapshot, quoted, sdkSetting({ leverage, slippageBps }))
  return [param, simulation, quoted] as const
}
