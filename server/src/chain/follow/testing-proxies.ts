import { once } from 'node:events'
import { createServer as createHttpServer, type IncomingMessage, type ServerResponse } from 'node:http'
import { type AddressInfo, connect, createServer as createTcpServer, type Socket } from 'node:net'
import type { Rpc } from '../rpc.ts'
import { RpcError } from '../rpc-error.ts'

interface ProxiedCall {
  readonly id: number
  readonly method: string
  readonly params: readonly unknown[]
}

/** Decides the answer to a call; `forward` asks the real node. */
type Intercept = (call: ProxiedCall, forward: () => Promise<unknown>) => Promise<unknown>

export interface RpcProxy {
  readonly url: string
  intercept: Intercept
  close(): Promise<void>
}

/** A JSON-RPC server before a real node, which can serve what lagging, stale or failing nodes serve. */
export async function startRpcProxy(node: Rpc): Promise<RpcProxy> {
  const proxy = { intercept: ((_, forward) => forward()) as Intercept }
  const answer = async (call: ProxiedCall): Promise<unknown> => {
    try {
      const result = await proxy.intercept(call, () => node.call(call.method, call.params))
      return { jsonrpc: '2.0', id: call.id, result }
    } catch (error) {
      const rpc = error instanceof RpcError && error.rpc ? error.rpc : { code: -32603, message: String(error) }
      return { jsonrpc: '2.0', id: call.id, error: rpc }
    }
  }
  const server = createHttpServer(async (request: IncomingMessage, response: ServerResponse) => {
    const body: ProxiedCall | ProxiedCall[] = JSON.parse(Buffer.concat(await request.toArray()).toString())
    const answers = Array.isArray(body) ? await Promise.all(body.map(answer)) : await answer(body)
    response.setHeader('content-type', 'application/json').end(JSON.stringify(answers))
  })
  server.listen(0, '127.0.0.1')
  await once(server, 'listening')
  const close = async () => {
    server.closeAllConnections()
    await new Promise((resolve) => server.close(resolve))
  }
  const url = `http://127.0.0.1:${(server.address() as AddressInfo).port}`
  return Object.assign(proxy, { url, close })
}

export interface DatabaseProxy {
  readonly url: string
  /** Resolves when the connections have been cut. */
  cutAfter(chunks: number): Promise<void>
  close(): Promise<void>
}

/**
 * A TCP relay before PostgreSQL that cuts every connection once so many pieces of data, requests and answers counted
 * together, have passed: what the server has received stays done, what it answered last may not arrive.
 */
export async function startDatabaseProxy(databaseUrl: string): Promise<DatabaseProxy> {
  const target = new URL(databaseUrl)
  const sockets = new Set<Socket>()
  let remaining = Number.POSITIVE_INFINITY
  let onCut = () => {}
  const count = () => {
    if (--remaining > 0) return
    remaining = Number.POSITIVE_INFINITY
    for (const socket of sockets) socket.destroy()
    onCut()
  }
  const server = createTcpServer((client) => {
    const upstream = connect(Number(target.port), target.hostname)
    for (const [from, to] of [
      [client, upstream],
      [upstream, client],
    ] as const) {
      sockets.add(from)
      from.on('error', () => {})
      from.on('close', () => {
        sockets.delete(from)
        to.destroy()
      })
      from.on('data', (data) => {
        to.write(data, count)
      })
    }
  })
  server.listen(0, '127.0.0.1')
  await once(server, 'listening')
  const url = new URL(databaseUrl)
  url.hostname = '127.0.0.1'
  url.port = String((server.address() as AddressInfo).port)
  return {
    url: url.href,
    cutAfter(chunks) {
      const cut = new Promise<void>((resolve) => {
        onCut = resolve
      })
      remaining = chunks
      return cut
    },
    async close() {
      for (const socket of sockets) socket.destroy()
      await new Promise((resolve) => server.close(resolve))
    },
  }
}
