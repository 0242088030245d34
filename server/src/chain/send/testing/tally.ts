import { encodeAbiParameters } from 'viem'
import type { Rpc } from '../../rpc.ts'
import type { Hex } from '../../types.ts'

/**
 * A contract that counts calls by key in its storage slots, so that a test sees on chain how often each intent was
 * executed. What it does depends on the length of the call data:
 *
 * - one word (key): adds one to the key's count;
 * - two words (key, other): the same if the other key was counted before, else reverts with the key as its data;
 * - more words (key, …): sets the key's count to zero.
 */
const RUNTIME = [
  '3660401060295736602010601957', // more than 64 bytes: jump to 0x29; more than 32: jump to 0x19
  '5b5f35805460010190' + '5500', // 0x0e: slot[key] += 1; stop
  '5b60203554600e575f355f5260205ffd', // 0x19: slot[other] != 0: jump to 0x0e; else revert(key)
  '5b5f5f355500', // 0x29: slot[key] = 0; stop
].join('')

/** Copies the 47 bytes behind itself into the new contract. */
const DEPLOY = '602f8060095f395ff3'

export const TALLY_CODE: Hex = `0x${DEPLOY}${RUNTIME}`

const word = (value: bigint): string => encodeAbiParameters([{ type: 'uint256' }], [value]).slice(2)

export const hit = (key: bigint): Hex => `0x${word(key)}`
export const hitAfter = (key: bigint, other: bigint): Hex => `0x${word(key)}${word(other)}`
export const clear = (key: bigint): Hex => `0x${word(key)}${word(0n)}${word(0n)}`
/** What the contract reverts with when `hitAfter(key, …)` comes too early. */
export const tooEarly = (key: bigint): Hex => `0x${word(key)}`

/** The keys' counts at the head, in order. */
export async function tallies(rpc: Rpc, tally: Hex, keys: readonly bigint[]): Promise<bigint[]> {
  const words = await rpc.batch<Hex>(
    keys.map((key) => ({ method: 'eth_getStorageAt', params: [tally, `0x${key.toString(16)}`, 'latest'] })),
  )
  return words.map((text) => BigInt(text))
}
