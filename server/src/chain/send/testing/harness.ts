import { expect } from 'vitest'
import type { Sql } from '../../../db/pool.ts'
import { type TestDatabase, testDatabase } from '../../../db/testing.ts'
import { sleep } from '../../../lib/clock.ts'
import { createLogger } from '../../../lib/logger.ts'
import { DEVELOPMENT_MNEMONIC, developmentAccount } from '../../embedded/accounts.ts'
import { type Anvil, type AnvilOptions, startAnvil } from '../../embedded/anvil.ts'
import { type ChainProfile, chainProfile } from '../../profiles.ts'
import { createRpc, type Rpc } from '../../rpc.ts'
import type { Hex } from '../../types.ts'
import { getIntent, type Intent, insertIntent, type NewIntent } from '../intents.ts'
import { type RelayerOptions, runSigners } from '../relayer.ts'
import { hit, TALLY_CODE, tallies } from './tally.ts'

export const CHAIN_ID = 31_337
const DEPLOYER_INDEX = 9

/** A funded account of the test chain. */
export const devAccount = developmentAccount

/** The local profile with short waits, so that a test sees in seconds what takes minutes. */
export function quickProfile(changes: Partial<ChainProfile> = {}): ChainProfile {
  const local = chainProfile(CHAIN_ID)
  const fee = { ...local.fee, bumpAfterMs: 400 }
  return { ...local, blockTimeMs: 100, finality: { by: 'depth', blocks: 8 }, fee, ...changes }
}

export interface World {
  readonly database: TestDatabase
  readonly sql: Sql
  readonly anvil: Anvil
  readonly rpc: Rpc
  readonly tally: Hex
  stop(): Promise<void>
}

/** A fresh database and a fresh chain with the counting contract. */
export async function startWorld(options: AnvilOptions = {}): Promise<World> {
  const [database, anvil] = await Promise.all([
    testDatabase(),
    startAnvil({ mnemonic: DEVELOPMENT_MNEMONIC, ...options }),
  ])
  const rpc = createRpc({ url: anvil.rpcUrl })
  const tally = await deployTally(rpc)
  const stop = async () => {
    await anvil.stop()
    await database.drop()
  }
  return { database, sql: database.sql, anvil, rpc, tally, stop }
}

async function deployTally(rpc: Rpc): Promise<Hex> {
  const { address: from } = devAccount(DEPLOYER_INDEX)
  const hash = await rpc.call<Hex>('eth_sendTransaction', [{ from, data: TALLY_CODE, gas: '0x30000' }])
  await rpc.call('evm_mine')
  const receipt = await rpc.call<{ contractAddress: Hex; status: Hex }>('eth_getTransactionReceipt', [hash])
  if (receipt.status !== '0x1') throw new Error('the counting contract was not deployed')
  return receipt.contractAddress
}

export interface RunningRelayer {
  /** Aborts, and resolves when the relayer has drained; rejects with what ended it. */
  stop(): Promise<void>
}

/** Runs the relayer in this process. */
export function startRelayer(world: World, options: Partial<RelayerOptions> = {}): RunningRelayer {
  const abort = new AbortController()
  const done = runSigners({
    sql: world.sql,
    rpc: world.rpc,
    profile: quickProfile(),
    signers: [{ purpose: 'settle', privateKey: devAccount(0).privateKey }],
    signal: abort.signal,
    log: createLogger('silent'),
    ...options,
  })
  done.catch(() => {})
  return {
    stop: () => {
      abort.abort()
      return done
    },
  }
}

/** Runs `work` beside a relayer and drains it whatever happens. */
export async function withRelayer<T>(
  world: World,
  options: Partial<RelayerOptions>,
  work: () => Promise<T>,
): Promise<T> {
  const relayer = startRelayer(world, options)
  try {
    return await work()
  } finally {
    await relayer.stop()
  }
}

/** Mines a block every `everyMs` while `work` runs. */
export async function whileMining<T>(rpc: Rpc, everyMs: number, work: () => Promise<T>): Promise<T> {
  const done = new AbortController()
  const mining = (async () => {
    while (!done.signal.aborted) {
      await rpc.call('evm_mine')
      await sleep(everyMs, done.signal)
    }
  })()
  try {
    return await work()
  } finally {
    done.abort()
    await mining
  }
}

/** Inserts an intent to the counting contract, with defaults. */
export const intend = (world: World, dedupeKey: string, data: Hex, more: Partial<NewIntent> = {}): Promise<Intent> =>
  insertIntent(world.sql, { chainId: CHAIN_ID, purpose: 'settle', to: world.tally, data, dedupeKey, ...more })

/** Of the intent that was signed with this hash in any of its attempts; null where there is none. */
export async function intentIdOf({ sql }: World, hash: Hex): Promise<bigint | null> {
  const [row] = await sql<{ id: bigint }[]>`
    select intent_id as id from tx_attempts where chain_id = ${CHAIN_ID} and hash = ${hash.toLowerCase()}`
  return row?.id ?? null
}

/** The intent as it stands now. */
export async function reload(world: World, intent: Intent): Promise<Intent> {
  const row = await getIntent(world.sql, CHAIN_ID, intent.id)
  if (!row) throw new Error(`intent ${intent.id} is gone`)
  return row
}

/** How long a test waits for a state at most: far more than any machine needs, as only a failing test waits so long. */
const PATIENCE_MS = 240_000

/** Waits until `probe` gives something, or fails with `what`. */
export async function eventually<T>(
  what: string,
  probe: () => Promise<T | null | undefined | false>,
  timeoutMs = PATIENCE_MS,
): Promise<T> {
  const deadline = Date.now() + timeoutMs
  for (;;) {
    const found = await probe()
    if (found) return found
    if (Date.now() > deadline) throw new Error(`did not happen in ${timeoutMs} ms: ${what}`)
    await sleep(25)
  }
}

/** Waits until the intent is in one of the states. */
export const untilState = (world: World, intent: Intent, ...states: Intent['state'][]): Promise<Intent> =>
  eventually(`intent ${intent.id} is ${states.join(' or ')}`, async () => {
    const row = await reload(world, intent)
    return states.includes(row.state) && row
  })

/** Waits until the intent is in a block, however deep: beside a miner it may be final before the test looks. */
export const untilMined = (world: World, intent: Intent): Promise<Intent> => untilState(world, intent, 'mined', 'final')

/** Waits until all these intents are broadcast, so that the next block takes every one. */
export const untilAllBroadcast = (world: World, intents: readonly Intent[]): Promise<Intent[]> =>
  Promise.all(intents.map((intent) => untilState(world, intent, 'broadcast')))

/** Waits until no intent is queued or in flight. */
export const untilSettled = (world: World): Promise<true> =>
  eventually('every intent is mined', async () => {
    const rows = await world.sql`select 1 from tx_intents where state in ('queued', 'signed', 'broadcast') limit 1`
    return rows.length === 0
  })

/**
 * Nothing lost, nothing twice: each key counted once on chain, the nonces of each signer dense, the chain's count that of
 * the nonces, and every intent mined with success.
 */
export async function expectEachMinedOnce(
  world: World,
  keys: readonly bigint[],
  addresses: readonly Hex[],
): Promise<void> {
  expect(await tallies(world.rpc, world.tally, keys)).toEqual(keys.map(() => 1n))
  for (const address of addresses) {
    const nonces = await noncesOf(world, address)
    expect(nonces).toEqual(upTo(nonces.length))
    expect(Number(await world.rpc.call('eth_getTransactionCount', [address, 'latest']))).toBe(nonces.length)
  }
  const bad = await world.sql`
    select id, state, outcome, problem from tx_intents
    where state not in ('mined', 'final') or outcome <> 'succeeded'`
  expect([...bad]).toEqual([])
}

/** The nonces that intents of the address hold, ascending. */
export async function noncesOf(world: World, address: Hex): Promise<number[]> {
  const rows = await world.sql<{ nonce: number }[]>`
    select nonce::int as nonce from tx_intents where signer = ${address} and nonce is not null order by nonce`
  return rows.map((row) => row.nonce)
}

/** The keys 1n … n of the counting contract. */
export const keysTo = (n: number): bigint[] => upTo(n).map((index) => BigInt(index + 1))

/** 0 … n-1. */
export const upTo = (n: number): number[] => Array.from({ length: n }, (_, index) => index)

/** What the counting contract shows for n keys when each was counted once. */
export const once = (n: number): bigint[] => upTo(n).map(() => 1n)

/** Inserts n intents that count the keys 1 to n. */
export const intendMany = (world: World, n: number): Promise<Intent[]> =>
  Promise.all(keysTo(n).map((key) => intend(world, `key ${key}`, hit(key))))
