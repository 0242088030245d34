import { toFunctionSelector } from 'viem'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { instrumentAbi } from '../../chain/abi/instrument.ts'
import type { Rpc, RpcCall } from '../../chain/rpc.ts'
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
    const batch = async <T>(calls: readonly RpcCall[]): Promise<T[]> => {
      const answers = await rpc.batch<T>(calls)
      const keptBack = this.#keptBack
      if (!keptBack || !calls.some((call) => isAbout(call, keptBack.account))) return answers
      this.#keptBack = null
      keptBack.made()
      await keptBack.released
      return answers
    }
    this.rpc = { ...rpc, batch }
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
