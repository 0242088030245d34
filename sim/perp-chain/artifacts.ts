/** The contracts as they are deployed, with their libraries linked. */
import { readFile } from 'node:fs/promises'
import { join } from 'node:path'
import type { Abi, Hex } from 'viem'

/** Where the artifacts are; `PERP_ARTIFACTS` names another folder. */
const FOLDER = process.env.PERP_ARTIFACTS ?? join(import.meta.dirname, '..', '..', 'contracts', 'artifacts')

export type Artifact = {
  readonly abi: Abi
  readonly bytecode: string
  /** What stands in the bytecode for the address of each library. */
  readonly libraries: { readonly [library: string]: string }
}

/** The artifact of `name`. Throws with the script that makes it when it is missing. */
export async function readArtifact(name: string): Promise<Artifact> {
  const path = join(FOLDER, `${name}.json`)
  const text = await readFile(path, 'utf8').catch((cause) => {
    throw new Error(`${path} is missing: scripts/generate-contracts.mjs writes it`, { cause })
  })
  return JSON.parse(text) as Artifact
}

/** The bytecode with every placeholder replaced by its library's address. */
export function link({ bytecode, libraries }: Artifact, addresses: ReadonlyMap<string, Hex>): Hex {
  let linked = bytecode
  for (const [library, placeholder] of Object.entries(libraries)) {
    const address = addresses.get(library)
    if (!address) throw new RangeError(`no address of the library ${library}`)
    linked = linked.replaceAll(placeholder, address.slice(2))
  }
  return linked as Hex
}
