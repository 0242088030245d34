// The calls that the app makes of the contracts of perpetuals, with what their packed words mean.
import { parseAbi } from 'viem'
import { explainCalls, knowAbis, knowContracts, tellSigned } from '../wallet/contracts.ts'
import { unitsOf } from '../wallet/units.ts'
import { words } from './strings.ts'
import { INSTRUMENT, wordsOfCall, wordsOfInstrument } from './words-of-calls.ts'

const GATE = parseAbi(['function deposit(bytes32 arg) payable', 'function withdraw(bytes32 arg)'])

knowAbis({ Gate: GATE })
tellSigned('PerpOneClickRouter', { Delegate: words.oneClickAllows })
explainCalls('Gate', (name, args) => wordsOfCall(name, args, unitsOf))

interface Listed {
  readonly instrumentAddr: string
  readonly symbol: string
  readonly baseToken: { readonly symbol: string }
  readonly quoteToken: { readonly symbol: string }
}

/** Instruments that the venue lists: the wallet may be asked for calls of theirs. */
export function knowInstruments(listed: readonly Listed[]): void {
  for (const { instrumentAddr, symbol, baseToken, quoteToken } of listed) {
    const pair = { base: baseToken.symbol, quote: quoteToken.symbol }
    knowContracts([{ address: instrumentAddr, name: symbol, abi: INSTRUMENT }])
    explainCalls(symbol, (name, args) => wordsOfInstrument(name, args, unitsOf, pair))
  }
}
