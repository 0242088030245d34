import Type from 'typebox'
import { wad } from '../schemas.ts'

// What Observer answers of a pair and of an account in it (`PairState`), as it goes over the wire: amounts are whole numbers as text.

const units = (description: string) => Type.String({ description: `${description}, in the token’s smallest unit.` })
const ratio = (description: string) => Type.Integer({ description: `${description}, basis points.` })
const sqrt = (description: string) => Type.String({ description: `${description}, 96 fractional bits.` })
const address = (description: string) => Type.String({ description: `Address of ${description}.` })

export const expirySchema = Type.Integer({ description: 'Unix seconds; 4294967295 is the perpetual.' })
export const conditionSchema = Type.Integer({ description: '0 normal, 1 frozen, 2 resolved.' })
export const contractSymbolSchema = Type.String({ description: 'As the contract has it, such as BTC-USDC-LINK.' })

const marginRatios = {
  initialMarginRatio: ratio('Margin of a new position'),
  maintenanceMarginRatio: ratio('Margin below which a position is liquidated'),
}

export const quoteParamSchema = Type.Object({
  minMarginAmount: wad('Least margin'),
  tradingFeeRatio: ratio('Fee of a taker for liquidity'),
  protocolFeeRatio: ratio('Fee of a taker for the protocol'),
  qtype: Type.Integer({ description: '0 invalid, 1 stable, 2 not stable.' }),
  tip: wad('Paid to whoever fills or removes for another'),
})

/** The parameters of an instrument that both of its forms have. */
export const instrumentFlags = {
  placePaused: Type.Boolean({ description: 'No limit order can be placed.' }),
  fundingHour: Type.Integer({ description: 'Hours over which funding pays the whole gap; 0 stands for 24.' }),
  disableOrderRebate: Type.Boolean({ description: 'Makers get no rebate.' }),
}

/** Parameters of an instrument as the published client groups them. */
export const marginSettingSchema = Type.Object({ ...marginRatios, quoteParam: quoteParamSchema })

/** Parameters of an instrument as its contract groups them. */
export const settingSchema = Type.Object(
  {
    symbol: contractSymbolSchema,
    config: address('Config'),
    gate: address('Gate'),
    market: address('the market that prices it'),
    quote: address('the quote token'),
    decimals: Type.Integer({ description: 'Decimals of the quote token.' }),
    ...marginRatios,
    ...instrumentFlags,
    param: quoteParamSchema,
  },
  { description: 'Parameters of the instrument.' },
)

/** A pair's pool (perp-protocol 2.4). */
export const ammSchema = Type.Object(
  {
    expiry: expirySchema,
    timestamp: Type.Integer({ description: 'When it was last brought to a time, Unix seconds.' }),
    status: Type.Integer({ description: '0 dormant, 1 trading, 2 settling, 3 settled.' }),
    tick: Type.Integer({ description: 'Tick of the curve’s price.' }),
    sqrtPX96: sqrt('Square root of the curve’s price'),
    liquidity: wad('Liquidity at the price'),
    totalLiquidity: wad('Liquidity of all ranges'),
    totalShort: wad('Base that traders hold short'),
    openInterests: wad('Base held long, by traders and within ranges'),
    totalLong: wad('Base that traders hold long'),
    involvedFund: wad('Quote that the pair holds'),
    feeIndex: wad('Fees that a unit of liquidity has earned'),
    protocolFee: wad('Fees of the protocol that were not taken out'),
    longSocialLossIndex: wad('What bankrupt accounts have cost a unit held long'),
    shortSocialLossIndex: wad('The same held short'),
    longFundingIndex: wad('Funding that a unit held long has received; negative where it has paid'),
    shortFundingIndex: wad('The same held short'),
    insuranceFund: wad('Insurance fund'),
    settlementPrice: wad('Price at which a dated pair settled, 0 before'),
  },
  { description: 'The pair’s pool.' },
)

const feedTime = Type.String({ description: 'When it was last updated, Unix seconds; 0 of none.' })

/** Prices of a pair, and the feeds they come from, without what names the pair. */
export const priceFields = {
  markPrice: wad('What positions are judged by; 0 while the price source gives none'),
  spotPrice: wad('Price of the source; 0 while it gives none'),
  benchmarkPrice: wad('Spot price with the carry of a dated pair'),
  feeder0: address('the feed of the base'),
  feeder1: address('the feed of the quote; zero where there is none'),
  feeder0UpdatedAt: feedTime,
  feeder1UpdatedAt: feedTime,
}

export const priceDataSchema = Type.Object(
  { instrument: address('the instrument'), expiry: expirySchema, ...priceFields },
  { description: 'Mark, spot and benchmark price, and the feeds they come from.' },
)

const positionSchema = Type.Object({
  balance: wad('Margin, with what was realised since'),
  size: wad('Positive is long'),
  entryNotional: wad('What the size cost or brought'),
  entrySocialLossIndex: wad('Index of social loss from which it counts'),
  entryFundingIndex: wad('Index of funding from which it counts'),
})

const orderSchema = Type.Object({ balance: wad('Margin'), size: wad('Positive buys') })

const rangeSchema = Type.Object({
  liquidity: wad('Liquidity'),
  entryFeeIndex: wad('Index of fees from which it counts'),
  balance: wad('Margin'),
  sqrtEntryPX96: sqrt('Square root of the price at which it was added'),
})

/** What an account has in a pair. */
export const accountSchema = Type.Object(
  {
    oids: Type.Array(Type.Integer(), { description: 'Of its orders: tick · 2^24 + nonce, the tick as 24 bits.' }),
    rids: Type.Array(Type.Integer(), {
      description: 'Of its ranges: lower tick · 2^24 + upper tick, each as 24 bits.',
    }),
    position: positionSchema,
    orders: Type.Array(orderSchema, { description: 'In the order of oids.' }),
    ranges: Type.Array(rangeSchema, { description: 'In the order of rids.' }),
    ordersTaken: Type.Array(Type.String(), {
      description: 'How much of each order’s size was taken, signed like it, 18 decimals; in the order of oids.',
    }),
  },
  { description: 'What the account has in the pair.' },
)

/** An account's money in a quote token, without the token's address. */
export const quoteFields = {
  decimals: Type.Integer({ description: 'Decimals of the token.' }),
  symbol: Type.String(),
  threshold: units('Net outflow up to which withdrawals are paid at once'),
  reserve: units('What it has at Gate, free for margin and withdrawals'),
  balance: units('What the wallet holds itself'),
  allowance: units('What Gate may take of that'),
  fundFlow: Type.Object({ totalIn: units('All that came in'), totalOut: units('All that went out') }),
  pending: Type.Object(
    {
      timestamp: Type.Integer({ description: 'Unix seconds of the newest withdrawal that waits; 0 for none.' }),
      native: Type.Boolean(),
      amount: units('What waits'),
      exemption: units('What was paid after waiting, and does not count against the threshold'),
    },
    { description: 'Withdrawals above the threshold.' },
  ),
}

export const quoteStateSchema = Type.Object(
  { quote: address('the quote token'), ...quoteFields },
  { description: 'The account’s reserve, wallet and allowance.' },
)

export const spacingSchema = Type.Object(
  {
    pearl: Type.Integer({ description: 'Between the ticks that can hold anything.' }),
    order: Type.Integer({ description: 'Between the ticks of limit orders.' }),
    range: Type.Integer({ description: 'Between the edges of ranges.' }),
  },
  { description: 'Steps of ticks.' },
)

/** A contract's answer as it goes over the wire. */
export type OnWire<T> = T extends bigint
  ? string
  : T extends readonly (infer One)[]
    ? OnWire<One>[]
    : T extends object
      ? { [Name in keyof T]: OnWire<T[Name]> }
      : T
