import { createHash } from 'node:crypto'
import type { Hex } from '../types.ts'

const TAG_BYTES = 16
const TAG_DIGITS = 2 * TAG_BYTES

/**
 * The mark of what a call is made for: 16 bytes that only the same parts, in the same order, lead to. It goes to the end of the
 * calldata, where no contract looks, so that the chain knows which wish was carried out when a database that was put back does
 * not, and the call is worked out anew with another price or deadline.
 */
export function tagOf(...parts: readonly string[]): Hex {
  const digest = createHash('sha256').update(JSON.stringify(parts)).digest('hex')
  return `0x${digest.slice(0, TAG_DIGITS)}`
}

/** The call with its tag. */
export const tagged = (data: Hex, tag: Hex | null): Hex => (tag === null ? data : `${data}${tag.slice(2)}`)
