import { decodeFunctionData } from 'viem'
import { gateAbi } from '../../chain/abi/gate.ts'
import { instrumentAbi } from '../../chain/abi/instrument.ts'
import { contractAddress } from '../../chain/deployment.ts'
import type { Hex } from '../../chain/types.ts'
import type { PerpContext } from '../context.ts'
import { refused, type SignedTransaction } from './signed-transaction.ts'

/** What a trader calls on an instrument; a `multicall` holds only these. */
const OF_INSTRUMENT: readonly string[] = ['trade', 'place', 'batchPlace', 'cancel', 'fill', 'add', 'remove', 'settle']
const OF_GATE: readonly string[] = ['deposit', 'withdraw']

/**
 * Refuses a signed transaction that is none of those which `order/build` makes: its target must be Gate or an instrument of
 * this venue, its function one of a trader, in each call of a `multicall` too. Throws `signed_transaction_invalid`,
 * `perp_chain_unreachable`.
 */
export async function requireTradersCall(
  context: PerpContext,
  { to, data, valueWei }: SignedTransaction,
): Promise<void> {
  const gate = contractAddress(context.venue.deployment, 'Gate')
  if (to === gate) {
    requireFunction(OF_GATE, gateFunction(data))
    return
  }
  const { list } = await context.instruments()
  if (!list.some(({ address }) => address === to)) {
    throw refused(`its target must be Gate (${gate}) or an instrument of this venue, and is ${to}`)
  }
  if (valueWei !== 0n) throw refused('an instrument takes no native coin, and it sends some')
  for (const name of instrumentFunctions(data)) requireFunction(OF_INSTRUMENT, name)
}

function requireFunction(known: readonly string[], name: string): void {
  if (known.includes(name)) return
  throw refused(`it may call ${known.join(', ')}, and calls ${name}`)
}

const gateFunction = (data: Hex): string => decodedCall(() => decodeFunctionData({ abi: gateAbi, data })).functionName

/** The functions that a call of an instrument comes to; those inside a `multicall` in its place. */
function instrumentFunctions(data: Hex): readonly string[] {
  const call = decodedCall(() => decodeFunctionData({ abi: instrumentAbi, data }))
  if (call.functionName !== 'multicall') return [call.functionName]
  const [inner] = call.args
  // One level: what is built nests no further.
  return inner.map((one) => decodedCall(() => decodeFunctionData({ abi: instrumentAbi, data: one })).functionName)
}

function decodedCall<T>(decode: () => T): T {
  try {
    return decode()
  } catch {
    throw refused('it calls a function that its target does not have')
  }
}
