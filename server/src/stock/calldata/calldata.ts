import { toFunctionSelector } from 'viem'
import { stockRouterAbi } from '../../chain/abi/stock-router.ts'
import type { Hex } from '../../chain/types.ts'

/** The StockRouter functions that calldata answers name (stock-api 2.0, 4.1). */
export type RouterMethod =
  | 'deposit'
  | 'withdraw'
  | 'depositStock'
  | 'withdrawStock'
  | 'placeMarketOrder'
  | 'placeLimitOrder'
  | 'cancelLimitOrder'
  | 'depositAndMarketBuy'
  | 'depositAndLimitBuy'
  | 'depositStockAndMarketSell'
  | 'depositStockAndLimitSell'

/** A transaction for the user's wallet to sign and send. */
export interface Calldata {
  readonly method: RouterMethod
  readonly to: Hex
  readonly data: Hex
  readonly valueWei: bigint
}

/** What an order trades. Notional in USD, quantity in stock tokens, price in USD per token; all with 18 decimals. */
export type OrderTerms =
  | { readonly type: 'Market'; readonly side: 'Buy'; readonly notionalWad: bigint }
  | { readonly type: 'Market'; readonly side: 'Sell'; readonly quantityWad: bigint }
  | { readonly type: 'Limit'; readonly side: 'Buy' | 'Sell'; readonly quantityWad: bigint; readonly priceWad: bigint }

/** What is deposited in the transaction of an order: cash for a buy (token units), the stock itself for a sell. */
export interface OrderDeposit {
  readonly token: Hex
  readonly amountRaw: bigint
}

/** DAY, the one time in force that the router takes (stock-api 3.1). */
const TIME_IN_FORCE_DAY = 0n

// The arguments are static words, which are written here directly: a general encoder costs a tenth of the whole request
// (bench/README.md). Selectors come from the ABI, and the tests hold every word against the wire's vectors.
const SELECTORS = new Map(
  stockRouterAbi.flatMap((item) => (item.type === 'function' ? [[item.name as string, toFunctionSelector(item)]] : [])),
)

const ADDRESS = /^0x[0-9a-fA-F]{40}$/
const BYTES32 = /^0x[0-9a-fA-F]{64}$/

function addressWord(address: Hex): string {
  if (!ADDRESS.test(address)) throw new RangeError(`${address} is no address`)
  return address.slice(2).toLowerCase().padStart(64, '0')
}

function bytes32Word(bytes: Hex): string {
  if (!BYTES32.test(bytes)) throw new RangeError(`${bytes} is no bytes32`)
  return bytes.slice(2).toLowerCase()
}

function uintWord(value: bigint, bits: number): string {
  if (value < 0n || value >> BigInt(bits) !== 0n) throw new RangeError(`${value} does not fit uint${bits}`)
  return value.toString(16).padStart(64, '0')
}

/** Two's complement, sign-extended to 256 bits. */
function intWord(value: bigint, bits: number): string {
  if (BigInt.asIntN(bits, value) !== value) throw new RangeError(`${value} does not fit int${bits}`)
  return BigInt.asUintN(256, value).toString(16).padStart(64, '0')
}

const build = (router: Hex, method: RouterMethod, ...words: string[]): Calldata => ({
  method,
  to: router,
  data: `${SELECTORS.get(method) as Hex}${words.join('')}`,
  valueWei: 0n,
})

/** `StockRouter.deposit`: cash in, `amountRaw` in the token's own units. */
export const depositCalldata = (router: Hex, token: Hex, amountRaw: bigint): Calldata =>
  build(router, 'deposit', addressWord(token), uintWord(amountRaw, 96))

/** `StockRouter.withdraw`: cash out, `amountWad` in mUSD. */
export const withdrawCalldata = (router: Hex, token: Hex, amountWad: bigint): Calldata =>
  build(router, 'withdraw', addressWord(token), uintWord(amountWad, 96))

/** `StockRouter.depositStock`: stock tokens from the wallet to the exchange balance, 18 decimals. */
export const depositStockCalldata = (router: Hex, token: Hex, amountWad: bigint): Calldata =>
  build(router, 'depositStock', addressWord(token), uintWord(amountWad, 256))

/** `StockRouter.withdrawStock`: stock tokens from the exchange balance to the wallet, 18 decimals. */
export const withdrawStockCalldata = (router: Hex, token: Hex, amountWad: bigint): Calldata =>
  build(router, 'withdrawStock', addressWord(token), uintWord(amountWad, 256))

/** `StockRouter.cancelLimitOrder`: asks for the end of an open limit order. */
export const cancelCalldata = (router: Hex, orderId: Hex): Calldata =>
  build(router, 'cancelLimitOrder', bytes32Word(orderId))

/** The amount of an order as the contracts take it: positive for a buy (a market buy's notional), negative for a sell. */
export function signedAmountWad(terms: OrderTerms): bigint {
  if (terms.side === 'Sell') return -terms.quantityWad
  return terms.type === 'Market' ? terms.notionalWad : terms.quantityWad
}

function orderWords(stockToken: Hex, terms: OrderTerms, deadlineSec: number): readonly [token: string, ...string[]] {
  const limit = terms.type === 'Limit' ? [uintWord(terms.priceWad, 96), uintWord(TIME_IN_FORCE_DAY, 8)] : []
  const amount = intWord(signedAmountWad(terms), 96)
  return [addressWord(stockToken), amount, ...limit, uintWord(BigInt(deadlineSec), 32)]
}

/** `StockRouter.placeMarketOrder` or `placeLimitOrder`. */
export function orderCalldata(router: Hex, stockToken: Hex, terms: OrderTerms, deadlineSec: number): Calldata {
  const method = terms.type === 'Market' ? 'placeMarketOrder' : 'placeLimitOrder'
  return build(router, method, ...orderWords(stockToken, terms, deadlineSec))
}

/** The router's four functions that deposit and place an order in one transaction. */
export function depositAndOrderCalldata(
  router: Hex,
  stockToken: Hex,
  terms: OrderTerms,
  deposit: OrderDeposit,
  deadlineSec: number,
): Calldata {
  const [stock, ...order] = orderWords(stockToken, terms, deadlineSec)
  if (terms.side === 'Sell') {
    const method = terms.type === 'Market' ? 'depositStockAndMarketSell' : 'depositStockAndLimitSell'
    return build(router, method, stock, uintWord(deposit.amountRaw, 256), ...order)
  }
  const method = terms.type === 'Market' ? 'depositAndMarketBuy' : 'depositAndLimitBuy'
  return build(router, method, addressWord(deposit.token), uintWord(deposit.amountRaw, 96), stock, ...order)
}
