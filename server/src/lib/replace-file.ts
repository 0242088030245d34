import { rename, writeFile } from 'node:fs/promises'

/** Writes the file whole or not at all, whenever the process is killed: beside it first. Throws what the file system does. */
export async function replaceFile(path: string, text: string, mode = 0o666): Promise<void> {
  const beside = `${path}.new`
  await writeFile(beside, text, { mode, flush: true })
  await rename(beside, path)
}
