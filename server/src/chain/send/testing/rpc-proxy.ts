import { createServer, type IncomingMessage, type ServerResponse } from 'node:http'
import type { AddressInfo } from 'node:net'

interface ProxyCall {
  readonly id: unknown
  readonly method: string
}

/**
 * What the proxy does with a request.
 *
 * - `pass`: forwards it and the answer.
 * - `lose_answer`: forwards it and breaks the connection instead of answering.
 * - `hang`: forwards it and never answers.
 * - `refuse`: HTTP 429, nothing is forwarded.
 * - a function: forwards it and puts each result through the function.
 */
export type ProxyAct = 'pass' | 'lose_answer' | 'hang' | 'refuse' | ((method: string, result: unknown) => unknown)

export interface RpcProxy {
  readonly url: string
  stop(): Promise<void>
}

/** A JSON-RPC proxy before `target` that misbehaves as `decide` says for the methods of a request. */
export async function startRpcProxy(target: string, decide: (methods: string[]) => ProxyAct): Promise<RpcProxy> {
  const server = createServer((request, response) => {
    handle(target, decide, request, response).catch(() => response.destroy())
  })
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve))
  const { port } = server.address() as AddressInfo
  const stop = async () => {
    server.closeAllConnections()
    await new Promise((resolve) => server.close(resolve))
  }
  return { url: `http://127.0.0.1:${port}`, stop }
}

async function handle(
  target: string,
  decide: (methods: string[]) => ProxyAct,
  request: IncomingMessage,
  response: ServerResponse,
): Promise<void> {
  const chunks: Buffer[] = []
  for await (const chunk of request) chunks.push(chunk as Buffer)
  const body = Buffer.concat(chunks).toString()
  const parsed = JSON.parse(body) as ProxyCall | ProxyCall[]
  const calls = [parsed].flat()
  const act = decide(calls.map((call) => call.method))
  if (act === 'refuse') {
    response.writeHead(429, { 'retry-after': '1' }).end('too many requests')
    return
  }
  const answer = await fetch(target, { method: 'POST', headers: { 'content-type': 'application/json' }, body })
  const text = await answer.text()
  if (act === 'lose_answer') response.destroy()
  if (act === 'lose_answer' || act === 'hang') return
  response.writeHead(answer.status, { 'content-type': 'application/json' })
  response.end(act === 'pass' ? text : rewrite(calls, text, act))
}

function rewrite(calls: ProxyCall[], text: string, change: (method: string, result: unknown) => unknown): string {
  const answers = JSON.parse(text) as Record<string, unknown> | Record<string, unknown>[]
  const changed = [answers].flat().map((answer) => {
    const method = calls.find((call) => call.id === answer.id)?.method ?? ''
    return 'result' in answer ? { ...answer, result: change(method, answer.result) } : answer
  })
  return JSON.stringify(Array.isArray(answers) ? changed : changed[0])
}
