import { readFileSync } from 'node:fs'
import { mkdtemp, rm, symlink, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { expect } from 'vitest'
import { type Command, type Run, runProgram } from '../src/lib/testing-run.ts'

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

/** The arguments of `sign` follow, in each of the three languages. @param module the guide's file, without its ending */
export const signersOf = (module: string): Readonly<Record<string, Command>> => ({
  TypeScript: [
    'node',
    '--input-type=module',
    '-e',
    `import('./${module}.ts').then(({ sign }) => console.log(sign(...process.argv.slice(1))))`,
    '--',
  ],
  Python: ['python3', '-c', `import sys, ${module}; print(${module}.sign(*sys.argv[1:]))`],
  shell: ['bash', '-c', `set -euo pipefail; source ./${module}.sh; sign "$@"`, 'sign'],
})

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
  async run(command: Command): Promise<Run> {
    const { code, output, problems } = await runProgram(command, { cwd: this.#path, env: this.environment })
    return { code, output: output.trim(), problems }
  }

  async succeed(command: Command): Promise<string> {
    const { code, output, problems } = await this.run(command)
    expect(code, `${command[0]}: ${output}\n${problems}`).toBe(0)
    return output
  }

  remove(): Promise<void> {
    return rm(this.#path, { recursive: true, force: true })
  }
}
