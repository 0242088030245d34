import { readFile } from 'node:fs/promises'
import { join } from 'node:path'
import type { Abi } from 'viem'
import type { Hex } from '../types.ts'

/** Where `forge build` leaves the compiled contracts. */
const ARTIFACTS = join(import.meta.dirname, '..', '..', '..', '..', 'contracts', 'out')

export interface Artifact {
  readonly abi: Abi
  readonly bytecode: Hex
}

/** A compiled contract. Throws with the command that makes it when it is missing. */
export async function readArtifact(name: string): Promise<Artifact> {
  const file = join(ARTIFACTS, `${name}.sol`, `${name}.json`)
  const text = await readFile(file, 'utf8').catch((cause) => {
    throw new Error(`${file} is missing: build the contracts with "npx forge build"`, { cause })
  })
  const { abi, bytecode } = JSON.parse(text) as { abi: Abi; bytecode: { object: Hex } }
  return { abi, bytecode: bytecode.object }
}
