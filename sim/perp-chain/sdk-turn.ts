/** What the seeded moves of a client share: whose turn it is, reading, asking the SDK, sending. */
import type { TransactionParam } from '@synfutures/perpv3-ts/frontend'
import { type PairSnapshot, UserSetting } from '@synfutures/perpv3-ts/types'
import type { Hex } from 'viem'
import { PERP_EXPIRY } from '../perp-model/amm.ts'
import type { Random } from '../perp-model/random.ts'
import type { Event, Venue } from './sdk-venue.ts'

export type Turn = {
  readonly venue: Venue
  readonly random: Random
  readonly trader: Hex
  readonly instrument: number
  readonly user: UserSetting
  readonly label: string
}

/** Resolves to whether there was something to do and the SDK let it be sent. Rejects where the chain disagrees. */
export type Move = (turn: Turn) => Promise<boolean>

/** The SDK's default and a tight one. */
const SLIPPAGES_BPS = [50, 10]
const DEADLINE_SEC = 600
/** The revert of a quotation for more than the curve and its orders hold. */
const OUT_OF_LIQUIDITY = /TradeOutOfLiquidity|0x0d209bc9/

/** A user who trades at up to nine tenths of the greatest leverage. */
export function drawUser(random: Random, snapshot: PairSnapshot): UserSetting {
  const leverage = random.scale(snapshot.instrumentSetting.maxLeverage, 100, 900)
  return new UserSetting(DEADLINE_SEC, random.pick(SLIPPAGES_BPS), leverage, 0)
}

/** What the SDK says; undefined where it refuses, which it does by errors of its own. */
export function ask<T>(simulate: () => T): T | undefined {
  try {
    return simulate()
  } catch (error) {
    if (error instanceof Error && error.name !== 'TypeError' && error.name !== 'ReferenceError') return undefined
    throw error
  }
}

/** A quotation of the chain; undefined where there is not enough liquidity for it. */
export function ifLiquid<T>(quotation: Promise<T>): Promise<T | undefined> {
  return quotation.catch((error: unknown) => {
    if (error instanceof Error && OUT_OF_LIQUIDITY.test(error.message)) return undefined
    throw error
  })
}

export function pairOf({ venue, instrument, user }: Turn) {
  return { instrumentAddress: venue.addressOf(instrument), expiry: PERP_EXPIRY, userSetting: user }
}

/** The pair, the trader's part in it, and with a size (signed base, WAD) its quotation. */
export function read({ venue, instrument, trader }: Turn, signedSize?: bigint): Promise<PairSnapshot> {
  return venue.snapshot(instrument, trader, signedSize)
}

/** Sends what the SDK found sound: it must not revert. */
export async function send({ venue, trader, label }: Turn, param: TransactionParam): Promise<readonly Event[]> {
  const sent = await venue.send(trader, param)
  if (!sent.ok) throw new Error(`${label}: the SDK allows it, the chain says ${sent.error}`)
  return sent.events
}

export function argsOf(events: readonly Event[], name: string): Event['args'] {
  const event = events.find((item) => item.name === name)
  if (!event) throw new Error(`no event ${name}`)
  return event.args
}
