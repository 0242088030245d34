import { type ChildProcess, fork } from 'node:child_process'
import { once } from 'node:events'
import { join } from 'node:path'
import { programFile } from '../../../lib/testing-programs.ts'
import type { ChildOrder } from './relayer-child.ts'

export interface RelayerChild {
  readonly process: ChildProcess
  /** Resolves with the signal or exit code that ended it. */
  readonly ended: Promise<NodeJS.Signals | number>
}

/** A relayer's process that has loaded its code and waits for its order. */
export interface IdleChild {
  start(order: ChildOrder): RelayerChild
  /** Ends a process that is not needed. */
  discard(): Promise<void>
}

/** Starts a process for a relayer, so that it loads its code while another one works. */
export function forkRelayer(): IdleChild {
  const child = fork(programFile(join(import.meta.dirname, 'relayer-child.ts')), {
    stdio: ['ignore', 'inherit', 'inherit', 'ipc'],
  })
  const ended = once(child, 'exit').then(([code, signal]) => (signal ?? code) as NodeJS.Signals | number)
  const start = (order: ChildOrder): RelayerChild => {
    child.send(JSON.stringify(order, (_, value) => (typeof value === 'bigint' ? `${value}n` : value)))
    return { process: child, ended }
  }
  const discard = async () => {
    child.kill('SIGKILL')
    await ended
  }
  return { start, discard }
}

/** Starts a relayer as a process of its own. */
export const spawnRelayer = (order: ChildOrder): RelayerChild => forkRelayer().start(order)
