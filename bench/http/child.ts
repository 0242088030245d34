import { type ChildProcess, spawn, spawnSync } from 'node:child_process'
import { once } from 'node:events'
import { availableParallelism } from 'node:os'
import { join } from 'node:path'

/** True where processes can be bound to cores, so that the load never takes time from the server. */
export const canPin = (): boolean =>
  availableParallelism() > 1 && spawnSync('taskset', ['--version'], { stdio: 'ignore' }).status === 0

/** A helper process that answers one message at a time. */
export interface Child {
  ask<Answer>(message: object | string): Promise<Answer>
  stop(): Promise<void>
}

/** Starts a module of this folder as a process of its own, bound to a core unless that is null. */
export function startChild(file: string, core: number | null, nodeOptions: readonly string[] = []): Child {
  const program = [process.execPath, ...nodeOptions, join(import.meta.dirname, file)]
  const [command = '', ...args] = core === null ? program : ['taskset', '-c', String(core), ...program]
  const child = spawn(command, args, { stdio: ['ignore', 'inherit', 'inherit', 'ipc'] })
  const exited = once(child, 'exit')
  return {
    ask: (message) => ask(child, exited, message),
    async stop() {
      if (child.exitCode === null && child.signalCode === null) child.send('stop')
      await exited
    },
  }
}

async function ask<Answer>(child: ChildProcess, exited: Promise<unknown>, message: object | string): Promise<Answer> {
  const answer = once(child, 'message') as Promise<[Answer]>
  child.send(message)
  const gone = exited.then((): never => {
    throw new Error('a helper process ended before it answered')
  })
  gone.catch(() => {})
  return (await Promise.race([answer, gone]))[0]
}
