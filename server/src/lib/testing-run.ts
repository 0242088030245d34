import { spawn } from 'node:child_process'
import { once } from 'node:events'

export type Command = readonly [command: string, ...args: string[]]

export interface Run {
  readonly code: number | null
  readonly output: string
  readonly problems: string
}

/** Runs a program to its end, and answers what it wrote. Rejects when there is no such program. */
export async function runProgram(
  [command, ...args]: Command,
  place: { readonly cwd?: string; readonly env: NodeJS.ProcessEnv },
): Promise<Run> {
  const child = spawn(command, args, { ...place, stdio: ['ignore', 'pipe', 'pipe'] })
  let output = ''
  let problems = ''
  child.stdout.on('data', (chunk: Buffer) => {
    output += chunk.toString()
  })
  child.stderr.on('data', (chunk: Buffer) => {
    problems += chunk.toString()
  })
  const [code] = (await once(child, 'close')) as [number | null]
  return { code, output, problems }
}
