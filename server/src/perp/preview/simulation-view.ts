import Type, { type Static } from 'typebox'
import { nullable } from '../../http/schemas.ts'
import { abs } from '../../lib/bigints.ts'
import { rangeIdOf } from '../calldata/words.ts'
import type { Portfolio } from '../listing/observer.ts'
import type { PairState } from '../listing/pair.ts'
import { equityOf, leverageOf, liquidationPrice, type Position, pricePnl, realised } from '../maths/position.ts'
import { tickToPrice } from '../maths/tick.ts'
import { divWad } from '../maths/wad.ts'
import { wad } from '../schemas.ts'
import type { After, Simulation } from './simulate.ts'

const positionSchema = Type.Object({
  size: wad('Base; negative for a short'),
  margin: wad('Margin, funding and social loss up to now included'),
  entryPrice: wad('Average price of the entry; 0 when flat'),
  unrealizedPnl: wad('Profit of the price at the mark'),
  equity: wad('Margin and profit'),
  leverage: wad('Value at the mark over equity; 0 when flat or without equity'),
  liquidationPrice: wad('Mark at which the position is liquidated; 0 where none is'),
})

const orderSchema = Type.Object({
  oid: nullable(Type.String({ description: 'Null for an order that the action places.' })),
  tick: Type.Integer(),
  price: wad('Price of the order, that of its tick'),
  size: wad('Base; negative for a sell'),
  margin: nullable(wad('Margin of an order that is placed')),
})

const rangeSchema = Type.Object({
  tickLower: Type.Integer(),
  tickUpper: Type.Integer(),
  lowerPrice: wad('Price of the lower edge'),
  upperPrice: wad('Price of the upper edge'),
  liquidity: Type.String({ description: 'Liquidity that the range adds, or that is taken out.' }),
})

/** What an action would do, at the block of the answer. */
export const simulationSchema = Type.Object({
  instrument: nullable(Type.String()),
  expiry: nullable(Type.Integer()),
  markPrice: nullable(wad('Mark price')),
  size: nullable(wad('Base that is traded or ordered; negative for a short')),
  price: nullable(wad('Average price of a trade, price of an order')),
  notional: nullable(wad('Value at that price')),
  fee: nullable(wad('Fee of the taker, protocol’s part included')),
  priceImpact: nullable(wad('Change of the fair price, 0.01 for one percent')),
  amount: nullable(wad('Margin that goes in, from the reserve first and then the wallet; negative where it comes out')),
  orders: Type.Array(orderSchema, { description: 'Orders that are placed, cancelled or filled.' }),
  range: nullable(rangeSchema),
  before: nullable(positionSchema),
  after: nullable(positionSchema),
  needsApproval: Type.Boolean({
    description:
      'The wallet has to approve Gate for the quote first (POST approve/prepare); the figures are as if it had.',
  }),
})

type Edges = NonNullable<Simulation['prepared']['range']>
type PositionView = Static<typeof positionSchema>
type View = Static<typeof simulationSchema>

const positionExample: PositionView = {
  size: '10000000000000000',
  margin: '119580000000000000000',
  entryPrice: '60001500000000000000000',
  unrealizedPnl: '-15000000000000000',
  equity: '119565000000000000000',
  leverage: '5018190942165350000',
  liquidationPrice: '50572210526315789473684',
}

export const simulationExample: View = {
  instrument: 'BTC/USDC',
  expiry: 4_294_967_295,
  markPrice: '60000000000000000000000',
  size: '10000000000000000',
  price: '60001500000000000000000',
  notional: '600015000000000000000',
  fee: '420010500000000000',
  priceImpact: '50000000000000',
  amount: '120000010500000000000',
  orders: [],
  range: null,
  before: {
    size: '0',
    margin: '0',
    entryPrice: '0',
    unrealizedPnl: '0',
    equity: '0',
    leverage: '0',
    liquidationPrice: '0',
  },
  after: positionExample,
  needsApproval: false,
}

export function simulationView({ prepared, after, needsApproval }: Simulation): View {
  const { pair, foretold, orders } = prepared
  return {
    instrument: pair?.instrument.symbol ?? null,
    expiry: pair?.expiry ?? null,
    markPrice: pair ? String(pair.mark) : null,
    size: text(foretold.size),
    price: text(foretold.price),
    notional: text(foretold.notional),
    fee: text(foretold.fee),
    priceImpact: text(foretold.priceImpact),
    amount: text(foretold.amount),
    orders: orders.map(({ oid, tick, price, size, margin }) => ({
      oid: text(oid),
      tick,
      price: String(price),
      size: String(size),
      margin: text(margin),
    })),
    range: prepared.range && pair && after ? rangeView(prepared.range, pair.portfolio, after.portfolio) : null,
    before: pair?.amm ? positionView(pair, { portfolio: pair.portfolio, amm: pair.amm }) : null,
    after: pair && after ? positionView(pair, after) : null,
    needsApproval,
  }
}

/** A range is either before the action or after it. */
function rangeView({ tickLower, tickUpper }: Edges, before: Portfolio, after: Portfolio) {
  const rid = rangeIdOf(tickLower, tickUpper)
  const found = [after, before].flatMap(({ rids, ranges }) =>
    ranges.filter((_, index) => BigInt(rids[index] ?? 0) === rid),
  )
  return {
    tickLower,
    tickUpper,
    lowerPrice: String(tickToPrice(tickLower)),
    upperPrice: String(tickToPrice(tickUpper)),
    liquidity: String(found[0]?.liquidity ?? 0n),
  }
}

const text = (value: bigint | null): string | null => (value === null ? null : String(value))

function positionView({ mark, instrument }: PairState, { portfolio, amm }: After): PositionView {
  const position = positionOf(portfolio)
  const { balance, size, entryNotional } = realised(amm, position)
  return {
    size: String(size),
    margin: String(balance),
    entryPrice: String(size === 0n ? 0n : divWad(entryNotional, abs(size))),
    unrealizedPnl: String(pricePnl(position, mark)),
    equity: String(equityOf(amm, position, mark)),
    leverage: String(leverageOf(amm, position, mark)),
    liquidationPrice: String(liquidationPrice(amm, position, instrument.maintenanceMarginRatio)),
  }
}

/** A flat position keeps nothing that means anything. */
const positionOf = ({ position }: Portfolio): Position =>
  position.size === 0n ? { ...position, balance: 0n, entryNotional: 0n } : position
