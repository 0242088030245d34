import { randomInt } from 'node:crypto'
import { once } from 'node:events'
import { createServer } from 'node:net'

/**
 * Below what the kernels hand out by themselves (Linux from 32768, others from 49152), so that no outgoing connection
 * takes a port between its choice and its use, or while its owner restarts on it.
 */
const LOWEST = 10_000
const HIGHEST = 32_000
const ATTEMPTS = 100

/** A loopback TCP port that was free a moment ago, for a child process that cannot choose its own. */
export async function freePort(): Promise<number> {
  for (let attempt = 1; ; ++attempt) {
    const port = randomInt(LOWEST, HIGHEST)
    try {
      await bindOnce(port)
      return port
    } catch (error) {
      if (attempt === ATTEMPTS) throw error
    }
  }
}

/** Throws when `port` is taken on the loopback interface: a child's readiness check would find the stranger there. */
export async function assertPortFree(port: number): Promise<void> {
  await bindOnce(port).catch((cause) => {
    throw new Error(`port ${port} of 127.0.0.1 is already in use`, { cause })
  })
}

async function bindOnce(port: number): Promise<void> {
  const server = createServer().listen(port, '127.0.0.1')
  await once(server, 'listening')
  server.close()
  await once(server, 'close')
}
