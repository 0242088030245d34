import {
  encodeAddParam,
  encodeCancelParam,
  encodeFillParam,
  encodePlaceParam,
  encodeTradeParam,
} from '@synfutures/perpv3-ts/utils'
import { erc20Abi, maxUint256 } from 'viem'
import { instrumentAbi } from '../../chain/abi/instrument.ts'
import { testFeedAbi } from '../../chain/abi/test-feed.ts'
import type { ArgumentsOf } from '../../chain/calls.ts'
import type { DevelopmentAccount } from '../../chain/embedded/accounts.ts'
import type { Hex } from '../../chain/types.ts'
import { PERPETUAL_EXPIRY } from '../listing/catalogue.ts'
import { MAX_TICK, MIN_TICK } from '../maths/tick.ts'
import type { Outcome, PerpChain } from './chain.ts'

// Wallets that act on a pair of a test's chain, with the arguments packed by the published client.

const FUTURE_SEC = 4_000_000_000
const PAIR = { expiry: PERPETUAL_EXPIRY, deadline: FUTURE_SEC }

/** Lets Gate take what the wallet holds of the instrument's quote. */
export async function approveGate(chain: PerpChain, from: DevelopmentAccount, instrument: Hex): Promise<Outcome> {
  const { quote } = await chain.readInstrument(instrument, 'getSetting', [])
  return chain.send(from, quote, erc20Abi, 'approve', [chain.contract('Gate'), maxUint256])
}

/** A market order at any price; `size` is signed, WAD. */
export function trade(chain: PerpChain, from: DevelopmentAccount, instrument: Hex, size: bigint, margin: bigint) {
  const limitTick = size > 0n ? MAX_TICK : MIN_TICK
  return act(chain, from, instrument, 'trade', encodeTradeParam({ ...PAIR, size, amount: margin, limitTick }))
}

/** A limit order; `size` is signed, WAD. */
export function place(
  chain: PerpChain,
  from: DevelopmentAccount,
  instrument: Hex,
  order: { readonly tick: number; readonly size: bigint; readonly margin: bigint },
) {
  return act(chain, from, instrument, 'place', encodePlaceParam({ ...PAIR, ...order, amount: order.margin }))
}

/** A range of `ticks` to either side of the price. */
export function addRange(chain: PerpChain, from: DevelopmentAccount, instrument: Hex, margin: bigint, ticks: number) {
  const limitTicks = Number((BigInt.asUintN(24, BigInt(MIN_TICK)) << 24n) | BigInt(MAX_TICK))
  const range = { amount: margin, tickDeltaLower: ticks, tickDeltaUpper: ticks, limitTicks }
  return act(chain, from, instrument, 'add', encodeAddParam({ ...PAIR, ...range }))
}

/** Brings a feed to a price of 8 decimals that stays fresh. */
export function setFeed(chain: PerpChain, base: string, price8: bigint): Promise<Outcome> {
  const feed = chain.contract(`PerpFeed${base}`)
  return chain.send(chain.accounts.oracle, feed, testFeedAbi, 'set', [price8])
}

function act<Name extends 'trade' | 'place' | 'add' | 'cancel' | 'fill'>(
  chain: PerpChain,
  from: DevelopmentAccount,
  instrument: Hex,
  name: Name,
  ...args: ArgumentsOf<typeof instrumentAbi, Name>
) {
  return chain.send<typeof instrumentAbi, Name>(from, instrument, instrumentAbi, name, args)
}

/** Takes back the order at a tick. */
export function cancel(chain: PerpChain, from: DevelopmentAccount, instrument: Hex, tick: number) {
  return act(chain, from, instrument, 'cancel', encodeCancelParam({ ...PAIR, ticks: [tick] }))
}

/** Turns somebody's order of which everything was taken into a position. */
export function fill(
  chain: PerpChain,
  from: DevelopmentAccount,
  instrument: Hex,
  order: { readonly tick: number; readonly nonce: number; readonly target: Hex },
) {
  return act(chain, from, instrument, 'fill', encodeFillParam({ ...PAIR, ...order }))
}
