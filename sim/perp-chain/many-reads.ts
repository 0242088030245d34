import { encodeFunctionData, type Hex } from 'viem'
import type { Chain } from './chain.ts'
import type { Contract } from './deploy.ts'

export interface ReadCall {
  readonly to: Hex
  readonly data: Hex
}

/** The answers to many calls on the newest block, by one `eth_call` of `ManyReads`. Throws when one of them reverts. */
export async function readMany(chain: Chain, { abi, address }: Contract, calls: readonly ReadCall[]): Promise<Hex[]> {
  const args = [calls.map(({ to }) => to), calls.map(({ data }) => data)]
  const answer = await chain.read({
    to: address,
    data: encodeFunctionData({ abi, functionName: 'read', args }),
  })
  return calls.map((_, index) => bytesAt(answer, index))
}

/** The digits of a word of hex. */
const WORD = 64

/** An item of an answer that is one `bytes[]`, cut out as it is: viem would make bytes of all of it, and then hex again. */
function bytesAt(answer: Hex, index: number): Hex {
  const numberAt = (digit: number) => Number.parseInt(answer.slice(digit, digit + WORD), 16)
  const items = 2 + 2 * WORD
  const start = items + 2 * numberAt(items + index * WORD)
  return `0x${answer.slice(start + WORD, start + WORD + 2 * numberAt(start))}`
}
