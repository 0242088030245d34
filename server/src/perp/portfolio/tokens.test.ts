import { once } from 'node:events'
import { createServer, type ServerResponse } from 'node:http'
import type { AddressInfo } from 'node:net'
import { encodeFunctionResult, erc20Abi, parseAbi, stringToHex, zeroAddress } from 'viem'
import { beforeEach, expect, it, vi } from 'vitest'
import { createRpc, type Rpc, type RpcCall, type RpcOutcome } from '../../chain/rpc.ts'
import { RpcError } from '../../chain/rpc-error.ts'
import type { Hex } from '../../chain/types.ts'
import type { Instruments } from '../listing/catalogue.ts'
import { tokenBook } from './tokens.ts'

const [TOKEN, OTHER] = ['1', '2'].map((digit): Hex => `0x${digit.repeat(40)}`) as [Hex, Hex]
const BLOCK = { height: 7n, hash: `0x${'7'.repeat(64)}`, timestampSec: 0n } as const
const NOTHING_LISTED: Instruments = { block: { height: 7n, timestampSec: 0n }, list: [] }

type Answer = Hex | { readonly code: number; readonly message: string; readonly data?: Hex }
interface Said {
  readonly symbol: Answer
  readonly decimals: Answer
}

const symbolIs = (result: string): Hex => encodeFunctionResult({ abi: erc20Abi, functionName: 'symbol', result })
const wideAbi = parseAbi(['function decimals() view returns (uint256)'])
const decimalsAre = (result: bigint): Hex => encodeFunctionResult({ abi: wideAbi, functionName: 'decimals', result })

const SOUND: Said = { symbol: symbolIs('MNT'), decimals: decimalsAre(6n) }
const REVERT = { code: 3, message: 'execution reverted', data: '0x' } as const
const NOT_FOUND = { code: -32_000, message: 'header not found' }

/** What each contract says; what is not here says what is sound. */
let contracts: Map<Hex, Said>
let asked: RpcCall[]
beforeEach(() => {
  contracts = new Map()
  asked = []
  isRefused = () => false
})

function outcomeOf({ params }: RpcCall): RpcOutcome<Hex> {
  const { to, data } = params[0] as { readonly to: Hex; readonly data: Hex }
  const said = contracts.get(to) ?? SOUND
  const answer = data === '0x95d89b41' ? said.symbol : said.decimals
  if (typeof answer === 'string') return { ok: true, value: answer }
  return { ok: false, error: new RpcError('rpc_error', 'eth_call', answer.message, { rpc: answer }) }
}
const rpc = {
  async outcomes(calls: readonly RpcCall[]) {
    asked.push(...calls)
    return isRefused(calls) ? calls.map(tooLarge) : calls.map(outcomeOf)
  },
} as unknown as Rpc

/** Whether the node takes no request of these. */
let isRefused: (calls: readonly RpcCall[]) => boolean
const tooLarge = (): RpcOutcome<Hex> => {
  const answer = { code: -32_600, message: 'response too large' }
  return { ok: false, error: new RpcError('rpc_error', 'eth_call', answer.message, { rpc: answer }) }
}

/** What a book says of a token. */
async function saidOf(said: Said) {
  contracts.set(TOKEN, said)
  const { known, failures } = await tokenBook(rpc)(BLOCK, NOTHING_LISTED, [TOKEN])
  expect(failures.size).toBe(0)
  const { symbol, decimals } = known.get(TOKEN)?.view ?? {}
  return { symbol, decimals }
}

it('are asked once, with little gas, from nobody, and of a node that has the block', async () => {
  const tokens = tokenBook(rpc)
  for (let time = 0; time < 2; time++) await tokens(BLOCK, NOTHING_LISTED, [TOKEN, TOKEN])
  expect(asked.map(({ method, params }) => [method, ...params])).toEqual(
    [
      [TOKEN, '0x95d89b41'],
      [TOKEN, '0x313ce567'],
      [zeroAddress, '0x'],
    ].map(([to, data]) => ['eth_call', { to, data, gas: '0x30d40' }, { blockHash: BLOCK.hash }]),
  )
})

it.each([
  ['of a megabyte', symbolIs('\0'.repeat(2 ** 20))],
  ['longer than a name', symbolIs('x'.repeat(33))],
  ['that changes what is written beside it', symbolIs('USDC\u202e')],
  ['of two lines', symbolIs('USDC\n')],
  ['that is none, as older tokens have it', stringToHex('MKR', { size: 32 })],
  ['of an account without code', '0x'],
  ['that is refused', REVERT],
  ['that takes too much gas', { code: -32_000, message: 'out of gas' }],
  ['that the stack is too small for', { code: -32_000, message: 'stack limit reached 1024 (1023)' }],
] as [string, Answer][])('has no symbol where it says one %s', async (_, symbol) => {
  expect(await saidOf({ symbol, decimals: decimalsAre(6n) })).toEqual({ symbol: '', decimals: 6 })
})

it.each(['MNT', 'USD₮0', 'Staked ETH', 'x'.repeat(32)])('has the symbol %s', async (symbol) => {
  expect(await saidOf({ symbol: symbolIs(symbol), decimals: decimalsAre(6n) })).toEqual({ symbol, decimals: 6 })
})

it.each([
  ['more than a byte holds', decimalsAre(256n), 0],
  ['as many as a word holds', decimalsAre(2n ** 256n - 1n), 0],
  ['so many that amounts were megabytes', decimalsAre(100_000_000n), 0],
  ['as many as a byte holds', decimalsAre(255n), 255],
  ['none', REVERT, 0],
] as [string, Answer, number][])('has decimals of its own unless it says %s', async (_, decimals, expected) => {
  expect(await saidOf({ symbol: symbolIs('MNT'), decimals })).toEqual({ symbol: 'MNT', decimals: expected })
})

it('is not known while the node does not tell, others are, and it is asked again', async () => {
  const tokens = tokenBook(rpc)
  contracts.set(TOKEN, { symbol: symbolIs('MNT'), decimals: NOT_FOUND })
  const first = await tokens(BLOCK, NOTHING_LISTED, [TOKEN, OTHER])
  expect([...first.known.keys()]).toEqual(expect.arrayContaining([OTHER]))
  expect(first.known.has(TOKEN)).toBe(false)
  expect(first.failures.get(TOKEN)).toMatchObject({ rpc: NOT_FOUND })
  expect([...first.refused]).toEqual([TOKEN])
  contracts.delete(TOKEN)
  const second = await tokens(BLOCK, NOTHING_LISTED, [TOKEN, OTHER])
  expect([second.known.get(TOKEN)?.view.decimals, second.failures.size]).toEqual([6, 0])
  expect(asked).toHaveLength(10)
})

it('are not refused by a node that runs no call at all at the block', async () => {
  for (const address of [TOKEN, zeroAddress]) contracts.set(address, { symbol: NOT_FOUND, decimals: NOT_FOUND })
  const { failures, refused } = await tokenBook(rpc)(BLOCK, NOTHING_LISTED, [TOKEN, OTHER])
  expect([[...failures.keys()], refused.size]).toEqual([[TOKEN], 0])
})

it('are known beside one at which a node gives up the whole request, in words that nobody knows', async () => {
  const given = { code: -32_000, message: 'no' }
  const giving: Pick<Rpc, 'outcomes'> = {
    outcomes: async <T>(calls: readonly RpcCall[]) => {
      const isGivenUp = calls.length > 3 && JSON.stringify(calls).includes(TOKEN)
      const error = new RpcError('rpc_error', 'eth_call', given.message, { rpc: given })
      return calls.map((call) => (isGivenUp ? { ok: false, error } : outcomeOf(call))) as RpcOutcome<T>[]
    },
  }
  contracts.set(TOKEN, { symbol: given, decimals: given })
  const { known, refused } = await tokenBook(giving as Rpc)(BLOCK, NOTHING_LISTED, [TOKEN, OTHER])
  expect([known.get(OTHER)?.view.symbol, [...refused]]).toEqual(['MNT', [TOKEN]])
})

it('have their turn still to come where those before them took the time', async () => {
  const time = new AbortController()
  vi.spyOn(AbortSignal, 'timeout').mockReturnValue(time.signal)
  const slow = new RpcError('rpc_timeout', 'eth_call', 'no answer in time')
  const third: Hex = `0x${'3'.repeat(40)}`
  const slowly: Pick<Rpc, 'outcomes'> = {
    outcomes: async <T>(calls: readonly RpcCall[]) => {
      if (calls.length === 3 && JSON.stringify(calls).includes(OTHER)) time.abort()
      time.signal.throwIfAborted()
      return calls.map((): RpcOutcome<T> => ({ ok: false, error: slow }))
    },
  }
  const { known, failures } = await tokenBook(slowly as Rpc)(BLOCK, NOTHING_LISTED, [TOKEN, OTHER, third])
  vi.restoreAllMocks()
  expect([[...failures], known.has(OTHER), known.has(third)]).toEqual([[[TOKEN, slow]], false, false])
})

it('are asked in a number that may have a bound, those first that come first', async () => {
  const { known, failures } = await tokenBook(rpc)(BLOCK, NOTHING_LISTED, [TOKEN, OTHER, TOKEN], 1)
  expect([known.has(TOKEN), known.has(OTHER), failures.size]).toEqual([true, false, 0])
})

it('are remembered in a number that has an end', async () => {
  const tokens = tokenBook(rpc)
  const all = Array.from({ length: 5_001 }, (_, nth): Hex => `0x${nth.toString(16).padStart(40, '0')}`)
  await tokens(BLOCK, NOTHING_LISTED, all)
  asked = []
  expect((await tokens(BLOCK, NOTHING_LISTED, all)).known.size).toBe(5_002)
  expect(asked).toHaveLength(3)
})

it('are known however few calls a node takes in one request', async () => {
  isRefused = (calls) => calls.length > 3
  const addresses = Array.from({ length: 6 }, (_, nth): Hex => `0x${String(nth).padStart(40, '0')}`)
  const { known, failures } = await tokenBook(rpc)(BLOCK, NOTHING_LISTED, addresses)
  expect(failures.size).toBe(0)
  expect(addresses.map((address) => known.get(address)?.view.symbol)).toEqual(addresses.map(() => 'MNT'))
})

it('are known beside one whose answer is larger than the node gives, which says none', async () => {
  isRefused = (calls) => calls.some(({ params }) => (params[0] as { readonly to: Hex }).to === TOKEN)
  const third: Hex = `0x${'3'.repeat(40)}`
  const tokens = tokenBook(rpc)
  const { known, failures } = await tokens(BLOCK, NOTHING_LISTED, [TOKEN, OTHER, third])
  expect(failures.size).toBe(0)
  expect([TOKEN, OTHER, third].map((address) => known.get(address)?.view.symbol)).toEqual(['', 'MNT', 'MNT'])
  asked = []
  await tokens(BLOCK, NOTHING_LISTED, [TOKEN])
  expect(asked).toEqual([])
})

it('are not taken for such as say none where a node that is asked for one has no time', async () => {
  const busy = { code: -32_002, message: 'request timed out' }
  contracts.set(TOKEN, { symbol: busy, decimals: busy })
  const { known, failures } = await tokenBook(rpc)(BLOCK, NOTHING_LISTED, [TOKEN])
  expect([known.has(TOKEN), failures.get(TOKEN)]).toMatchObject([false, { rpc: busy }])
})

it('are known beside one whose answer has no end, of which no more is read than of sound ones', async () => {
  const node = createServer(async (request, response) => {
    const body: Request | readonly Request[] = JSON.parse(Buffer.concat(await request.toArray()).toString())
    const requests = [body].flat()
    if (requests.some((one) => JSON.stringify(one).includes(TOKEN))) return writeForEver(response)
    const answers = requests.map((one) => ({ jsonrpc: '2.0', id: one.id, result: returnedBy(outcomeOf(one)) }))
    response.end(JSON.stringify(answers))
  }).listen(0, '127.0.0.1')
  await once(node, 'listening')
  const client = createRpc({ url: `http://127.0.0.1:${(node.address() as AddressInfo).port}` })
  const { known, failures } = await tokenBook(client)(BLOCK, NOTHING_LISTED, [TOKEN, OTHER])
  expect(failures.size).toBe(0)
  expect([TOKEN, OTHER].map((address) => known.get(address)?.view)).toMatchObject([
    { symbol: '', decimals: 0 },
    { symbol: 'MNT', decimals: 6 },
  ])
  node.closeAllConnections()
  node.close()
})

type Request = RpcCall & { readonly id: number }
const returnedBy = (outcome: RpcOutcome<Hex>) => (outcome.ok ? outcome.value : null)

function writeForEver(response: ServerResponse): void {
  if (response.destroyed) return
  response.write('0'.repeat(10_000), () => setImmediate(writeForEver, response))
}
