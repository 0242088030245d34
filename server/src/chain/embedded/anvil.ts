import { type ChildProcess, execFileSync, spawn } from 'node:child_process'
import { once } from 'node:events'
import { existsSync } from 'node:fs'
import { readFile, rm, writeFile } from 'node:fs/promises'
import { createRequire } from 'node:module'
import { dirname, join } from 'node:path'
import { collectOutput } from '../../lib/child-output.ts'
import { sleep } from '../../lib/clock.ts'
import { assertPortFree, freePort } from '../../lib/free-port.ts'
import { DEVELOPMENT_CHAIN } from '../profiles.ts'
import { keepStateCopy, restoreState } from './state-copy.ts'

const START_TIMEOUT_MS = 30_000
/**
 * The node writes its whole state each time, all blocks ever made with the traces of their transactions, and makes no block
 * meanwhile: seconds after a busy hour. Well below the 128 blocks within which a follower takes a loss for a reorganisation.
 */
const STATE_INTERVAL_SEC = 30
/** Room for thousands of transactions a block. */
const BLOCK_GAS_LIMIT = 300_000_000

export interface AnvilOptions {
  readonly chainId?: number
  readonly port?: number
  /** Seconds between blocks; a fraction is fine. Automatic mining per transaction is never used: it livelocks. */
  readonly blockTimeSec?: number
  /** Blocks only on `evm_mine`. */
  readonly noMining?: boolean
  /** File that holds the chain across restarts; written on `stop`, and now and then for a hard kill. */
  readonly statePath?: string
  /** Seconds between two writes of the state; half a minute by default. */
  readonly stateIntervalSec?: number
  /** File of a chain to begin with, which is only read. */
  readonly initialState?: string
  /** `safe` is the head minus this, `finalized` minus twice this. */
  readonly slotsInAnEpoch?: number
  /** Seed phrase of the funded accounts. */
  readonly mnemonic?: string
  readonly accounts?: number
}

export interface Anvil {
  readonly rpcUrl: string
  readonly port: number
  readonly pid: number
  /** SIGTERM: the state is on disk when it resolves. */
  stop(): Promise<void>
  /** SIGKILL: what was mined since the last write of the state is lost. */
  kill(): Promise<void>
}

/** Starts Anvil and waits until it answers. A node that a killed venue left on the same state file is stopped first. */
export async function startAnvil(options: AnvilOptions = {}): Promise<Anvil> {
  if (options.statePath) {
    await stopLeftover(options.statePath)
    await restoreState(options.statePath)
  }
  const port = options.port ?? (await freePort())
  await assertPortFree(port)
  const child = spawn(anvilProgram(), anvilArguments(port, options), {
    stdio: ['ignore', 'ignore', 'pipe'],
    // Its own process group: Ctrl-C in the terminal reaches the venue alone, which stops the chain after the roles.
    detached: true,
  })
  const problem = collectOutput(child)
  const rpcUrl = `http://127.0.0.1:${port}`
  const pid = child.pid as number
  // At once: loading a large state takes long, and if the venue is killed meanwhile, the next start has to know of the node.
  if (options.statePath && pid !== undefined) await writeFile(pidFile(options.statePath), String(pid))
  await waitUntilReady(child, rpcUrl, problem).catch(async (error) => {
    if (pid !== undefined) await end(child, 'SIGKILL', options)
    throw error
  })
  const stopCopying = options.statePath ? keepStateCopy(options.statePath) : () => {}
  const finish = async (signal: 'SIGTERM' | 'SIGKILL') => {
    stopCopying()
    await end(child, signal, options)
  }
  return { rpcUrl, port, pid, stop: () => finish('SIGTERM'), kill: () => finish('SIGKILL') }
}

function anvilArguments(port: number, options: AnvilOptions): string[] {
  const { statePath, stateIntervalSec = STATE_INTERVAL_SEC } = options
  return [
    '--quiet',
    ...['--host', '127.0.0.1', '--port', String(port)],
    ...['--chain-id', String(options.chainId ?? DEVELOPMENT_CHAIN), '--gas-limit', String(BLOCK_GAS_LIMIT)],
    ...['--slots-in-an-epoch', String(options.slotsInAnEpoch ?? 32), '--accounts', String(options.accounts ?? 20)],
    ...(options.mnemonic ? ['--mnemonic', options.mnemonic] : []),
    ...(options.noMining ? ['--no-mining'] : ['--block-time', String(options.blockTimeSec ?? 1)]),
    ...(options.initialState ? ['--load-state', options.initialState] : []),
    ...(statePath ? ['--state', statePath, '--state-interval', String(stateIntervalSec)] : []),
  ]
}

/** The platform package's own binary: the wrapper that npm links costs 65 ms a start. */
function anvilProgram(): string {
  const arch = process.arch === 'x64' ? 'amd64' : process.arch
  const name = `@foundry-rs/anvil-${process.platform}-${arch}`
  const require = createRequire(import.meta.url)
  try {
    const file = process.platform === 'win32' ? 'anvil.exe' : 'anvil'
    return join(dirname(require.resolve(`${name}/package.json`)), 'bin', file)
  } catch (cause) {
    throw new Error(`no embedded chain for this platform: ${name} is not installed. Set CHAIN_RPC_URL.`, { cause })
  }
}

async function waitUntilReady(child: ChildProcess, rpcUrl: string, problem: () => string): Promise<void> {
  const deadline = Date.now() + START_TIMEOUT_MS
  while (Date.now() < deadline && child.exitCode === null && child.signalCode === null && child.pid !== undefined) {
    if (await answers(rpcUrl)) return
    await sleep(10)
  }
  throw new Error(`the embedded chain did not start: ${problem() || 'it does not answer'}`)
}

async function answers(rpcUrl: string): Promise<boolean> {
  const body = JSON.stringify({ jsonrpc: '2.0', id: 1, method: 'eth_chainId', params: [] })
  const headers = { 'content-type': 'application/json' }
  const response = await fetch(rpcUrl, { method: 'POST', headers, body }).catch(() => null)
  await response?.arrayBuffer()
  return response?.ok ?? false
}

async function end(child: ChildProcess, signal: 'SIGTERM' | 'SIGKILL', options: AnvilOptions): Promise<void> {
  if (child.exitCode === null && child.signalCode === null) {
    const exited = once(child, 'exit')
    child.kill(signal)
    await exited
  }
  if (options.statePath) await rm(pidFile(options.statePath), { force: true })
}

const pidFile = (statePath: string): string => `${statePath}.pid`

/** Stops the node that a killed venue left running: the recorded process, if it still is an Anvil on this state file. */
async function stopLeftover(statePath: string): Promise<void> {
  const file = pidFile(statePath)
  if (!existsSync(file)) return
  const pid = Number(await readFile(file, 'utf8'))
  if (commandOf(pid).includes(statePath)) {
    process.kill(pid, 'SIGTERM')
    const deadline = Date.now() + START_TIMEOUT_MS
    while (commandOf(pid).includes(statePath)) {
      if (Date.now() > deadline) throw new Error(`the chain left behind (process ${pid}) does not stop`)
      await sleep(20)
    }
  }
  await rm(file, { force: true })
}

/** The command line of a process; empty when there is none (or when the platform has no `ps`). */
function commandOf(pid: number): string {
  try {
    return execFileSync('ps', ['-ww', '-o', 'args=', '-p', String(pid)], {
      stdio: ['ignore', 'pipe', 'ignore'],
    }).toString()
  } catch {
    return ''
  }
}
