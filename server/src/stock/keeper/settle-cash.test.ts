import { afterEach, beforeEach, expect, it } from 'vitest'
import { Backoff } from '../../lib/backoff.ts'
import {
  CASHIER,
  cashConfigured,
  depositQueued,
  depositSettled,
  type EventCall,
  randomHash,
  withdrawalQueued,
} from '../testing/chain.ts'
import { KeeperWorld, type SentIntent } from '../testing/keeper.ts'
import { settleCash } from './settle-cash.ts'

let world: KeeperWorld
let backoff: Backoff
beforeEach(async () => {
  world = await KeeperWorld.open()
  backoff = new Backoff()
})
afterEach(() => world.drop())

async function round(): Promise<SentIntent[]> {
  await settleCash(world.venue, backoff)
  return world.newIntents()
}

const endAll = async (intents: readonly SentIntent[], state: 'mined' | 'rejected' = 'mined') => {
  for (const intent of intents) await world.end(intent, { state })
}

it('settles queued deposits and withdrawals, each kind by its function, oldest first', async () => {
  const [a, b, c] = [randomHash(), randomHash(), randomHash()]
  await world.chain.emit(depositQueued(a, 9000n), withdrawalQueued(b, 8000n))
  await world.chain.emit(depositQueued(c, 9000n))
  const intents = await round()
  expect(intents.map(({ name, args, to }) => [name, args, to])).toEqual([
    ['batchSettleDeposit', [[a, c]], CASHIER],
    ['batchSettleWithdraw', [[b]], CASHIER],
  ])
  // Enough for all of them, however many are skipped where the relayer estimates.
  const gas = await world.venue.sql`select least_gas from tx_intents order by id`
  expect(gas).toEqual([{ least_gas: 260_000n }, { least_gas: 160_000n }])
})

it('leaves a deposit of a token whose deposits are paused, as of one that has lost its peg, and takes it up afterwards', async () => {
  const [deposit, withdrawal] = [randomHash(), randomHash()]
  await world.chain.emit(depositQueued(deposit, 9000n), withdrawalQueued(withdrawal, 8000n))
  await world.chain.emit(cashConfigured({ depositPaused: true }))
  const intents = await round()
  expect(intents.map(({ name, args }) => [name, args])).toEqual([['batchSettleWithdraw', [[withdrawal]]]])
  await world.chain.emit(cashConfigured({ depositPaused: false }))
  await endAll(intents)
  expect((await round()).map(({ name, args }) => [name, args])).toEqual([['batchSettleDeposit', [[deposit]]]])
})

it('does nothing while a batch is under way, and nothing twice', async () => {
  const [a, b] = [randomHash(), randomHash()]
  await world.chain.emit(depositQueued(a, 9000n))
  const intents = await round()
  await world.chain.emit(depositQueued(b, 9000n))
  expect(await round()).toEqual([])
  await world.chain.emit(depositSettled(a, 9000n))
  await endAll(intents)
  expect((await round()).map(({ args }) => args)).toEqual([[[b]]])
})

it('tries what stays queued again, later each time, and not together with what is new', async () => {
  const [stuck, fresh] = [randomHash(), randomHash()]
  await world.chain.emit(withdrawalQueued(stuck, 8000n))
  await endAll(await round())
  expect(await round()).toEqual([])
  world.nowMs += 5000
  await world.chain.emit(withdrawalQueued(fresh, 1n))
  const intents = await round()
  expect(intents.map(({ args }) => args)).toEqual([[[fresh]], [[stuck]]])
  await endAll(intents)
  world.nowMs += 9999
  expect((await round()).map(({ args }) => args)).toEqual([[[fresh]]])
})

it('goes on after a batch was rejected', async () => {
  const a = randomHash()
  await world.chain.emit(depositQueued(a, 9000n))
  await endAll(await round(), 'rejected')
  expect(await round()).toEqual([])
  world.nowMs += 5000
  expect((await round()).map(({ args }) => args)).toEqual([[[a]]])
})

it('never lets many stuck operations hide a new one', async () => {
  const stuck: EventCall[] = Array.from({ length: 130 }, () => withdrawalQueued(randomHash(), 1n))
  await world.chain.emit(...stuck)
  for (let batch = 0; batch < 3; batch++) await endAll(await round())
  const fresh = randomHash()
  await world.chain.emit(withdrawalQueued(fresh, 1n))
  expect((await round()).map(({ args }) => args)).toEqual([[[fresh]]])
})

it('by two keepers at the same moment at worst sends what the contract skips', async () => {
  const a = randomHash()
  await world.chain.emit(depositQueued(a, 9000n))
  await Promise.all([settleCash(world.venue, new Backoff()), settleCash(world.venue, new Backoff())])
  const intents = await world.newIntents()
  expect(intents.map(({ args }) => args)).toEqual(intents.map(() => [[a]]))
  await world.chain.emit(depositSettled(a, 9000n))
  await endAll(intents)
  expect(await round()).toEqual([])
})
