import { type ChildProcess, fork } from 'node:child_process'
import { once } from 'node:events'
import { join } from 'node:path'
import type { ChildOrder } from './relayer-child.ts'

export interface RelayerChild {
  readonly process: ChildProcess
  /** Resolves with the signal or exit code that ended it. */
  readonly ended: Promise<NodeJS.Signals | number>
}

/** Starts a relayer as a process of its own. */
export function spawnRelayer(order: ChildOrder): RelayerChild {
  const text = JSON.stringify(order, (_, value) => (typeof value === 'bigint' ? `${value}n` : value))
  const child = fork(join(import.meta.dirname, 'relayer-child.ts'), {
    env: { ...process.env, RELAYER_CHILD: text },
    stdio: ['ignore', 'inherit', 'inherit', 'ipc'],
  })
  const ended = once(child, 'exit').then(([code, signal]) => (signal ?? code) as NodeJS.Signals | number)
  return { process: child, ended }
}
