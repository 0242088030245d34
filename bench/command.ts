import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { round } from './report.ts'

/** Runs a command to its end; answers the seconds it took. */
export async function run(command: string, args: readonly string[], cwd: string): Promise<number> {
  const startedMs = performance.now()
  const child = spawn(command, args, { cwd, stdio: ['ignore', 'ignore', 'inherit'] })
  const [code] = await once(child, 'exit')
  if (code !== 0) throw new Error(`${command} ${args.join(' ')} ended with exit code ${code}`)
  return round((performance.now() - startedMs) / 1000, 1)
}
