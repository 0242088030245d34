import { decodeFunctionResult, encodeFunctionData, numberToHex } from 'viem'
import { instrumentAbi } from '../../chain/abi/instrument.ts'
import { linkMarketAbi } from '../../chain/abi/link-market.ts'
import { contractAddress } from '../../chain/deployment.ts'
import { chainProfile } from '../../chain/profiles.ts'
import { contractRead, readContracts } from '../../chain/read.ts'
import { classifySimulation } from '../../chain/send/classify.ts'
import type { Hex } from '../../chain/types.ts'
import type { Venue } from '../../http/product.ts'
import { orderKeyOf } from '../calldata/words.ts'
import { type Instruments, instrumentsOf, type ListedInstrument, PERPETUAL_EXPIRY } from '../listing/catalogue.ts'
import { STATUS } from '../listing/states.ts'
import { accruedIndices } from '../maths/funding.ts'
import type { Position, SideIndices } from '../maths/position.ts'
import { AccountBook } from './account-book.ts'
import { recordedHolders } from './recorded-holders.ts'

/** A market that closes counts this much of a longer silence (docs/decisions/perp-closed-markets.md). */
const MOST_FUNDING_SILENCE_SEC = 3600
const CLOSING_MARKET = 'EMG'
const TICK_BITS = 24

/** `Amm` of the contract, as far as the keeper looks at it. */
export interface Amm extends SideIndices {
  readonly timestamp: number
  readonly status: number
  readonly tick: number
  readonly sqrtPX96: bigint
  readonly totalLong: bigint
  readonly totalShort: bigint
  readonly settlementPrice: bigint
}

export interface OpenOrder {
  readonly tick: number
  readonly nonce: number
  readonly balance: bigint
  readonly size: bigint
  /** What would be filled of it if it ended now, in the sign of its size. */
  readonly taken: bigint
}

export interface OpenRange {
  readonly tickLower: number
  readonly tickUpper: number
  readonly balance: bigint
  /** Tells it from an earlier one between the same ticks. */
  readonly sqrtEntryPX96: bigint
}

/** An account that holds something in a pair. */
export interface Holder {
  readonly account: Hex
  readonly position: Position
  readonly orders: readonly OpenOrder[]
  readonly ranges: readonly OpenRange[]
}

/** A pair at the survey's block. */
export interface Pair {
  readonly instrument: ListedInstrument
  readonly expiry: number
  readonly amm: Amm
  /** Null while its market refuses the price: no action but `settle` of a settled pair is possible. */
  readonly markWad: bigint | null
  /** Indices with funding up to the block's time. */
  readonly indices: SideIndices
  readonly holders: readonly Holder[]
}

/** Every pair of the venue with everybody who holds something in it, all at one block. */
export interface Survey {
  readonly blockNumber: bigint
  readonly nowSec: number
  readonly pairs: readonly Pair[]
}

interface Portfolio {
  readonly oids: readonly number[]
  readonly rids: readonly number[]
  readonly position: Position
  readonly orders: readonly { readonly balance: bigint; readonly size: bigint }[]
  readonly ranges: readonly { readonly balance: bigint; readonly sqrtEntryPX96: bigint }[]
  readonly ordersTaken: readonly bigint[]
}

/** Returns the function that reads the venue at the node's head; tasks that look at one block share one reading. */
export function openSurvey(): (venue: Venue) => Promise<Survey> {
  let book: AccountBook | undefined
  let instruments: (() => Promise<Instruments>) | undefined
  let current: { readonly head: Hex; readonly survey: Promise<Survey> } | null = null
  return async (venue) => {
    const { rpc, deployment } = venue
    book ??= new AccountBook(rpc, deployment.startBlock, chainProfile(deployment.chainId).logsRangeBlocks)
    instruments ??= instrumentsOf(rpc, contractAddress(deployment, 'Gate'))
    const head = await rpc.call<Hex>('eth_blockNumber')
    if (current?.head !== head) current = { head, survey: readSurvey(venue, book, instruments) }
    const { survey } = current
    survey.catch(() => {
      current = null
    })
    return survey
  }
}

/** Reads every pair and holder at one block. Throws `RpcError`. */
async function readSurvey(venue: Venue, book: AccountBook, instruments: () => Promise<Instruments>): Promise<Survey> {
  const { rpc, deployment } = venue
  const { block, list } = await instruments()
  const nowSec = Number(block.timestampSec)
  if (!book.hasBegun) book.begin(await recordedHolders(venue.sql, deployment.chainId))
  await book.follow(
    list.map(({ address }) => address),
    block.height,
  )
  const expiries = await readContracts(
    rpc,
    list.map((instrument) => contractRead(contractOf(instrument), 'getExpiries')),
    block.height,
  )
  const places = list.flatMap((instrument, index) =>
    (expiries[index] ?? []).map((expiry) => ({ instrument, expiry: Number(expiry) })),
  )
  const amms = await readContracts(
    rpc,
    places.map(({ instrument, expiry }) => contractRead(contractOf(instrument), 'getAmm', expiry)),
    block.height,
  )
  const marks = await readMarks(venue, places, amms, block.height)
  const pairs: Pair[] = []
  for (const [index, { instrument, expiry }] of places.entries()) {
    const [amm, markWad] = [amms[index] as Amm, marks[index] ?? null]
    const holders = await readHolders(venue, book, { instrument, expiry }, block.height)
    pairs.push({
      instrument,
      expiry,
      amm,
      markWad,
      indices: indicesAt(instrument, expiry, amm, markWad, nowSec),
      holders,
    })
  }
  return { blockNumber: block.height, nowSec, pairs }
}

interface Place {
  readonly instrument: ListedInstrument
  readonly expiry: number
}

const contractOf = ({ address }: ListedInstrument) => ({ address, abi: instrumentAbi })

/** Mark prices, or null where the market refuses one; of a settled pair the price that it is settled at. */
async function readMarks(
  { rpc }: Venue,
  places: readonly Place[],
  amms: readonly Amm[],
  block: bigint,
): Promise<(bigint | null)[]> {
  const calls = places.map(({ instrument, expiry }, index) => {
    const status = Math.min(amms[index]?.status ?? 0, STATUS.SETTLING)
    const args = [instrument.address, expiry, status] as const
    const data = encodeFunctionData({ abi: linkMarketAbi, functionName: 'getMarkPrice', args })
    return { method: 'eth_call', params: [{ to: instrument.market.address, data }, numberToHex(block)] }
  })
  const outcomes = await rpc.outcomes<Hex>(calls)
  return outcomes.map((outcome, index) => {
    const amm = amms[index]
    if (amm?.status === STATUS.SETTLED) return amm.settlementPrice
    if (!outcome.ok) {
      // A revert is the market's answer; anything else says nothing about it.
      if (classifySimulation(outcome.error).kind !== 'reverted') throw outcome.error
      return null
    }
    return decodeFunctionResult({ abi: linkMarketAbi, functionName: 'getMarkPrice', data: outcome.value })
  })
}

function indicesAt(
  { market, fundingHour }: ListedInstrument,
  expiry: number,
  amm: Amm,
  markWad: bigint | null,
  nowSec: number,
): SideIndices {
  if (expiry !== PERPETUAL_EXPIRY || markWad === null || amm.status !== STATUS.TRADING) return amm
  const silenceSec = nowSec - amm.timestamp
  const counts = market.type === CLOSING_MARKET ? Math.min(silenceSec, MOST_FUNDING_SILENCE_SEC) : silenceSec
  return accruedIndices(amm, markWad, fundingHour, counts)
}

async function readHolders(
  { rpc }: Venue,
  book: AccountBook,
  { instrument, expiry }: Place,
  block: bigint,
): Promise<Holder[]> {
  const accounts = book.holders(instrument.address, expiry)
  const reads = accounts.map((account) => contractRead(contractOf(instrument), 'getPortfolio', expiry, account))
  const portfolios = await readContracts(rpc, reads, block)
  return accounts.flatMap((account, index) => {
    const portfolio = portfolios[index] as Portfolio
    const { position, oids, rids } = portfolio
    if (position.size === 0n && position.balance === 0n && oids.length === 0 && rids.length === 0) {
      book.leave(instrument.address, expiry, account, block)
      return []
    }
    return [holderOf(account, portfolio)]
  })
}

function holderOf(account: Hex, { position, oids, rids, orders, ranges, ordersTaken }: Portfolio): Holder {
  return {
    account,
    position,
    orders: oids.map((oid, index) => {
      const { tick, nonce } = orderKeyOf(BigInt(oid))
      const { balance = 0n, size = 0n } = orders[index] ?? {}
      return { tick, nonce, balance, size, taken: ordersTaken[index] ?? 0n }
    }),
    ranges: rids.map((rid, index) => {
      // A range's key is packed like an order's: two ticks instead of a tick and a nonce.
      const { tick: tickLower, nonce: upper } = orderKeyOf(BigInt(rid))
      const { balance = 0n, sqrtEntryPX96 = 0n } = ranges[index] ?? {}
      return { tickLower, tickUpper: signed(upper), balance, sqrtEntryPX96 }
    }),
  }
}

const signed = (low: number): number => Number(BigInt.asIntN(TICK_BITS, BigInt(low)))
