import { createServer, type IncomingMessage, type ServerResponse } from 'node:http'
import type { AddressInfo } from 'node:net'
import { sleep } from '../../../lib/clock.ts'

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
 * - `slow`: forwards it, and the answer a quarter of a second later.
 * - `reset`: breaks the connection, nothing is forwarded.
 * - `refuse`: HTTP 429, nothing is forwarded.
 * - `break`: HTTP 503, nothing is forwarded.
 * - `answer_broken`: forwards it and answers with HTTP 502 and words that a node might use.
 * - a message: answers each call with it as the node's error, nothing is forwarded.
 * - a function: forwards it and puts each result through the function.
 */
export type ProxyAct =
  | 'pass'
  | 'lose_answer'
  | 'hang'
  | 'slow'
  | 'reset'
  | 'refuse'
  | 'break'
  | 'answer_broken'
  | { readonly message: string }
  | ((method: string, result: unknown) => unknown)

const SLOW_MS = 250

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
  if (act === 'reset') {
    request.socket.destroy()
    return
  }
  if (act === 'refuse' || act === 'break') {
    response.writeHead(act === 'refuse' ? 429 : 503, { 'retry-after': '1' }).end('too many requests')
    return
  }
  if (typeof act === 'object') {
    const answers = calls.map(({ id }) => ({ jsonrpc: '2.0', id, error: { code: -32_000, message: act.message } }))
    sendJson(response, 200, JSON.stringify(Array.isArray(parsed) ? answers : answers[0]))
    return
  }
  const answer = await fetch(target, { method: 'POST', headers: { 'content-type': 'application/json' }, body })
  const text = await answer.text()
  if (act === 'lose_answer') response.destroy()
  if (act === 'lose_answer' || act === 'hang') return
  if (act === 'slow') await sleep(SLOW_MS)
  if (act === 'answer_broken') response.writeHead(502).end('nonce too low, insufficient funds for gas * price + value')
  else sendJson(response, answer.status, typeof act === 'function' ? rewrite(calls, text, act) : text)
}

function sendJson(response: ServerResponse, status: number, text: string): void {
  response.writeHead(status, { 'content-type': 'application/json' })
  response.end(text)
}

function rewrite(calls: ProxyCall[], text: string, change: (method: string, result: unknown) => unknown): string {
  const answers = JSON.parse(text) as Record<string, unknown> | Record<string, unknown>[]
  const changed = [answers].flat().map((answer) => {
    const method = calls.find((call) => call.id === answer.id)?.method ?? ''
    return 'result' in answer ? { ...answer, result: change(method, answer.result) } : answer
  })
  return JSON.stringify(Array.isArray(answers) ? changed : changed[0])
}
