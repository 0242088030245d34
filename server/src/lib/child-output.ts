import type { ChildProcess } from 'node:child_process'

const KEPT_CHARACTERS = 4000

/** Keeps the last that a child printed, or why it could not be started, for the message when it fails, and drains its pipes. */
export function collectOutput(child: ChildProcess): () => string {
  let text = ''
  const keep = (chunk: Buffer) => {
    text = (text + chunk.toString()).slice(-KEPT_CHARACTERS)
  }
  child.stdout?.on('data', keep)
  child.stderr?.on('data', keep)
  child.on('error', (error) => keep(Buffer.from(error.message)))
  return () => text
}
