import { readFile } from 'node:fs/promises'
import { join } from 'node:path'
import type { Abi } from 'viem'
import type { Hex } from '../types.ts'

/** The contracts as they are deployed, written by scripts/generate-contracts.mjs. */
const ARTIFACTS = join(import.meta.dirname, '..', '..', '..', '..', 'contracts', 'artifacts')

export interface Artifact {
  readonly abi: Abi
  readonly bytecode: Hex
}

/** A contract whose bytecode lacks the addresses of libraries. */
export interface LinkableArtifact extends Artifact {
  /** What stands in the bytecode for the address of each library, by its name. */
  readonly libraries: Readonly<Record<string, string>>
}

/** A compiled contract. Throws when there is none of the name, and when it needs libraries. */
export async function readArtifact(name: string): Promise<Artifact> {
  const { abi, bytecode, libraries } = await readLinkable(name)
  const needed = Object.keys(libraries)
  if (needed.length > 0) throw new Error(`${name} must be linked with ${needed.join(', ')}`)
  return { abi, bytecode }
}

/** A compiled contract that may need libraries (`link`). Throws when there is none of the name. */
export async function readLinkable(name: string): Promise<LinkableArtifact> {
  const file = join(ARTIFACTS, `${name}.json`)
  const text = await readFile(file, 'utf8').catch((cause) => {
    throw new Error(`${file} is missing: scripts/generate-contracts.mjs writes the contracts it names`, { cause })
  })
  return JSON.parse(text) as LinkableArtifact
}

/** The bytecode with the address of each library in its places. Throws when one is not given. */
export function link({ bytecode, libraries }: LinkableArtifact, addresses: ReadonlyMap<string, Hex>): Hex {
  return Object.entries(libraries).reduce<string>((linked, [name, placeholder]) => {
    const address = addresses.get(name)
    if (!address) throw new Error(`the library ${name} has no address`)
    return linked.replaceAll(placeholder, address.slice(2))
  }, bytecode) as Hex
}
