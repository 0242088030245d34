import type { FastifyInstance } from 'fastify'
import { decodeFunctionData } from 'viem'
import { afterEach, describe, expect, it } from 'vitest'
import { oneClickRouterAbi } from '../../chain/abi/one-click-router.ts'
import type { Rpc, RpcCall } from '../../chain/rpc.ts'
import type { Hex } from '../../chain/types.ts'
import type { Sql } from '../../db/pool.ts'
import type { Venue } from '../../http/product.ts'
import type { Scheme } from '../../http/scheme.ts'
import { testMount, testServer, testVenue } from '../../http/testing.ts'
import type { DelegationContext } from '../delegation.ts'
import { delegationEvents } from '../events.ts'
import { oneClickOf } from '../one-click.ts'
import { oneClickRoutes } from './register.ts'

// The four operations of a product that is not the first: other paths, other texts, a router of its own.

const PREFIX = '/v4/public/other/1ct'
const [ROUTER, OTHER_ROUTER, POOL, USER] = ['1', '2', '3', '4'].map((digit) => `0x${digit.repeat(40)}`) as Hex[]
const FUTURE = 4_000_000_000
const word = (value: bigint | string): Hex => `0x${BigInt(value).toString(16).padStart(64, '0')}`

/** Every call of a contract that the node was asked for. */
const asked: string[] = []
const answer = ({ method, params }: RpcCall): unknown => {
  if (method === 'eth_getCode') return '0x'
  if (method === 'eth_getBlockByNumber') return { number: '0x7', hash: word(7n), timestamp: word(1n) }
  const { to, data } = params[0] as { to: string; data: string }
  asked.push(to)
  const { functionName } = decodeFunctionData({ abi: oneClickRouterAbi, data: data as Hex })
  if (functionName === 'dailyAmount') return `${word(5n)}${word(0n).slice(2)}`
  return functionName === 'delegateOf' ? word(POOL as Hex) : word(7n)
}
const rpc = {
  outcomes: async (calls: readonly RpcCall[]) => calls.map((call) => ({ ok: true, value: answer(call) })),
} as unknown as Rpc

const contracts = { OneClickRouter: ROUTER as Hex, OtherOneClickRouter: OTHER_ROUTER as Hex, OperatorPool: POOL as Hex }
const venue: Venue = testVenue({
  rpc,
  sql: (async () => []) as unknown as Sql,
  deployment: { chainId: 31_337, startBlock: 0n, contracts },
})
const context = (): DelegationContext => ({
  venue,
  oneClick: oneClickOf(venue.deployment, 'OtherOneClickRouter'),
  prefix: PREFIX,
  budget: 1n,
  explain: () => null,
})
const bound: Scheme = {
  authenticate: async () => ({ keyId: 'key', access: 'WRITABLE', userAddress: USER as Hex }),
}

let app: FastifyInstance | undefined
afterEach(async () => {
  asked.length = 0
  await app?.close()
})

async function open(): Promise<FastifyInstance> {
  const summaries = { status: 'Other status', prepare: 'Other payload', enable: 'Other begin', disable: 'Other end' }
  const routes = oneClickRoutes({ prefix: PREFIX, chainId: 31_337, summaries, context })
  app = await testServer([], {
    venue,
    mounts: [{ ...testMount(routes), owns: [{ path: '/v4/public/other', unknown: 'key' }], scheme: bound }],
  })
  return app
}

describe('One Click of another product', () => {
  it('is at its own paths, with its own texts', async () => {
    const { paths } = (await (await open()).inject('/openapi.json')).json()
    const found = Object.entries<Record<string, { summary: string }>>(paths).flatMap(([path, item]) =>
      Object.entries(item).map(([method, { summary }]) => [method, path, summary]),
    )
    expect(found).toEqual([
      ['get', `${PREFIX}/status`, 'Other status'],
      ['post', `${PREFIX}/prepare`, 'Other payload'],
      ['post', `${PREFIX}/enable`, 'Other begin'],
      ['post', `${PREFIX}/disable`, 'Other end'],
    ])
    expect(JSON.stringify(paths)).not.toContain('/api/v1')
  })

  it('reads the delegation at its own router', async () => {
    const { data } = (await (await open()).inject(`/svc${PREFIX}/status`)).json()
    expect(data).toMatchObject({ status: 'enable', delegatee: POOL, delegatedTo: POOL, nonce: 7 })
    expect(new Set(asked)).toEqual(new Set([OTHER_ROUTER]))
  })

  it('has the user sign for its own router', async () => {
    const payload = { deadline: FUTURE }
    const { data } = (await (await open()).inject({ method: 'POST', url: `/svc${PREFIX}/prepare`, payload })).json()
    expect(data.signPayload.domain.verifyingContract).toBe(OTHER_ROUTER)
    expect(data.signPayload.message).toMatchObject({ user: USER, nonce: 7, deadline: FUTURE })
  })

  it('names its own operations where it says what would be right', async () => {
    const payload = { deadline: FUTURE, signature: `0x${'11'.repeat(64)}1b` }
    const refused = await (await open()).inject({ method: 'POST', url: `/svc${PREFIX}/enable`, payload })
    expect(refused.headers['x-error-reason']).toBe('delegation_signature_invalid')
    expect(refused.json().message).toContain(`over the payload of POST ${PREFIX}/prepare`)
  })

  it('is followed by the indexer beside that of the first', () => {
    const sources = delegationEvents.sources(venue.deployment).map(({ address }) => address)
    expect(sources).toEqual([ROUTER, OTHER_ROUTER])
  })
})
