import { decodeFunctionResult, encodeFunctionData, numberToHex } from 'viem'
import { instrumentAbi } from '../../chain/abi/instrument.ts'
import { linkMarketAbi } from '../../chain/abi/link-market.ts'
import { contractAddress } from '../../chain/deployment.ts'
import { readOutcomes } from '../../chain/halves.ts'
import { type LinkedHead, readHead } from '../../chain/node-head.ts'
import { chainProfile } from '../../chain/profiles.ts'
import { callAt, contractRead, readContracts, readGroups } from '../../chain/read.ts'
import { repeatedReads } from '../../chain/repeated-reads.ts'
import type { Rpc, RpcOutcome } from '../../chain/rpc.ts'
import { classifySimulation } from '../../chain/send/classify.ts'
import type { Hex } from '../../chain/types.ts'
import type { Venue } from '../../http/product.ts'
import { shareNext } from '../../lib/share-next.ts'
import { orderKeyOf } from '../calldata/words.ts'
import { instrumentsOf, type ListedInstrument, PERPETUAL_EXPIRY } from '../listing/catalogue.ts'
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
  /** In the order of their creation, also those that have no pair now. */
  readonly instruments: readonly ListedInstrument[]
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
  let surveyor: Surveyor | undefined
  let current: { readonly hash: Hex; readonly survey: Promise<Survey> } | null = null
  return async (venue) => {
    surveyor ??= surveyorOf(venue)
    const head = await surveyor.head()
    if (current?.hash !== head.hash) current = { hash: head.hash, survey: readSurvey(venue, surveyor, head) }
    const { survey } = current
    survey.catch(() => {
      current = null
    })
    return survey
  }
}

/** What surveys of one block after another are made with. */
interface Surveyor {
  readonly book: AccountBook
  readonly instruments: ReturnType<typeof instrumentsOf>
  /** The newest block by a reading that begins after it is asked for. */
  readonly head: () => Promise<LinkedHead>
  /** The client of a survey: what one asks at its block, the next one mostly asks at its own. */
  readonly rpcAt: (block: bigint) => Rpc
  /** Is told what the node has answered at a block's hash. */
  readonly noteByHash: (outcomes: readonly RpcOutcome<unknown>[]) => void
}

function surveyorOf({ rpc, deployment, log }: Venue): Surveyor {
  return {
    book: new AccountBook(rpc, deployment.startBlock, chainProfile(deployment.chainId).logsRangeBlocks),
    instruments: instrumentsOf(contractAddress(deployment, 'Gate')),
    head: shareNext(() => readHead(rpc)),
    rpcAt: repeatedReads(rpc),
    noteByHash: silenceByHash(log),
  }
}

/** A block that is replaced meanwhile, or that one node of several has not yet, is no reason to say that it answers none. */
const SILENT_SURVEYS = 5

/** Returns what says, once until it is otherwise again, that a node answers nothing at a block's hash. */
function silenceByHash(log: Venue['log']): Surveyor['noteByHash'] {
  let silentSurveys = 0
  return (outcomes) => {
    const [first] = outcomes
    if (!first) return
    silentSurveys = outcomes.every(({ ok }) => !ok) ? silentSurveys + 1 : 0
    if (silentSurveys !== SILENT_SURVEYS || first.ok) return
    const meaning = 'accounts that hold nothing stay in the survey: the node answers no call at a block by its hash'
    log.warn({ why: first.error.message }, meaning)
  }
}

/** Reads every pair and holder at one block. Throws `RpcError`. */
async function readSurvey(venue: Venue, surveyor: Surveyor, block: LinkedHead): Promise<Survey> {
  const { book, instruments, rpcAt } = surveyor
  const rpc = rpcAt(block.height)
  const { list } = await instruments(rpc, block)
  const nowSec = Number(block.timestampSec)
  if (!book.hasBegun) book.begin(await recordedHolders(venue.sql, venue.deployment.chainId))
  await book.follow(
    list.map(({ address }) => address),
    block,
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
  const marks = await readMarks(rpc, places, amms, block.height)
  const holders = await readHolders(rpc, surveyor, places, block)
  const pairs = places.map(({ instrument, expiry }, index) => {
    const [amm, markWad] = [amms[index] as Amm, marks[index] ?? null]
    return {
      instrument,
      expiry,
      amm,
      markWad,
      indices: indicesAt(instrument, expiry, amm, markWad, nowSec),
      holders: holders[index] ?? [],
    }
  })
  return { blockNumber: block.height, nowSec, instruments: list, pairs }
}

interface Place {
  readonly instrument: ListedInstrument
  readonly expiry: number
}

const contractOf = ({ address }: ListedInstrument) => ({ address, abi: instrumentAbi })

/** Mark prices, or null where the market refuses one; of a settled pair the price that it is settled at. */
async function readMarks(
  rpc: Rpc,
  places: readonly Place[],
  amms: readonly Amm[],
  block: bigint,
): Promise<(bigint | null)[]> {
  const calls = places.map(({ instrument, expiry }, index) => {
    const status = Math.min(amms[index]?.status ?? 0, STATUS.SETTLING)
    const args = [instrument.address, expiry, status] as const
    const data = encodeFunctionData({ abi: linkMarketAbi, functionName: 'getMarkPrice', args })
    return callAt({ address: instrument.market.address, data }, numberToHex(block))
  })
  const outcomes = await readOutcomes<Hex>(rpc, calls)
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

/** Who holds something in each of the places. */
async function readHolders(
  rpc: Rpc,
  surveyor: Surveyor,
  places: readonly Place[],
  block: LinkedHead,
): Promise<readonly (readonly Holder[])[]> {
  const accounts = places.map(({ instrument, expiry }) => surveyor.book.holders(instrument.address, expiry))
  const reads = places.map((place, index) => accounts[index]?.map((account) => portfolioRead(place, account)) ?? [])
  const portfolios = await readGroups(rpc, reads, block.height)
  const seen = places.map((place, index) =>
    (portfolios[index] ?? []).map((portfolio: Portfolio, nth) => ({
      place,
      account: accounts[index]?.[nth] as Hex,
      portfolio,
    })),
  )
  await leaveEmpty(
    rpc,
    surveyor,
    seen.flat().filter(({ portfolio }) => isEmpty(portfolio)),
    block,
  )
  return seen.map((ofPair) =>
    ofPair.filter(({ portfolio }) => !isEmpty(portfolio)).map(({ account, portfolio }) => holderOf(account, portfolio)),
  )
}

const portfolioRead = ({ instrument, expiry }: Place, account: Hex) =>
  contractRead(contractOf(instrument), 'getPortfolio', expiry, account)

const isEmpty = ({ position, oids, rids }: Portfolio): boolean =>
  position.size === 0n && position.balance === 0n && oids.length === 0 && rids.length === 0

/**
 * Takes out of the book who held nothing in that very block. By its number a node behind the same address may have answered of another
 * block, and whoever is taken out is looked at again only after its next event: without an answer by the block's hash an account stays.
 */
async function leaveEmpty(
  rpc: Rpc,
  { book, noteByHash }: Surveyor,
  empty: readonly { readonly place: Place; readonly account: Hex }[],
  { height, hash }: LinkedHead,
): Promise<void> {
  const reads = empty.map(({ place, account }) => portfolioRead(place, account))
  const outcomes = await readOutcomes<Hex>(
    rpc,
    reads.map((read) => callAt(read, { blockHash: hash })),
  )
  noteByHash(outcomes)
  for (const [nth, { place, account }] of empty.entries()) {
    const [read, outcome] = [reads[nth], outcomes[nth]]
    if (!read || !outcome?.ok || !isEmpty(read.decode(outcome.value))) continue
    book.leave(place.instrument.address, place.expiry, account, height)
  }
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
