import { compareServers, type Operation } from './http/compare.ts'
import { indexedVenue, type VenueRows } from './http/venue-rows.ts'

const DEADLINE_SEC = 4_000_000_000

/** `npm run bench -- http`: the signed API against bare servers that answer the same requests with the same bytes. */
export const benchHttp = (args: readonly string[]): Promise<void> =>
  compareServers('http', args, async () => {
    console.log('Starting a venue, so that there are rows to serve …')
    const rows = await indexedVenue()
    return { server: rows.server, operations: operationsOf(rows), close: rows.close }
  })

function operationsOf({ server, key, stockAddress }: VenueRows): readonly Operation[] {
  const { prefix, productType, deployment } = server
  const { apiKey, apiSecret } = key
  const order = { stockAddress, side: 'Buy', type: 'Market', notional: '1000.5', deadline: DEADLINE_SEC }
  const signed = { prefix, productType, chainId: deployment.chainId, apiKey, apiSecret }
  return [
    {
      name: 'GET symbols',
      templates: [{ ...signed, method: 'GET', uri: '/api/v1/symbols', body: '' }],
      code: 200,
      aim: 0.6,
    },
    {
      name: 'POST orders/calldata',
      templates: [{ ...signed, method: 'POST', uri: '/api/v1/orders/calldata', body: JSON.stringify(order) }],
      code: 200,
      aim: 0.4,
    },
  ]
}
