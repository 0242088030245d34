/** Compiled contracts as `forge build` leaves them, with their libraries linked. */
import { readFile } from 'node:fs/promises'
import { join } from 'node:path'
import type { Abi, Hex } from 'viem'

/** Where the artifacts are; `PERP_ARTIFACTS` names another folder. */
const FOLDER = process.env.PERP_ARTIFACTS ?? join(import.meta.dirname, '..', '..', 'contracts', 'out')

/** Byte positions of one library's address in a bytecode, by source file and library name. */
type LinkReferences = { [file: string]: { [library: string]: readonly { start: number; length: number }[] } }

export type Artifact = {
  readonly abi: Abi
  readonly bytecode: string
  readonly linkReferences: LinkReferences
}

/** The artifact of `name` from the source file `file`.sol. Throws with the command that makes it when it is missing. */
export async function readArtifact(name: string, file = name): Promise<Artifact> {
  const path = join(FOLDER, `${file}.sol`, `${name}.json`)
  const text = await readFile(path, 'utf8').catch((cause) => {
    throw new Error(`${path} is missing: build the contracts with "npx forge build"`, { cause })
  })
  const { abi, bytecode } = JSON.parse(text) as {
    abi: Abi
    bytecode: { object: string; linkReferences: LinkReferences }
  }
  return { abi, bytecode: bytecode.object, linkReferences: bytecode.linkReferences }
}

/** The names of the libraries a contract is linked with. */
export function librariesOf({ linkReferences }: Artifact): string[] {
  return Object.values(linkReferences).flatMap((libraries) => Object.keys(libraries))
}

/** The bytecode with every placeholder replaced by its library's address. */
export function link(artifact: Artifact, addresses: ReadonlyMap<string, Hex>): Hex {
  let { bytecode } = artifact
  for (const libraries of Object.values(artifact.linkReferences)) {
    for (const [library, positions] of Object.entries(libraries)) {
      const address = addresses.get(library)
      if (!address) throw new RangeError(`no address of the library ${library}`)
      for (const { start, length } of positions) bytecode = replaceBytes(bytecode, start, length, address)
    }
  }
  return bytecode as Hex
}

/** Positions count bytes from behind the prefix `0x`. */
function replaceBytes(bytecode: string, start: number, length: number, address: Hex): string {
  return bytecode.slice(0, 2 + 2 * start) + address.slice(2).toLowerCase() + bytecode.slice(2 + 2 * (start + length))
}
