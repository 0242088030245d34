import { afterAll, afterEach, beforeAll, beforeEach, expect, it } from 'vitest'
import { gateAbi } from '../../chain/abi/gate.ts'
import type { DevelopmentAccount } from '../../chain/embedded/accounts.ts'
import { bufferedGas, chainProfile } from '../../chain/profiles.ts'
import type { Hex } from '../../chain/types.ts'
import { WAD } from '../../lib/wad.ts'
import {
  addCall,
  cancelCall,
  depositCall,
  type OwnCall,
  ownTransaction,
  placeCall,
  tradeCall,
} from '../calldata/calls.ts'
import { tokenWord } from '../calldata/words.ts'
import { PERPETUAL_EXPIRY } from '../listing/catalogue.ts'
import { MAX_TICK, MIN_TICK } from '../maths/tick.ts'
import { type Outcome, PerpChain } from '../testing/chain.ts'
import { addRange, approveGate, cancel, place, setFeed, trade } from '../testing/trader.ts'
import { actionGas } from './one-click.ts'

// Others act between an estimate and the block that takes the transaction. Of the actions as the wallet sends them, which cost
// least besides: what each came to need in the worst of the cases that were measured, on the contracts as they are.

const MONAD = chainProfile(143)
const TIME = { expiry: PERPETUAL_EXPIRY, deadlineSec: 4_000_000_000 }
const RESERVE_RAW = 500_000n * 10n ** 6n
const SIZE = WAD / 10n

let chain: PerpChain
let btc: Hex
let gate: Hex
let usdc: Hex
let tick: number
let user: DevelopmentAccount
let taker: DevelopmentAccount
let other: DevelopmentAccount
beforeAll(async () => {
  chain = await PerpChain.start()
  btc = await chain.instrument('BTC/USDC')
  gate = chain.contract('Gate')
  usdc = (await chain.readInstrument(btc, 'getSetting', [])).quote
  ;[user, taker, other] = chain.accounts.users as [DevelopmentAccount, DevelopmentAccount, DevelopmentAccount]
  for (const account of [user, taker, other]) {
    await approveGate(chain, account, btc)
    await chain.send(account, gate, gateAbi, 'deposit', [tokenWord(usdc, RESERVE_RAW)])
  }
  tick = (await chain.readInstrument(btc, 'getAmm', [PERPETUAL_EXPIRY])).tick
})
afterAll(() => chain.stop())

/** Undone after each test, so that all begin alike. */
let snapshot: string
beforeEach(async () => {
  snapshot = await chain.rpc.call<string>('evm_snapshot')
})
afterEach(() => chain.rpc.call('evm_revert', [snapshot]))

type Step = () => Promise<Outcome>

const sells = (account: DevelopmentAccount, at: number): Step => {
  return () => place(chain, account, btc, { tick: tick + at, size: -SIZE, margin: 3_000n * WAD })
}
const trades = (account: DevelopmentAccount, size: bigint): Step => {
  return () => trade(chain, account, btc, size, 200_000n * WAD)
}
const eight = Array.from({ length: 8 }, (_, index) => 10 + index)
const ticksOf = (distances: readonly number[]) => distances.map((at) => tick + at)

interface Case {
  readonly before?: () => readonly Step[]
  readonly call: () => OwnCall
  readonly to?: () => Hex
  /** What happens between the estimate and the block. */
  readonly meanwhile: () => readonly Step[]
}

const CASES: Readonly<Record<string, Case>> = {
  'a cancel of an order that was taken': {
    before: () => [sells(other, 10), sells(user, 10)],
    call: () => cancelCall(user.address, TIME, ticksOf([10])),
    meanwhile: () => [trades(taker, 3n * WAD)],
  },
  'a cancel of eight orders that were taken': {
    before: () => eight.flatMap((at) => [sells(other, at), sells(user, at)]),
    call: () => cancelCall(user.address, TIME, ticksOf(eight)),
    meanwhile: () => [trades(taker, 8n * WAD)],
  },
  'an order at a tick that is empty again, of an account that is': {
    before: () => [sells(user, 30), sells(other, 10)],
    call: () => placeCall(user.address, { ...TIME, size: -SIZE, amount: 3_000n * WAD, tick: tick + 10 }),
    meanwhile: () => [() => cancel(chain, other, btc, tick + 10), () => cancel(chain, user, btc, tick + 30)],
  },
  'a range that has its edges for itself': {
    before: () => [() => addRange(chain, other, btc, 50_000n * WAD, 1000)],
    call: () => {
      const terms = { amount: 50_000n * WAD, deltaLower: 1000, deltaUpper: 1000 }
      return addCall(user.address, { ...TIME, ...terms, limits: { lower: MIN_TICK, upper: MAX_TICK } })
    },
    meanwhile: () => [trades(taker, 3n * WAD)],
  },
  'a trade that takes two orders more': {
    before: () => [trades(user, SIZE)],
    call: () => tradeCall(user.address, { ...TIME, size: 3n * WAD, amount: 200_000n * WAD, tick: MAX_TICK }),
    meanwhile: () => [sells(other, 10), sells(other, 11)],
  },
  'a deposit to a reserve that was emptied': {
    call: () => depositCall(user.address, usdc, 10n ** 6n),
    to: () => gate,
    meanwhile: () => [() => chain.send(user, gate, gateAbi, 'withdraw', [tokenWord(usdc, RESERVE_RAW)])],
  },
}

const done = async (steps: readonly Step[] = []) => {
  for (const step of steps) expect(await step()).toBe('success')
}

/** So much later, with a price that is fresh. */
async function later(sec: number): Promise<void> {
  await chain.rpc.call('evm_increaseTime', [sec])
  await setFeed(chain, 'BTC', 60_000n * 10n ** 8n)
}

it.each(Object.entries(CASES))(
  '%s has the gas that it needs',
  async (_, { before, call, to = () => btc, meanwhile }) => {
    await done(before?.())
    await later(60)
    const { data } = ownTransaction(to(), [call()])
    const needed = async () => {
      const run = { from: user.address, to: to(), data, gas: `0x${MONAD.gas.maxGasLimit.toString(16)}` }
      return BigInt(await chain.rpc.call<Hex>('eth_estimateGas', [run]))
    }
    const policy = actionGas(MONAD.chainId)
    const limit = bufferedGas(policy, await needed())
    await done(meanwhile())
    await later(2)
    const grown = await needed()
    expect(grown).toBeLessThanOrEqual(limit)
    // The buffer of the chain alone would not have done.
    expect(grown).toBeGreaterThan(bufferedGas(MONAD.gas, (limit * 100n) / BigInt(policy.limitPercent)))
  },
)
