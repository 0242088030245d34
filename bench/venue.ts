import { type ChildProcess, spawn } from 'node:child_process'
import { once } from 'node:events'

export interface RunningVenue {
  readonly pid: number
  /** From the start of the process to its summary. */
  readonly readyAfterMs: number
  /** Ctrl-C; throws unless it drains and ends with exit code 0. */
  stop(): Promise<void>
}

/** Starts a venue on a data folder with everything embedded, and waits until it says that it is ready. */
export async function startVenue(
  command: string,
  args: readonly string[],
  options: { readonly cwd: string; readonly dataDir: string },
): Promise<RunningVenue> {
  const { DATABASE_URL: _database, REDIS_URL: _redis, CHAIN_RPC_URL: _chain, ...inherited } = process.env
  const startedMs = performance.now()
  const child = spawn(command, args, {
    cwd: options.cwd,
    env: { ...inherited, DATA_DIR: options.dataDir, PORT: '0' },
    stdio: ['ignore', 'pipe', 'pipe'],
    // A process group of its own, which gets the signal as a terminal would send it.
    detached: true,
  })
  const exited = once(child, 'exit') as Promise<[number | null]>
  const output = await untilReady(child, exited)
  const readyAfterMs = performance.now() - startedMs
  return {
    pid: child.pid ?? 0,
    readyAfterMs,
    async stop() {
      process.kill(-(child.pid ?? 0), 'SIGINT')
      const [code] = await exited
      if (code !== 0) throw new Error(`the venue ended with exit code ${code}:\n${output()}`)
    },
  }
}

async function untilReady(child: ChildProcess, exited: Promise<unknown>): Promise<() => string> {
  let output = ''
  const { promise: ready, resolve } = Promise.withResolvers<void>()
  const collect = (chunk: Buffer) => {
    output = (output + chunk.toString()).slice(-10_000)
    if (output.includes('Bourse is ready')) resolve()
  }
  child.stdout?.on('data', collect)
  child.stderr?.on('data', collect)
  const ended = exited.then(() => {
    throw new Error(`the venue ended before it was ready:\n${output}`)
  })
  ended.catch(() => {})
  await Promise.race([ready, ended])
  return () => output
}
