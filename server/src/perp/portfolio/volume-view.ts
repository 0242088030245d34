import Type, { type Static } from 'typebox'
import { nullable } from '../../http/schemas.ts'
import { type Instruments, PERPETUAL_EXPIRY } from '../listing/catalogue.ts'
import { isDollarQuoted } from '../listing/quote.ts'
import type { VolumeRow } from './record-store.ts'
import { listedAt, pairFieldSchemas, pairFields, TOKEN_EXAMPLES } from './tokens.ts'

const usd = (description: string) =>
  nullable(Type.String({ description: `${description}, 18 decimals; null where a quote is not stable.` }))

const volumeSchema = Type.Object({
  instrumentAddress: Type.String(),
  expiry: Type.Integer({ description: 'Unix seconds; 4294967295 is the perpetual.' }),
  quoteAddress: Type.String(),
  quoteVolume: Type.String({ description: 'What was traded, in the quote, 18 decimals.' }),
  volumeUsd: usd('The same in USD'),
  ...pairFieldSchemas,
})

/** What a wallet has traded since the venue began (perp-api 8). */
export const volumesSchema = Type.Object({
  totalVolumeUsd: usd('Volume of all pairs, in USD'),
  details: Type.Array(volumeSchema),
})

export const volumesExample: Static<typeof volumesSchema> = {
  totalVolumeUsd: '751506250000000000000000',
  details: [
    {
      instrumentAddress: '0x73ada1ea346cc3908f41cf67a040f0acd7808be0',
      expiry: PERPETUAL_EXPIRY,
      quoteAddress: TOKEN_EXAMPLES.quoteToken.address,
      quoteVolume: '751506250000000000000000',
      volumeUsd: '751506250000000000000000',
      symbol: 'BTC/USDC',
      ...TOKEN_EXAMPLES,
    },
  ],
}

/** Volumes on the wire. Throws `perp_chain_unreachable` where an instrument is younger than the list. */
export function volumesView(listed: Instruments, rows: readonly VolumeRow[]) {
  const traded = rows.map((row) => ({ row, instrument: listedAt(listed, row.instrument) }))
  const isKnown = traded.every(({ instrument }) => isDollarQuoted(instrument))
  return {
    totalVolumeUsd: isKnown ? String(rows.reduce((sum, { quoteVolumeWad }) => sum + quoteVolumeWad, 0n)) : null,
    details: traded.map(({ row: { instrument: address, expiry, quoteVolumeWad }, instrument }) => ({
      instrumentAddress: address,
      expiry: Number(expiry),
      quoteAddress: instrument.quote.address,
      quoteVolume: String(quoteVolumeWad),
      volumeUsd: isDollarQuoted(instrument) ? String(quoteVolumeWad) : null,
      ...pairFields(instrument),
    })),
  }
}
