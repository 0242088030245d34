import Type, { type Static } from 'typebox'
import type { Hex } from '../../chain/types.ts'
import { WALLET } from '../../http/examples.ts'
import { AtBlock } from '../../http/product.ts'
import type { Printed } from '../../lib/decimal.ts'
import type { PerpContext } from '../context.ts'
import { readFullInstrument } from '../market-data/full-instruments.ts'
import { fullInstrumentExample, fullInstrumentSchema } from '../market-data/instrument-full-schema.ts'
import { fullInstrumentView } from '../market-data/instrument-full-view.ts'
import { blockInfoSchema } from '../schemas.ts'
import { readIndexed } from './indexed.ts'
import { rangeExample, rangeSchema, rangeView } from './liquidity-view.ts'
import { takenOf } from './open-orders.ts'
import { orderExample, orderSchema, orderView } from './order-view.ts'
import { positionExample, positionSchema, positionView } from './position-view.ts'
import { measurePositions } from './positions.ts'
import { listOpenOrders, listPositions, listRanges } from './record-store.ts'
import { type Asked, keyOf as answerKey, pairsOf } from './records.ts'
import { listedAt } from './tokens.ts'

/** What an account holds, pair by pair, as the published client has it (perp-api 8). */
export const portfolioSchema = Type.Object({
  address: Type.String(),
  instruments: Type.Array(fullInstrumentSchema, {
    description: 'The instruments of its pairs, as the stream `instrument` has them.',
  }),
  portfolios: Type.Array(
    Type.Object({
      blockInfo: blockInfoSchema,
      instrumentAddr: Type.String(),
      traderAddr: Type.String(),
      expiry: Type.Integer(),
      position: Type.Array(positionSchema, { description: 'The position, if there is one.' }),
      orders: Type.Array(orderSchema),
      ranges: Type.Array(rangeSchema),
    }),
  ),
})

export const portfolioExample: Static<typeof portfolioSchema> = {
  address: WALLET,
  instruments: [fullInstrumentExample],
  portfolios: [
    {
      blockInfo: fullInstrumentExample.blockInfo,
      instrumentAddr: fullInstrumentExample.instrumentAddr,
      traderAddr: WALLET,
      expiry: positionExample.expiry,
      position: [positionExample],
      orders: [orderExample],
      ranges: [rangeExample],
    },
  ],
}

type Read = Pick<PerpContext, 'venue' | 'chainId' | 'instruments'>

interface OfPair {
  readonly instrument: Hex
  readonly expiry: bigint
}
const keyOf = ({ instrument, expiry }: OfPair): string => `${instrument} ${expiry}`

/** Read once a block. Throws `instrument_unknown`, `perp_not_indexed`, `perp_chain_unreachable`. */
export const portfolioOf = (context: Read & Pick<PerpContext, 'atNewest'>, asked: Asked): Promise<AtBlock> =>
  context.atNewest(answerKey('portfolio', asked), () => readPortfolio(context, asked))

async function readPortfolio({ venue, chainId, instruments }: Read, { trader, ...asked }: Asked): Promise<AtBlock> {
  const listed = await instruments()
  const scope = { chainId, trader, pairs: pairsOf(listed, asked) }
  const { block, rows } = await readIndexed(venue, async (tx) => ({
    positions: await listPositions(tx, scope),
    orders: await listOpenOrders(tx, scope),
    ranges: await listRanges(tx, scope),
  }))
  const [taken, measured] = await Promise.all([
    takenOf(venue, block, trader, rows.orders),
    measurePositions(venue, block, trader, rows.positions),
  ])
  const pairs = [
    ...new Map([...rows.positions, ...rows.orders, ...rows.ranges].map((row) => [keyOf(row), row])).values(),
  ]
  const blockInfo = { height: Number(block.height), timestamp: Number(block.timestampSec) }
  const portfolios = pairs.map((pair) => {
    const isOf = (row: OfPair) => keyOf(row) === keyOf(pair)
    const instrument = listedAt(listed, pair.instrument)
    return {
      blockInfo,
      instrumentAddr: pair.instrument,
      traderAddr: trader,
      expiry: Number(pair.expiry),
      position: rows.positions.flatMap((row, nth) => {
        const one = measured[nth]
        return one && isOf(row) ? [positionView(row, instrument, one)] : []
      }),
      orders: rows.orders.flatMap((row, nth) => (isOf(row) ? [orderView(row, instrument, taken[nth] ?? 0n)] : [])),
      ranges: rows.ranges.filter(isOf).map((row) => rangeView(row, instrument, trader)),
    }
  })
  const expiries = Map.groupBy(pairs, ({ instrument }) => instrument)
  const full = await Promise.all(
    [...expiries].map(([address, ofInstrument]) => {
      const of = ofInstrument.map(({ expiry }) => Number(expiry))
      return readFullInstrument(venue, listedAt(listed, address), of, block)
    }),
  )
  const instrumentViews = full.map(fullInstrumentView)
  const data: Printed<Static<typeof portfolioSchema>> = { address: trader, instruments: instrumentViews, portfolios }
  return new AtBlock({ height: block.height, timestampSec: block.timestampSec }, data)
}
