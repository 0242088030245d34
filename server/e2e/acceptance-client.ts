import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { join } from 'node:path'

/** Where the acceptance clients are, which are written in Python. */
export const acceptanceFolder = join(import.meta.dirname, '..', '..', 'acceptance')

export interface Run {
  readonly code: number | null
  readonly output: string
  /** The checks that failed, each with what was expected and what it got. */
  readonly failed: readonly string[]
}

/** Runs a program of acceptance/; throws when there is no python3. */
export async function python(program: string, ...args: string[]): Promise<Run> {
  const child = spawn('python3', [join(acceptanceFolder, program), ...args], {
    env: { ...process.env, PYTHONDONTWRITEBYTECODE: '1' },
    stdio: ['ignore', 'pipe', 'pipe'],
  })
  let output = ''
  const collect = (chunk: Buffer) => {
    output += chunk.toString()
  }
  child.stdout.on('data', collect)
  child.stderr.on('data', collect)
  const [code] = (await once(child, 'close')) as [number | null]
  const failed = output.split(/^(?=PASS|FAIL|\d+ checks)/m).filter((text) => text.startsWith('FAIL'))
  return { code, output, failed }
}

/** The rows of the tables of a text. */
export const rows = (text: string) => text.split('\n').filter((line) => line.startsWith('| '))
