import { existsSync } from 'node:fs'
import { readFile } from 'node:fs/promises'
import type { Deployment, Hex } from '../chain/types.ts'
import { replaceFile } from '../lib/replace-file.ts'

/** `DATA_DIR/dev.json`: all that a script needs to use the embedded venue at once. Development only. */
export interface DevFile {
  readonly chain: { readonly rpcUrl: string; readonly chainId: number }
  readonly contracts: Deployment['contracts']
  readonly accounts: readonly { readonly address: Hex; readonly privateKey: Hex }[]
  /** What each product says of itself, under its name. */
  readonly [product: string]: unknown
}

/** The file as an earlier start wrote it; empty at the first. */
export async function readDevFile(path: string): Promise<Readonly<Record<string, unknown>>> {
  return existsSync(path) ? JSON.parse(await readFile(path, 'utf8')) : {}
}

/** Writes the file for its owner alone: it holds secrets. */
export async function writeDevFile(path: string, content: DevFile): Promise<void> {
  await replaceFile(path, `${JSON.stringify(content, null, 2)}\n`, 0o600)
}
