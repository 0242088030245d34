import { type Abi, encodeFunctionData } from 'viem'
import { numeric, type Sql, type Tx } from '../../db/pool.ts'
import { type TestDatabase, testDatabase } from '../../db/testing.ts'
import { sleep } from '../../lib/clock.ts'
import { createLogger } from '../../lib/logger.ts'
import type { Random } from '../../lib/testing-random.ts'
import { readArtifact } from '../deploy/artifacts.ts'
import { type Anvil, type AnvilOptions, startAnvil } from '../embedded/anvil.ts'
import { chainProfile } from '../profiles.ts'
import { createRpc, type Rpc } from '../rpc.ts'
import type { ChainBlock, ChainTransaction, Deployment, Hex } from '../types.ts'
import type { ChainEvent, EventModule } from './event-module.ts'
import { type FollowerOptions, runFollower } from './follower.ts'
import { type FollowerStatus, readFollowerStatus } from './status.ts'

export const CHAIN_ID = 31_337
/** A follower that hangs fails its test; one on a slow machine does not. */
const SYNC_TIMEOUT_MS = 240_000
/** No test transaction needs more, and an estimate would refuse those that shall revert. */
const GAS_LIMIT = '0x200000'

/** A chain that mines on command, with two probes on it. */
export interface ProbeChain {
  readonly anvil: Anvil
  readonly rpc: Rpc
  readonly abi: Abi
  readonly account: Hex
  readonly probe: Hex
  /** A second probe, which is not among the sources unless a test says so. */
  readonly other: Hex
  readonly deployment: Deployment
}

export async function startProbeChain(options: AnvilOptions = {}): Promise<ProbeChain> {
  const anvil = await startAnvil({ noMining: true, ...options })
  const rpc = createRpc({ url: anvil.rpcUrl, timeoutMs: SYNC_TIMEOUT_MS })
  const { abi, bytecode } = await readArtifact('EventProbe')
  const [account = '0x'] = await rpc.call<Hex[]>('eth_accounts')
  const addresses: Hex[] = []
  for (let count = 0; count < 2; count++) {
    const hash = await rpc.call<Hex>('eth_sendTransaction', [{ from: account, data: bytecode, gas: GAS_LIMIT }])
    await rpc.call('evm_mine')
    const receipt = await rpc.call<{ contractAddress: Hex }>('eth_getTransactionReceipt', [hash])
    addresses.push(receipt.contractAddress)
  }
  const [probe = '0x', other = '0x'] = addresses
  const startBlock = (await headOf(rpc)).number + 1n
  const deployment = { chainId: CHAIN_ID, startBlock, contracts: { EventProbe: probe } }
  return { anvil, rpc, abi, account, probe, other, deployment }
}

export async function headOf(rpc: Rpc): Promise<{ number: bigint; hash: Hex }> {
  const { number, hash } = await rpc.call<{ number: Hex; hash: Hex }>('eth_getBlockByNumber', ['latest', false])
  return { number: BigInt(number), hash }
}

export interface ProbeCall {
  readonly functionName: string
  readonly args: readonly unknown[]
  readonly to?: Hex
}

export function transactionOf(chain: ProbeChain, { functionName, args, to }: ProbeCall): Record<string, unknown> {
  const data = encodeFunctionData({ abi: chain.abi, functionName, args })
  return { from: chain.account, to: to ?? chain.probe, gas: GAS_LIMIT, data }
}

/** Puts the calls into one new block. */
export async function mine(chain: ProbeChain, ...calls: ProbeCall[]): Promise<Hex[]> {
  const hashes: Hex[] = []
  for (const call of calls) {
    hashes.push(await chain.rpc.call<Hex>('eth_sendTransaction', [transactionOf(chain, call)]))
  }
  await chain.rpc.call('evm_mine')
  return hashes
}

export const set = (key: number, value: bigint): ProbeCall => ({ functionName: 'set', args: [BigInt(key), value] })

const TABLES = `
  create table probe_values (
    chain_id bigint, key numeric(78, 0), value_wad numeric(78, 0) not null, changes bigint not null, label text,
    seen_at timestamptz not null, primary key (chain_id, key));
  create table probe_history (
    chain_id bigint, transaction_hash text, index_in_transaction bigint, key numeric(78, 0) not null, details jsonb not null,
    primary key (chain_id, transaction_hash, index_in_transaction),
    foreign key (chain_id, key) references probe_values);
  create table probe_transactions (
    chain_id bigint, hash text, block_number bigint not null, succeeded boolean not null, value_wei numeric(78, 0) not null,
    primary key (chain_id, hash));
  create table probe_senders (chain_id bigint, sender text, last_key numeric(78, 0) not null, rank bigint not null,
    primary key (chain_id, sender), unique (chain_id, rank));`
export const PROBE_TABLES = ['probe_values', 'probe_history', 'probe_transactions', 'probe_senders']

/** A module whose rows depend on the order of events and on each other: inserts, changes, removals, references. */
export function probeModule(chain: Pick<ProbeChain, 'abi'>, extraSources: readonly Hex[] = []): EventModule {
  return {
    name: 'probe',
    tables: PROBE_TABLES,
    sources: ({ contracts }) =>
      [contracts.EventProbe as Hex, ...extraSources].map((address) => ({ address, abi: chain.abi, abiVersion: 1 })),
    async apply(tx, blocks) {
      for (const { block, events, transactions } of blocks) {
        await insertTransactions(tx, block, transactions)
        for (const event of events) await applyEvent(tx, block, event)
      }
    },
  }
}

async function insertTransactions(tx: Tx, block: ChainBlock, transactions: readonly ChainTransaction[]): Promise<void> {
  await tx`
    insert into probe_transactions (chain_id, hash, block_number, succeeded, value_wei)
    select ${block.chainId}, hash, ${block.number}, succeeded, value_wei
    from unnest(${transactions.map((item) => item.hash)}::text[], ${transactions.map((item) => String(item.succeeded))}::text[]::boolean[],
                ${transactions.map((item) => String(item.valueWei))}::text[]::numeric[]) as t (hash, succeeded, value_wei)`
}

async function applyEvent(tx: Tx, { chainId, timestampSec }: ChainBlock, event: ChainEvent): Promise<void> {
  const { key, value, sender, text } = event.args as { key: bigint; value: bigint; sender: string; text: string }
  if (event.name === 'Removed') {
    await tx`delete from probe_history where chain_id = ${chainId} and key = ${numeric(key)}`
    await tx`delete from probe_values where chain_id = ${chainId} and key = ${numeric(key)}`
  }
  if (event.name === 'Described') await tx`update probe_values set label = ${text} where chain_id = ${chainId}`
  if (event.name !== 'Set') return
  await tx`
    insert into probe_values as v (chain_id, key, value_wad, changes, seen_at)
    values (${chainId}, ${numeric(key)}, ${numeric(value)}, 1, to_timestamp(${timestampSec}))
    on conflict (chain_id, key) do update
    set value_wad = excluded.value_wad, changes = v.changes + 1, seen_at = excluded.seen_at`
  await tx`
    insert into probe_history (chain_id, transaction_hash, index_in_transaction, key, details)
    values (${chainId}, ${event.transactionHash}, ${event.indexInTransaction}, ${numeric(key)},
            ${tx.json({ logIndex: event.logIndex, value: String(value), nonce: event.args.nonce as number })})`
  await tx`
    insert into probe_senders (chain_id, sender, last_key, rank)
    values (${chainId}, ${sender}, ${numeric(key)}, (select count(*) from probe_senders))
    on conflict (chain_id, sender) do update set last_key = excluded.last_key`
}

export async function probeDatabase(): Promise<TestDatabase> {
  const database = await testDatabase()
  await database.sql.unsafe(TABLES).simple()
  return database
}

export interface RunningFollower {
  /** Settles when it has ended, by `stop` or by its own failure, which it rejects with. */
  readonly ended: Promise<void>
  /** Stops it; rejects if it failed. */
  stop(): Promise<void>
}

export function startFollower(
  sql: Sql,
  chain: ProbeChain,
  options: Partial<FollowerOptions> & { rpcUrl?: string } = {},
): RunningFollower {
  const controller = new AbortController()
  const run = runFollower({
    sql,
    rpc: createRpc({ url: options.rpcUrl ?? chain.anvil.rpcUrl }),
    profile: chainProfile(CHAIN_ID),
    deployment: chain.deployment,
    modules: [probeModule(chain)],
    log: createLogger('silent'),
    pollMs: 10,
    confirmMs: 5,
    ...options,
    signal: controller.signal,
  })
  run.catch(() => {})
  const stop = () => {
    controller.abort()
    return run
  }
  return { ended: run, stop }
}

const statusOf = (sql: Sql): Promise<FollowerStatus | null> => readFollowerStatus(sql, CHAIN_ID)

/** Waits until the follower says what is asked for; fails with what it says instead. */
export async function waitForStatus(sql: Sql, isReached: (status: FollowerStatus) => boolean): Promise<FollowerStatus> {
  const deadline = Date.now() + SYNC_TIMEOUT_MS
  for (;;) {
    const status = await statusOf(sql)
    if (status && isReached(status)) return status
    if (Date.now() > deadline) {
      const seen = JSON.stringify(status, (_, value) => (typeof value === 'bigint' ? String(value) : value))
      throw new Error(`the follower did not get there: ${seen}`)
    }
    await sleep(5)
  }
}

/** Waits until the node's present head is indexed. */
export async function waitForHead(sql: Sql, rpc: Rpc): Promise<FollowerStatus> {
  const head = await headOf(rpc)
  return waitForStatus(sql, (status) => status.state === 'following' && status.indexedHash === head.hash)
}

/** Every row of every chain-derived table, the blocks and the checkpoint. */
export async function dump(sql: Sql): Promise<Record<string, unknown[]>> {
  const rows: Record<string, unknown[]> = {}
  for (const table of ['blocks', ...PROBE_TABLES]) {
    rows[table] = [...(await sql.unsafe(`select to_jsonb(t)::text as row from ${table} t order by 1`))]
  }
  rows.checkpoint = [...(await sql`select block_number, block_hash, base_number, genesis_hash from chain_checkpoints`)]
  return rows
}

/** What an indexer that starts from nothing makes of the chain as it is now. */
export async function cleanIndex(chain: ProbeChain): Promise<Record<string, unknown[]>> {
  const database = await probeDatabase()
  const follower = startFollower(database.sql, chain)
  try {
    await waitForHead(database.sql, chain.rpc)
    return await dump(database.sql)
  } finally {
    await follower.stop()
    await database.drop()
  }
}

export function randomCall(random: Random, chain: ProbeChain): ProbeCall {
  const key = random.below(8)
  const value = BigInt(random.below(1_000_000)) * (random.below(2) ? 10n ** 24n : -(10n ** 70n))
  const calls: readonly ProbeCall[] = [
    set(key, value),
    set(key, value),
    { functionName: 'setMany', args: [BigInt(key), 3n] },
    { functionName: 'remove', args: [BigInt(key)] },
    { functionName: 'describe', args: ['tag', `label ${value}`] },
    { functionName: 'setThrough', args: [chain.other, BigInt(key), value] },
    { functionName: 'setThrough', args: [chain.probe, BigInt(key), value], to: chain.other },
    { functionName: 'stayQuiet', args: [] },
    { functionName: 'fail', args: [BigInt(key)] },
  ]
  return random.pick(calls)
}
