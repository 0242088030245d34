import { randomBytes } from 'node:crypto'
import { existsSync } from 'node:fs'
import { readFile } from 'node:fs/promises'
import { replaceFile } from './replace-file.ts'

/** A random secret of so many bytes, as hex, that a file keeps for its owner alone; made where there is no such file. */
export async function keptSecret(file: string, bytes: number): Promise<string> {
  if (existsSync(file)) return (await readFile(file, 'utf8')).trim()
  const secret = randomBytes(bytes).toString('hex')
  // Whole or not at all: a file that a kill left empty would be the secret of every later start.
  await replaceFile(file, secret, 0o600)
  return secret
}
