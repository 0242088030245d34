// What a call of StockRouter would do, in amounts that people read: beside the decoded arguments, before they sign.
import { formatUnits } from 'viem/utils'
import { formatQuantity, formatTime, formatUsd } from '../lib/format.ts'
import type { UnitsOf } from '../wallet/units.ts'
import { words } from './strings.ts'

type Named = readonly [string, string]

const WAD_DIGITS = 18
const wad = (value: bigint): string => formatUnits(value, WAD_DIGITS)
const usd = (value: bigint): string => formatUsd(wad(value), WAD_DIGITS)
const magnitude = (value: bigint): bigint => (value < 0n ? -value : value)
const untilText = (sec: number): Named => [words.callUntil, formatTime(sec * 1000)]

/** An amount of a token in its own decimals; as it is where the token is none that the venue lists. */
function tokens(address: string, amount: bigint, unitsOf: UnitsOf): string {
  const units = unitsOf(address)
  return units
    ? `${formatQuantity(formatUnits(amount, units.decimals))} ${units.symbol}`
    : words.callRaw(String(amount))
}

const symbolOf = (address: string, unitsOf: UnitsOf): string => unitsOf(address)?.symbol ?? address

/** By name; nothing where the arguments alone say it. */
export function wordsOfCall(name: string, args: readonly unknown[], unitsOf: UnitsOf): readonly Named[] {
  const [first, second] = args as [string, bigint]
  switch (name) {
    case 'deposit':
    case 'depositStock':
      return [[words.callDeposits, tokens(first, second, unitsOf)]]
    case 'withdraw':
      return [[words.callWithdraws, words.callPaidIn(usd(second), symbolOf(first, unitsOf))]]
    case 'withdrawStock':
      return [[words.callWithdraws, tokens(first, second, unitsOf)]]
    case 'placeMarketOrder': {
      const [, , deadline] = args as [string, bigint, number]
      const symbol = symbolOf(first, unitsOf)
      const what: Named =
        second < 0n
          ? [words.callSells, tokens(first, -second, unitsOf)]
          : [words.callBuys, words.callForUsd(symbol, usd(second))]
      return [what, [words.limitPrice, words.callAtMarket], untilText(deadline)]
    }
    case 'placeLimitOrder': {
      const [, , price, , deadline] = args as [string, bigint, bigint, number, number]
      const verb = second < 0n ? words.callSells : words.callBuys
      return [[verb, tokens(first, magnitude(second), unitsOf)], [words.limitPrice, usd(price)], untilText(deadline)]
    }
    default:
      return []
  }
}
