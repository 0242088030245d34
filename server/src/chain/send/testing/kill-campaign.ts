import { setTimeout as delay } from 'node:timers/promises'
import { expect } from 'vitest'
import { createRandom, type Random } from '../../../lib/testing-random.ts'
import { createSigners, type SignerKey } from '../signer.ts'
import { SEND_STEPS, type SendStep } from '../steps.ts'
import { type Faults, seededFaults } from './faults.ts'
import {
  expectEachMinedOnce,
  intend,
  keysTo,
  quickProfile,
  startWorld,
  untilSettled,
  upTo,
  type World,
  whileMining,
  withRelayer,
} from './harness.ts'
import { startRpcProxy } from './rpc-proxy.ts'
import { forkRelayer, type IdleChild } from './spawn-child.ts'
import { hit, hitAfter } from './tally.ts'

export interface Campaign {
  readonly seed: number
  readonly signers: readonly SignerKey[]
  /** How often the process is killed at each named step. */
  readonly killsPerStep: number
  /** Whether every third request needs the one before it, which has the same ordering key. */
  readonly dependent: boolean
  /** Whether the chain loses its newest blocks now and then. */
  readonly reorgs: boolean
}

export interface CampaignResult {
  readonly kills: readonly SendStep[]
  readonly faults: Faults['counts']
  readonly requests: number
}

/** How long a round may take to pass its step: far more than any machine needs. */
const ROUND_MS = 600_000
const RPC_TIMEOUT_MS = 2000
/** Blocks are final after this many, so that a count that is wrong for two looks in a row never fails a request. */
const FINAL_AFTER = 1000
const DEEPEST_REORG = 2

/**
 * Kills a relayer's process again and again, each time at a named step, before a node that cannot be relied on, while
 * requests come in. Then a relayer without trouble works off what is left, and nothing may be lost or done twice.
 */
export async function runCampaign(campaign: Campaign): Promise<CampaignResult> {
  const random = createRandom(campaign.seed)
  const world = await startWorld({ noMining: true })
  // Reorganisations are drawn from the first turn on, and must not reach the contract that counts.
  await world.rpc.call('anvil_mine', [`0x${DEEPEST_REORG.toString(16)}`])
  const faults = seededFaults(createRandom(campaign.seed + 1))
  const proxy = await startRpcProxy(world.anvil.rpcUrl, faults.decide)
  const insert = inserter(world, campaign, random)
  const kills: SendStep[] = []
  let next = forkRelayer()
  try {
    for (const { step, count } of killPlan(campaign.killsPerStep, random)) {
      const child = next
      next = forkRelayer()
      await killAt(child, { step, count }, { world, campaign, random, insert, rpcUrl: proxy.url })
      kills.push(step)
    }
    await proxy.stop()
    await settle(world, campaign, insert)
    const addresses = createSigners(campaign.signers).map(({ address }) => address)
    await expectEachMinedOnce(world, keysTo(insert.count()), addresses)
    return { kills, faults: faults.counts, requests: insert.count() }
  } finally {
    await next.discard()
    await proxy.stop()
    await world.stop()
  }
}

/** Every step as often as there are rounds, in the seed's order; the frequent ones the first or the second time they pass. */
function killPlan(rounds: number, { below, shuffled }: Random): { step: SendStep; count: number }[] {
  const steps = shuffled(upTo(rounds).flatMap(() => [...SEND_STEPS]))
  return steps.map((step) => ({ step, count: step === 'locked' || isRare(step) ? 1 : 1 + below(2) }))
}

const isRare = (step: SendStep): boolean => ['bump_stored', 'resend_counted', 'resent'].includes(step)

interface Inserter {
  (): Promise<void>
  count(): number
}

/** Inserts one to three requests at each call; the keys go up by one. */
function inserter(world: World, { signers, dependent }: Campaign, { below }: Random): Inserter {
  let inserted = 0
  const purpose = signers[0]?.purpose ?? ''
  const insert = async () => {
    for (const _ of upTo(1 + below(3))) {
      inserted++
      const key = BigInt(inserted)
      const data = dependent && inserted % 3 === 0 ? hitAfter(key, key - 1n) : hit(key)
      const orderingKey = `group ${Math.floor((inserted - 2) / 3)}`
      await intend(world, `key ${key}`, data, { purpose, orderingKey })
    }
  }
  return Object.assign(insert, { count: () => inserted })
}

interface Round {
  readonly world: World
  readonly campaign: Campaign
  readonly random: Random
  readonly insert: Inserter
  readonly rpcUrl: string
}

async function killAt(idle: IdleChild, at: { step: SendStep; count: number }, round: Round): Promise<void> {
  const { world, campaign, random, insert, rpcUrl } = round
  await insert()
  const child = idle.start({
    databaseUrl: world.database.url,
    rpcUrl,
    rpcTimeoutMs: RPC_TIMEOUT_MS,
    profile: quickProfile({ finality: { by: 'depth', blocks: FINAL_AFTER } }),
    signers: campaign.signers,
    killAt: at,
  })
  let over = false
  child.ended.then(() => {
    over = true
  })
  const deadline = Date.now() + ROUND_MS
  for (let turn = 0; !over && Date.now() < deadline; turn++) {
    await weather(world, at.step, turn % 20, random)
    if (campaign.reorgs && random.below(30) === 0)
      await world.rpc.call('anvil_reorg', [1 + random.below(DEEPEST_REORG), []])
    if (turn % 20 === 2) await insert()
    await Promise.race([child.ended, delay(30 + random.below(40))])
  }
  if (!over) child.process.kill('SIGKILL')
  expect(over, `the process passes the step ${at.step}`).toBe(true)
  expect(await child.ended).toBe('SIGKILL')
}

/**
 * One turn of the chain. Blocks come at random, some too dear for what is pending. For the rarer steps the chain is quiet
 * until the new requests are sent; then blocks get too dear for them, or the node's mempool forgets them.
 */
async function weather({ rpc }: World, step: SendStep, phase: number, { below }: Random): Promise<void> {
  const forgetting = step === 'resend_counted' || step === 'resent'
  if (forgetting && phase === 8) await rpc.call('anvil_dropAllTransactions')
  if (isRare(step) && phase > 0 && phase < 9) return
  const dear = step === 'bump_stored' ? phase >= 9 : !forgetting && below(8) === 0
  await rpc.call('anvil_setNextBlockBaseFeePerGas', [dear ? '0x2540be400' : '0x3b9aca00'])
  await rpc.call('evm_mine')
}

/** What is left is worked off. The new requests keep it from ending before a look at all that the chain may have lost. */
async function settle(world: World, { signers }: Campaign, insert: Inserter): Promise<void> {
  await world.rpc.call('anvil_setNextBlockBaseFeePerGas', ['0x3b9aca00'])
  await insert()
  await withRelayer(world, { signers }, () => whileMining(world.rpc, 80, () => untilSettled(world)))
}
