import { encodeFunctionData } from 'viem'
import { gateAbi } from '../../chain/abi/gate.ts'
import { observerAbi } from '../../chain/abi/observer.ts'
import { contractAddress } from '../../chain/deployment.ts'
import type { Hex } from '../../chain/types.ts'
import type { PerpContext } from '../context.ts'
import { type ListedInstrument, PERPETUAL_EXPIRY, type QuoteToken } from '../listing/catalogue.ts'
import type { Portfolio } from '../listing/observer.ts'
import { type CallAt, callsAt, decoded, type NamedBlock, newestBlock } from '../listing/pair.ts'
import { isDollar, quotesOf, toWad } from '../listing/quote.ts'

/** A wallet's money in one quote at Gate, in the token's own units (perp-protocol 1.6, `QuoteState`). */
interface QuoteState {
  readonly threshold: bigint
  readonly reserve: bigint
  readonly balance: bigint
  readonly allowance: bigint
  readonly fundFlow: { readonly totalIn: bigint; readonly totalOut: bigint }
  readonly pending: Pending
}

interface Pending {
  /** Unix seconds of the newest withdrawal that waits. */
  readonly timestamp: number
  readonly native: boolean
  readonly amount: bigint
  readonly exemption: bigint
}

/** The same, with what is locked in pairs (18 decimals). */
export interface QuoteBalance extends QuoteState {
  readonly token: QuoteToken
  /** Margin of positions, orders and ranges in perpetual pairs; WAD. */
  readonly lockedWad: bigint
  /** True where a token is a dollar: the instruments quoted in it are of the type STABLE. */
  readonly isStable: boolean
}

/** A wallet's money in every quote, at one block. */
export interface WalletBalance {
  readonly block: NamedBlock
  readonly quotes: readonly QuoteBalance[]
  readonly isBlacklisted: boolean
  readonly pendingDurationSec: bigint
}

/** Reads Gate, tokens and pairs, all at the node's newest block. Throws `perp_chain_unreachable`. */
export async function readWalletBalance(context: PerpContext, wallet: Hex): Promise<WalletBalance> {
  const { venue } = context
  const { list } = await context.instruments()
  const tokens = quotesOf({ list })
  const [gate, observer] = [contractAddress(venue.deployment, 'Gate'), contractAddress(venue.deployment, 'Observer')]
  const block = await newestBlock(venue)
  const ofObserver = (data: Hex): CallAt => ({ to: observer, data })
  const ofGate = (data: Hex): CallAt => ({ to: gate, data })
  const asked = [wallet, tokens.map(({ address }) => address)] as const
  const [states, banned, duration, ...portfolios] = await callsAt(venue, block, [
    ofObserver(encodeFunctionData({ abi: observerAbi, functionName: 'getQuoteStates', args: asked })),
    ofGate(encodeFunctionData({ abi: gateAbi, functionName: 'isBlacklisted', args: [wallet] })),
    ofGate(encodeFunctionData({ abi: gateAbi, functionName: 'pendingDuration' })),
    ...list.map(({ address }) => {
      const args = [address, PERPETUAL_EXPIRY, wallet] as const
      return ofObserver(encodeFunctionData({ abi: observerAbi, functionName: 'getPortfolio', args }))
    }),
  ])
  const [quoteStates] = decoded(observerAbi, 'getQuoteStates', states)
  const locked = portfolios.map((outcome) => lockedIn(decoded(observerAbi, 'getPortfolio', outcome)[0]))
  return {
    block,
    quotes: tokens.map((token, index) => balanceOf(token, quoteStates[index] as QuoteState, list, locked)),
    isBlacklisted: decoded(gateAbi, 'isBlacklisted', banned),
    pendingDurationSec: decoded(gateAbi, 'pendingDuration', duration),
  }
}

/** What a wallet has in a pair; WAD. */
function lockedIn({ position, orders, ranges }: Portfolio): bigint {
  return [position, ...orders, ...ranges].reduce((sum, { balance }) => sum + balance, 0n)
}

function balanceOf(
  token: QuoteToken,
  state: QuoteState,
  list: readonly ListedInstrument[],
  locked: readonly bigint[],
): QuoteBalance {
  const isOfToken = ({ quote }: ListedInstrument) => quote.address === token.address
  const lockedWad = list.reduce((sum, listed, index) => sum + (isOfToken(listed) ? (locked[index] ?? 0n) : 0n), 0n)
  return { ...state, token, lockedWad, isStable: isDollar({ list }, token) }
}

const UINT128_MAX = (1n << 128n) - 1n

/**
 * What a withdrawal pays at once, in the token's own units: as Gate decides it, whose threshold bounds a wallet's net outflow. What
 * is above it waits for the pending duration (perp-protocol 3.14).
 */
export function paidAtOnce({ reserve, threshold, fundFlow, pending }: QuoteState): bigint {
  const allowed = threshold < UINT128_MAX ? threshold + pending.exemption + fundFlow.totalIn : threshold
  const used = fundFlow.totalOut + pending.amount
  const room = allowed > used ? allowed - used : 0n
  return reserve < room ? reserve : room
}

export const wadOf = (raw: bigint, { token }: Pick<QuoteBalance, 'token'>): string => String(toWad(raw, token))
