import { getPrice } from '@bourse/sdk/stock'
import { useResource } from '../lib/resource.ts'
import { publicClient } from './venue.ts'

const EVERY_MS = 1500

export const useQuote = (symbol: string) =>
  useResource((signal) => getPrice(publicClient(), { symbol }, { signal }), [symbol], EVERY_MS)
