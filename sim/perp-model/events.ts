/**
 * What an instrument logs of its accounts' history, in the words of the ABI and in the order of the contract. What it logs of
 * its state (indices, funds, status, positions) is not here: the image has all of it after every step.
 */
import type { Context } from './instrument.ts'

export const EVENTS = [
  'Add',
  'Adjust',
  'Cancel',
  'ClaimProtocolFee',
  'DeleteContext',
  'DonateInsuranceFund',
  'Fill',
  'FundingFee',
  'Liquidate',
  'Place',
  'RecycleInsuranceFund',
  'Remove',
  'Settle',
  'Sweep',
  'Trade',
] as const

export type Event = { readonly name: (typeof EVENTS)[number]; readonly args: { readonly [name: string]: unknown } }

/** An event of the context's pair. */
export function log({ events, pair }: Context, name: Event['name'], args: Event['args']): void {
  events.push({ name, args: { expiry: pair.amm.expiry, ...args } })
}

/** Funding that was realised for an account, which no event tells where there is none. Its event names no pair. */
export function logFunding({ events }: Context, trader: string, funding: bigint): void {
  if (funding !== 0n) events.push({ name: 'FundingFee', args: { trader, funding } })
}
