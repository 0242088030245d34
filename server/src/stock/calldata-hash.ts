import { encodeAbiParameters, keccak256 } from 'viem'
import type { Hex } from '../chain/types.ts'

const PARAMETERS = [{ type: 'address' }, { type: 'uint256' }, { type: 'bytes' }] as const

/** Binds recipient, value and input of a transaction: what a calldata answer promised. */
export const calldataHash = (to: Hex, valueWei: bigint, data: Hex): Hex =>
  keccak256(encodeAbiParameters(PARAMETERS, [to, valueWei, data]))
