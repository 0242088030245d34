import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { readFileSync } from 'node:fs'
import { mkdtemp, rm, symlink, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { expect } from 'vitest'

// What the tests of the guides share: the programs of a guide, run as a reader would run them.

export const root = join(import.meta.dirname, '..', '..')

/** A guide of docs/. */
export interface Guide {
  readonly text: string
  /** By the file's name: a block whose first line is a comment with a file's name is that file. */
  readonly programs: ReadonlyMap<string, string>
}

export function readGuide(name: string): Guide {
  const text = readFileSync(join(root, 'docs', name), 'utf8')
  const blocks = text.matchAll(/^```\w+\n((?:\/\/|#) ([\w.-]+)\n[\s\S]*?)^```$/gm)
  return { text, programs: new Map([...blocks].map(([, program = '', file = '']) => [file, program])) }
}

/** The test vectors of a file in sdk/vectors. */
export function vectorsOf<Vector>(file: string): readonly Vector[] {
  return JSON.parse(readFileSync(join(root, 'sdk', 'vectors', file), 'utf8')).vectors
}

export interface Run {
  readonly code: number | null
  readonly output: string
  readonly problems: string
}

/** A folder with the programs of a guide. */
export class ProgramFolder {
  readonly #path: string
  /** What its programs find in their environment. */
  environment: NodeJS.ProcessEnv = { PATH: process.env.PATH }

  private constructor(path: string) {
    this.#path = path
  }

  static async of({ programs }: Guide): Promise<ProgramFolder> {
    const path = await mkdtemp(join(tmpdir(), 'bourse-guide-'))
    for (const [name, text] of programs) await writeFile(join(path, name), text)
    await symlink(join(root, 'node_modules'), join(path, 'node_modules'))
    await writeFile(join(path, 'package.json'), '{"type":"module"}')
    return new ProgramFolder(path)
  }

  /** Runs a command in the folder. A command that is not there fails the test. */
  async run([command, ...args]: readonly string[]): Promise<Run> {
    const place = { cwd: this.#path, env: this.environment }
    const child = spawn(command ?? '', args, { ...place, stdio: ['ignore', 'pipe', 'pipe'] })
    let output = ''
    let problems = ''
    child.stdout.on('data', (chunk: Buffer) => {
      output += chunk.toString()
    })
    child.stderr.on('data', (chunk: Buffer) => {
      problems += chunk.toString()
    })
    const [code] = (await once(child, 'close')) as [number | null]
    return { code, output: output.trim(), problems }
  }

  async succeed(command: readonly string[]): Promise<string> {
    const { code, output, problems } = await this.run(command)
    expect(code, `${command[0]}: ${output}\n${problems}`).toBe(0)
    return output
  }

  remove(): Promise<void> {
    return rm(this.#path, { recursive: true, force: true })
  }
}
