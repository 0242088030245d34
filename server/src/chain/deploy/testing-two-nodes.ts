import { createServer } from 'node:http'
import type { AddressInfo } from 'node:net'
import { text } from 'node:stream/consumers'
import { toHex } from 'viem'
import type { RpcCall } from '../rpc.ts'
import type { Hex } from '../types.ts'

/** Where a read has the block that it is of, among its parameters. */
const BLOCK_PLACE: Readonly<Record<string, number>> = { eth_call: 1, eth_estimateGas: 1, eth_getStorageAt: 2 }

/** Requests after each receipt that the node behind answers. */
const ANSWERED_BEHIND = 2

interface Request extends RpcCall {
  readonly id: number
}

/** An address with two nodes behind it. */
export interface TwoNodes {
  readonly url: string
  /** Requests that the one behind has answered. */
  answeredBehind(): number
  stop(): Promise<void>
}

/** Of two nodes one stands behind: it answers the first requests of these methods after each receipt, as the chain was before that block. */
export async function startTwoNodes(nodeUrl: string, methods: readonly string[]): Promise<TwoNodes> {
  let [left, answered] = [0, 0]
  let height = 0n
  const server = createServer(async (request, response) => {
    const body = JSON.parse(await text(request)) as Request | Request[]
    const calls = [body].flat()
    const isBehind = left > 0 && calls.some(({ method }) => methods.includes(method))
    if (isBehind) {
      left--
      answered++
    }
    const asked = isBehind ? calls.map((call) => seenBehind(call, height - 1n)) : calls
    const answers = await Promise.all(asked.map((one) => ('method' in one ? forwarded(nodeUrl, one) : one)))
    for (const [index, { method }] of calls.entries()) {
      const receipt = method === 'eth_getTransactionReceipt' && answers[index]?.result
      if (!receipt) continue
      left = ANSWERED_BEHIND
      height = BigInt((receipt as { blockNumber: Hex }).blockNumber)
    }
    response.writeHead(200, { 'content-type': 'application/json' })
    response.end(JSON.stringify(Array.isArray(body) ? answers : answers[0]))
  })
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve))
  return {
    url: `http://127.0.0.1:${(server.address() as AddressInfo).port}`,
    answeredBehind: () => answered,
    stop: async () => {
      server.closeAllConnections()
      await new Promise((resolve) => server.close(resolve))
    },
  }
}

interface Answer {
  readonly jsonrpc: '2.0'
  readonly id: number
  readonly result?: unknown
  readonly error?: { readonly code: number; readonly message: string }
}

async function forwarded(nodeUrl: string, call: Request): Promise<Answer> {
  const headers = { 'content-type': 'application/json' }
  const response = await fetch(nodeUrl, { method: 'POST', headers, body: JSON.stringify({ jsonrpc: '2.0', ...call }) })
  return (await response.json()) as Answer
}

/** What a node at that height makes of a call: its answer, or the call with its own block named. */
function seenBehind({ id, method, params }: Request, height: bigint): Request | Answer {
  if (method === 'eth_blockNumber') return { jsonrpc: '2.0', id, result: toHex(height) }
  if (method === 'eth_getBlockByNumber' && isAbove(params[0], height)) return { jsonrpc: '2.0', id, result: null }
  if (method === 'eth_getLogs') {
    const [filter] = params as [{ toBlock: Hex }]
    const toBlock = isAbove(filter.toBlock, height) ? toHex(height) : filter.toBlock
    return { id, method, params: [{ ...filter, toBlock }] }
  }
  const place = BLOCK_PLACE[method]
  if (place === undefined) return { id, method, params }
  const block = params[place] ?? 'latest'
  if (isAbove(block, height)) return { jsonrpc: '2.0', id, error: { code: -32_000, message: 'header not found' } }
  return { id, method, params: [...params.slice(0, place), block === 'latest' ? toHex(height) : block] }
}

const isAbove = (block: unknown, height: bigint): boolean =>
  typeof block === 'string' && block.startsWith('0x') && BigInt(block) > height
