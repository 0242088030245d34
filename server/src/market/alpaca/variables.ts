import Type from 'typebox'
import { secret, type Values } from '../../lib/variables.ts'

/** Secrets travel in the clear only to this machine itself. */
const address = (scheme: 'http' | 'ws', value: string, description: string) =>
  Type.String({
    pattern: `^(${scheme}s://[^/@?#]+|${scheme}://(127\\.0\\.0\\.1|localhost)(:[0-9]+)?)$`,
    default: value,
    description: `${description}: ${scheme}s://host without a path`,
  })
const credential = (description: string) => secret(Type.Optional(Type.String({ pattern: '^[!-~]+$', description })))

/** The variables that choose the broker and the feed. */
export const brokerVariables = {
  BROKER: Type.Union([Type.Literal('simulated'), Type.Literal('alpaca')], {
    default: 'simulated',
    description: 'simulated (orders and quotes of the simulated market) or alpaca',
  }),
  ALPACA_KEY_ID: credential('the id of an API key of the account at Alpaca'),
  ALPACA_SECRET_KEY: credential('the secret of that API key'),
  ALPACA_SYMBOLS: Type.Optional(
    Type.String({
      pattern: '^[A-Z]+(\\.[A-Z]+)?(,[A-Z]+(\\.[A-Z]+)?)*$',
      description: 'tickers that the venue lists, comma-separated',
    }),
  ),
  ALPACA_FEED: Type.Union([Type.Literal('iex'), Type.Literal('sip')], {
    default: 'iex',
    description: 'iex or sip: the feed of the market data',
  }),
  ALPACA_TRADING_URL: address('http', 'https://paper-api.alpaca.markets', 'the Trading API'),
  ALPACA_DATA_URL: address('http', 'https://data.alpaca.markets', 'the Market Data API'),
  ALPACA_STREAM_URL: address('ws', 'wss://stream.data.alpaca.markets', 'the stream of market data'),
} as const

/** What belongs to the simulated market alone. */
const SIMULATED = ['MARKET_SEED', 'MARKET_RECORDED_FILES', 'MARKET_CORPORATE_ACTIONS']

/** Rules between the variables; one line for each that is broken. `given` names what the environment sets. */
export function brokerProblems(values: Values, given: ReadonlySet<string>): string[] {
  if (values.BROKER !== 'alpaca') return []
  const problems: string[] = []
  // The keeper trades; an embedded chain is set up with the names of the stocks. Nobody else needs the key.
  const asks = String(values.ROLES).split(',').includes('keeper') || values.CHAIN_RPC_URL === undefined
  for (const name of ['ALPACA_KEY_ID', 'ALPACA_SECRET_KEY', 'ALPACA_SYMBOLS'] as const) {
    if (asks && values[name] === undefined) problems.push(`${name} must be set with BROKER=alpaca`)
  }
  if (values.MARKET_HOURS !== 'calendar') problems.push('MARKET_HOURS must be calendar with BROKER=alpaca')
  for (const name of SIMULATED) {
    if (given.has(name)) problems.push(`${name} does not apply with BROKER=alpaca: remove it`)
  }
  return problems
}
