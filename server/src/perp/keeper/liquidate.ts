import { type Abi, decodeFunctionResult, encodeFunctionData } from 'viem'
import { gateAbi } from '../../chain/abi/gate.ts'
import { instrumentAbi } from '../../chain/abi/instrument.ts'
import { contractAddress } from '../../chain/deployment.ts'
import { type ContractRead, readContracts } from '../../chain/read.ts'
import type { Hex } from '../../chain/types.ts'
import type { Venue } from '../../http/product.ts'
import { accountSubject, type Chore, type Chores } from './chores.ts'
import { type CostOf, gasCosts } from './earnings.ts'
import { abs, equityAt, isBelowMaintenance, marginAt, pricePnl, realisedBalance, sqrtToPrice } from './health.ts'
import { tradeWords } from './packed.ts'
import type { Holder, Pair, Survey } from './survey.ts'

/** More margin is brought than the chain asks for, in this part of it: a price may move until the transaction is mined. */
const MARGIN_RESERVE_PART = 50n
/** What two ticks are of a price, in millionths: the closing price is counted on as this much worse. */
const TWO_TICKS_PPM = 200n
const PPM = 1_000_000n

/** An account of a pair below its maintenance margin. */
export interface Unsafe {
  readonly pair: Pair
  readonly holder: Holder
}

export const unsafeSubject = ({ pair, holder }: Unsafe): string => accountSubject('position', pair, holder.account)

/** The state of a position by which it is told from what it was before a part of it was closed. */
export const positionState = ({ holder: { position } }: Unsafe): string =>
  `${position.size}:${position.balance}:${position.entryNotional}:${position.entryFundingIndex}`

/** The accounts of a pair that anybody may liquidate, those with the least left of their value first. */
export function unsafeAccounts(pair: Pair): readonly Unsafe[] {
  const { instrument, indices, markWad, holders } = pair
  if (markWad === null) return []
  const ratio = instrument.maintenanceMarginRatio
  const left = ({ holder: { position } }: Unsafe) => equityAt(position, indices, markWad)
  return holders
    .filter(({ position }) => isBelowMaintenance(position, indices, markWad, ratio))
    .map((holder) => ({ pair, holder }))
    .sort((a, b) => (left(a) < left(b) ? -1 : 1))
}

/**
 * Takes over at the mark what it can close again at a profit in the same transaction, with money that the keeper's account has at Gate;
 * without any there, nothing. The closing trade has a limit, so that nobody who comes between makes the keeper pay. Resolves to the
 * subjects that it has taken on.
 */
export async function takeOver(
  venue: Venue,
  surveyed: Survey,
  chores: Chores,
  {
    sender,
    nativeBase,
    unsafe,
  }: { readonly sender: Hex; readonly nativeBase: string; readonly unsafe: readonly Unsafe[] },
): Promise<ReadonlySet<string>> {
  const taken = new Set<string>()
  if (unsafe.length === 0) return taken
  const freeOf = await reserves(venue, surveyed, sender)
  const costOf = await gasCosts(venue, surveyed, sender, nativeBase)
  for (const one of unsafe) {
    const quote = one.pair.instrument.quote
    const offer = await offerFor(venue, one)
    const freeWad = freeOf.get(quote.address) ?? 0n
    if (!offer || offer.amountWad > freeWad) continue
    const chore = takeOverChore(one, offer)
    const [passes] = await chores.simulate(venue, sender, [chore])
    if (passes === null || !(await pays(one.pair, chore, offer, costOf))) continue
    freeOf.set(quote.address, freeWad - offer.amountWad)
    await chores.send(venue, chore)
    taken.add(chore.subject)
  }
  return taken
}

/** What taking an account over and closing it at once takes and gives; WAD. */
interface Offer {
  readonly amountWad: bigint
  readonly profitWad: bigint
  readonly limitTick: number
}

interface Quotation {
  readonly fee: bigint
  readonly sqrtPostFairPX96: bigint
  readonly postTick: number
}

/** Null where the account has nothing left, or the pair gives no price for all of it. */
async function offerFor(venue: Venue, { pair, holder: { position } }: Unsafe): Promise<Offer | null> {
  const { instrument, indices } = pair
  const markWad = pair.markWad as bigint
  if (equityAt(position, indices, markWad) <= 0n) return null
  const quotation = await quote(venue, pair, -position.size)
  if (!quotation) return null
  const long = position.size > 0n
  const balance = realisedBalance(position, indices)
  // The last price of the trade, where its average is better: worse is not counted on, nor accepted.
  const price = sqrtToPrice(quotation.sqrtPostFairPX96)
  const worst = long ? price - (price * TWO_TICKS_PPM) / PPM : price + (price * TWO_TICKS_PPM) / PPM
  const loss = pricePnl(position, markWad)
  const needed = marginAt(position, markWad, instrument.initialMarginRatio) - balance - (loss < 0n ? loss : 0n)
  return {
    amountWad: needed <= 0n ? 0n : needed + needed / MARGIN_RESERVE_PART,
    profitWad: balance + pricePnl(position, worst) - quotation.fee,
    limitTick: long ? quotation.postTick : quotation.postTick + 1,
  }
}

async function quote({ rpc }: Venue, { instrument, expiry }: Pair, size: bigint): Promise<Quotation | null> {
  const data = encodeFunctionData({ abi: instrumentAbi, functionName: 'inquire', args: [expiry, size] })
  const params = [{ to: instrument.address, data }, 'latest']
  const [outcome] = await rpc.outcomes<Hex>([{ method: 'eth_call', params }])
  if (!outcome?.ok) return null
  return decodeFunctionResult({ abi: instrumentAbi, functionName: 'inquire', data: outcome.value })
}

async function pays(pair: Pair, chore: Chore, { profitWad }: Offer, costOf: CostOf): Promise<boolean> {
  if (profitWad <= 0n) return false
  const costWad = await costOf(pair, chore)
  return costWad !== null && profitWad > costWad
}

function takeOverChore(one: Unsafe, { amountWad, limitTick }: Offer): Chore {
  const { pair, holder } = one
  const { instrument, expiry } = pair
  const { size } = holder.position
  const calls = [
    encodeFunctionData({
      ...{ abi: instrumentAbi, functionName: 'liquidate', args: [expiry, holder.account, size, amountWad] },
    }),
    encodeFunctionData({ abi: instrumentAbi, functionName: 'trade', args: [tradeWords(expiry, limitTick, -size)] }),
  ]
  const data = encodeFunctionData({ abi: instrumentAbi, functionName: 'multicall', args: [calls] })
  return { subject: unsafeSubject(one), state: `over:${positionState(one)}`, to: instrument.address, data }
}

/** What the account has free at Gate, by quote; WAD. */
async function reserves({ rpc, deployment }: Venue, { pairs, blockNumber }: Survey, account: Hex) {
  const quotes = new Map(pairs.map(({ instrument: { quote } }) => [quote.address, quote]))
  const reads = [...quotes.keys()].map((token): ContractRead => {
    const address = contractAddress(deployment, 'Gate')
    return { address, abi: gateAbi as Abi, functionName: 'reserveOf', args: [token, account] }
  })
  const { results } = await readContracts(rpc, reads, blockNumber)
  const unit = ({ decimals }: { decimals: number }) => 10n ** BigInt(18 - decimals)
  return new Map([...quotes].map(([token, quote], index) => [token, (results[index] as bigint) * unit(quote)]))
}

/** A part of a position, in the sign of its size: after no halving all of it, after one the half. */
export const partOf = (size: bigint, halvings: number): bigint =>
  (size < 0n ? -1n : 1n) * (abs(size) >> BigInt(halvings))
