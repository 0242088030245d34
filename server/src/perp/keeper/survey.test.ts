import { numberToHex, toFunctionSelector } from 'viem'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { instrumentAbi } from '../../chain/abi/instrument.ts'
import type { Rpc, RpcCall, RpcOutcome } from '../../chain/rpc.ts'
import { RpcError } from '../../chain/rpc-error.ts'
import type { Hex } from '../../chain/types.ts'
import { type TestDatabase, testDatabase } from '../../db/testing.ts'
import { testVenue } from '../../http/testing.ts'
import { systemClock } from '../../lib/clock.ts'
import { WAD } from '../../lib/wad.ts'
import { PERPETUAL_EXPIRY } from '../listing/catalogue.ts'
import { PerpChain } from '../testing/chain.ts'
import { approveGate, trade } from '../testing/trader.ts'
import { openSurvey, type Survey } from './survey.ts'

const GET_PORTFOLIO = toFunctionSelector(
  instrumentAbi.find((item) => item.type === 'function' && item.name === 'getPortfolio') as never,
)
const SIZE = WAD / 10n
const MARGIN = 2_000n * WAD

let chain: PerpChain
let database: TestDatabase
let btc: Hex
beforeAll(async () => {
  ;[chain, database] = await Promise.all([PerpChain.start(), testDatabase()])
  btc = await chain.instrument('BTC/USDC')
})
afterAll(async () => {
  await database?.drop()
  await chain?.stop()
})

/** A node that keeps back its next answer about what an account holds, once it has made it. */
class SlowNode {
  readonly rpc: Rpc
  #keptBack: { readonly account: Hex; readonly made: () => void; readonly released: Promise<void> } | null = null

  constructor(rpc: Rpc) {
    this.rpc = {
      ...rpc,
      batch: <T>(calls: readonly RpcCall[]) => this.#answer(calls, rpc.batch<T>(calls)),
      outcomes: <T>(calls: readonly RpcCall[]) => this.#answer(calls, rpc.outcomes<T>(calls)),
    }
  }

  async #answer<T>(calls: readonly RpcCall[], answering: Promise<T>): Promise<T> {
    const answers = await answering
    const keptBack = this.#keptBack
    if (!keptBack || !calls.some((call) => isAbout(call, keptBack.account))) return answers
    this.#keptBack = null
    keptBack.made()
    await keptBack.released
    return answers
  }

  /** Resolves `made` once the answer is made; it is given when `release` is called. */
  keepBack(account: Hex): { readonly made: Promise<void>; readonly release: () => void } {
    const [made, released] = [Promise.withResolvers<void>(), Promise.withResolvers<void>()]
    this.#keptBack = { account, made: made.resolve, released: released.promise }
    return { made: made.promise, release: released.resolve }
  }
}

function isAbout({ params }: RpcCall, account: Hex): boolean {
  const { data = '' } = (params?.[0] ?? {}) as { data?: string }
  return data.startsWith(GET_PORTFOLIO) && data.endsWith(account.slice(2))
}

const holds = ({ pairs }: Survey, account: Hex): boolean =>
  pairs.some(
    ({ instrument, expiry, holders }) =>
      instrument.address === btc && expiry === PERPETUAL_EXPIRY && holders.some((holder) => holder.account === account),
  )

describe('surveys that overlap', () => {
  it('do not lose an account that the older one saw empty and the newer one not', async () => {
    const user = chain.accounts.users[0] as NonNullable<(typeof chain.accounts.users)[0]>
    const account = user.address.toLowerCase() as Hex
    const node = new SlowNode(chain.rpc)
    const venue = testVenue({ sql: database.sql, rpc: node.rpc, deployment: chain.deployment, clock: systemClock })
    const survey = openSurvey()
    const buy = () => trade(chain, user, btc, SIZE, MARGIN)
    expect(await approveGate(chain, user, btc)).toBe('success')
    expect(await buy()).toBe('success')
    expect(holds(await survey(venue), account)).toBe(true)

    expect(await trade(chain, user, btc, -SIZE, 0n)).toBe('success')
    const { made, release } = node.keepBack(account)
    const older = survey(venue)
    await made
    expect(await buy()).toBe('success')
    expect(holds(await survey(venue), account)).toBe(true)
    release()
    expect(holds(await older, account)).toBe(false)

    // The next block has no event of the account.
    await chain.rpc.call('evm_mine')
    expect(holds(await survey(venue), account)).toBe(true)
  })
})

/** Of two nodes behind one address, the other one: by its number it answers of the block before what an account holds, while it does. */
class LateNode {
  readonly rpc: Rpc
  /** Whose holdings it is asked for; null while the node answers that has the newest block. */
  asked: Hex | null = null
  /** Whether it is asked for blocks by their hash too, of which it has none. */
  hasNoHash = false

  constructor(rpc: Rpc) {
    this.rpc = {
      ...rpc,
      batch: <T>(calls: readonly RpcCall[]) => rpc.batch<T>(calls.map((call) => this.#ask(call))),
      outcomes: <T>(calls: readonly RpcCall[]) => rpc.outcomes<T>(calls.map((call) => this.#ask(call))),
    }
  }

  #ask(call: RpcCall): RpcCall {
    const [transaction, block] = call.params
    if (this.asked === null || !isAbout(call, this.asked)) return call
    const before = typeof block === 'string' ? numberToHex(BigInt(block) - 1n) : null
    const unknown = this.hasNoHash ? { blockHash: `0x${'0'.repeat(64)}` } : block
    return { ...call, params: [transaction, before ?? unknown] }
  }
}

describe('a survey behind an address of several nodes', () => {
  it.each([
    ['one has the block, by its hash', false],
    ['none has the block by its hash', true],
  ])('loses no account that a node saw empty in another block, where %s', async (_, hasNoHash) => {
    const user = chain.accounts.users[hasNoHash ? 3 : 2] as NonNullable<(typeof chain.accounts.users)[0]>
    const account = user.address.toLowerCase() as Hex
    const node = new LateNode(chain.rpc)
    node.hasNoHash = hasNoHash
    const venue = testVenue({ sql: database.sql, rpc: node.rpc, deployment: chain.deployment, clock: systemClock })
    const survey = openSurvey()
    expect(await approveGate(chain, user, btc)).toBe('success')
    await survey(venue)
    expect(await trade(chain, user, btc, SIZE, MARGIN)).toBe('success')
    node.asked = account
    expect(holds(await survey(venue), account)).toBe(false)
    node.asked = null

    // The next block has no event of the account.
    await chain.rpc.call('evm_mine')
    expect(holds(await survey(venue), account)).toBe(true)
  })
})

/** A node that takes so many calls at a block's hash at once; whose holdings it was asked for is noted. */
class PickyNode {
  readonly rpc: Rpc
  most = 0
  #asked: RpcCall[] = []

  constructor(rpc: Rpc) {
    this.rpc = {
      ...rpc,
      batch: <T>(calls: readonly RpcCall[]) => rpc.batch<T>(this.#note(calls)),
      outcomes: async <T>(calls: readonly RpcCall[]): Promise<RpcOutcome<T>[]> => {
        const isByHash = calls.some(({ params: [, block] }) => typeof block === 'object')
        if (!isByHash || calls.length <= this.most) return rpc.outcomes<T>(this.#note(calls))
        const answer = { code: -32_600, message: 'batch too large' }
        return calls.map(({ method }) => {
          return { ok: false, error: new RpcError('rpc_error', method, answer.message, { rpc: answer }) }
        })
      },
    }
  }

  #note(calls: readonly RpcCall[]): readonly RpcCall[] {
    this.#asked.push(...calls)
    return calls
  }

  /** Of how many of these accounts the holdings were asked for since the last time. */
  askedOf(accounts: readonly Hex[]): number {
    const asked = this.#asked
    this.#asked = []
    return accounts.filter((account) => asked.some((call) => isAbout(call, account))).length
  }
}

describe('a survey by a node that takes few calls at once', () => {
  it('loses whoever holds nothing any more, and says once that a node answers nothing by a hash', async () => {
    const users = chain.accounts.users.slice(4, 7)
    const accounts = users.map(({ address }) => address.toLowerCase() as Hex)
    for (const user of users) {
      expect(await approveGate(chain, user, btc)).toBe('success')
      expect(await trade(chain, user, btc, SIZE, MARGIN)).toBe('success')
      expect(await trade(chain, user, btc, -SIZE, 0n)).toBe('success')
    }
    const node = new PickyNode(chain.rpc)
    const said: unknown[] = []
    const venue = testVenue({ sql: database.sql, rpc: node.rpc, deployment: chain.deployment, clock: systemClock })
    venue.log.warn = (...line: unknown[]) => void said.push(line)
    const survey = openSurvey()
    /** How many of the accounts a survey of a new block asks for, once what it asks ahead is what the one before has asked. */
    const surveyed = async () => {
      for (const _ of [1, 2]) {
        await chain.rpc.call('evm_mine')
        node.askedOf(accounts)
        await survey(venue)
      }
      return node.askedOf(accounts)
    }
    expect(await surveyed()).toBe(3)
    // Perhaps a block was replaced, or a node lags.
    expect(said).toEqual([])
    for (const _ of [1, 2]) expect(await surveyed()).toBe(3)
    expect(said).toMatchObject([[{ why: expect.stringContaining('batch too large') }, expect.any(String)]])
    node.most = 2
    await surveyed()
    expect(await surveyed()).toBe(0)
    expect(said).toHaveLength(1)
  })
})

/** A client that takes note of its requests. */
class NotedNode {
  readonly rpc: Rpc
  readonly #requests: (readonly RpcCall[])[] = []

  constructor(rpc: Rpc) {
    this.rpc = {
      call: <T>(method: string, params: readonly unknown[] = []) => {
        this.#requests.push([{ method, params }])
        return rpc.call<T>(method, params)
      },
      batch: <T>(calls: readonly RpcCall[]) => {
        if (calls.length > 0) this.#requests.push(calls)
        return rpc.batch<T>(calls)
      },
      outcomes: <T>(calls: readonly RpcCall[]) => {
        if (calls.length > 0) this.#requests.push(calls)
        return rpc.outcomes<T>(calls)
      },
    }
  }

  /** The requests since it was asked last: those for the head, those that call contracts, and all. */
  taken(): { readonly heads: number; readonly calls: number; readonly all: number } {
    const requests = this.#requests.splice(0)
    const heads = requests.filter(([first]) => first?.params[0] === 'latest').length
    const calls = requests.filter(([first]) => first?.method === 'eth_call').length
    return { heads, calls, all: requests.length }
  }
}

describe('what a survey asks of the node', () => {
  it('is one request for all that the last asked too, of however many pairs, besides the block and its logs', async () => {
    const node = new NotedNode(chain.rpc)
    const venue = testVenue({ sql: database.sql, rpc: node.rpc, deployment: chain.deployment, clock: systemClock })
    const survey = openSurvey()
    expect((await survey(venue)).pairs.length).toBeGreaterThan(1)
    node.taken()
    await chain.rpc.call('evm_mine')
    await survey(venue)
    const { heads, calls, all } = node.taken()
    expect([heads, calls]).toEqual([1, 1])
    // Of one new block the logs alone, else whether the last one is still there, too.
    expect(all).toBeLessThanOrEqual(4)
    const [one, ...others] = await Promise.all([survey(venue), survey(venue), survey(venue)])
    expect(others.every((other) => other === one)).toBe(true)
    expect(node.taken().heads).toBe(1)
  })

  it('shows who has come to hold something in the block after, and who holds nothing any more', async () => {
    const user = chain.accounts.users[1] as NonNullable<(typeof chain.accounts.users)[0]>
    const account = user.address.toLowerCase() as Hex
    const venue = testVenue({ sql: database.sql, rpc: chain.rpc, deployment: chain.deployment, clock: systemClock })
    const survey = openSurvey()
    expect(await approveGate(chain, user, btc)).toBe('success')
    expect(holds(await survey(venue), account)).toBe(false)
    expect(await trade(chain, user, btc, SIZE, MARGIN)).toBe('success')
    expect(holds(await survey(venue), account)).toBe(true)
    expect(await trade(chain, user, btc, -SIZE, 0n)).toBe('success')
    expect(holds(await survey(venue), account)).toBe(false)
  })
})
