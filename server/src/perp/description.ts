import { contractAddress } from '../chain/deployment.ts'
import type { Description, EmbeddedVenue } from '../http/product.ts'
import { PERPETUAL_EXPIRY, readInstruments } from './listing/catalogue.ts'

/** Shows the perpetual API of an embedded venue. Its API keys are made by wallets. */
export async function describePerp({ venue, url }: EmbeddedVenue): Promise<Description> {
  const { list } = await readInstruments(venue.rpc, contractAddress(venue.deployment, 'Gate'))
  const dev = {
    baseUrl: url,
    wsUrl: `${url.replace(/^http/, 'ws')}/v4/public/ws`,
    chainId: venue.deployment.chainId,
    instruments: list.map(({ symbol, address }) => ({ symbol, address, expiry: PERPETUAL_EXPIRY })),
  }
  const symbols = list.map(({ symbol }) => symbol).join(', ')
  return { dev, summary: ['perp API', `${url}/v4/public/trader  (${symbols})`] }
}
