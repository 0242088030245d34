import { encodeFunctionData } from 'viem'
import { operatorPoolAbi } from '../server/src/chain/abi/operator-pool.ts'
import { DEVELOPMENT_MNEMONIC } from '../server/src/chain/embedded/accounts.ts'
import { startAnvil } from '../server/src/chain/embedded/anvil.ts'
import { type ChainProfile, chainProfile } from '../server/src/chain/profiles.ts'
import { createRpc } from '../server/src/chain/rpc.ts'
import { runSigners } from '../server/src/chain/send/relayer.ts'
import type { Deployment, Hex } from '../server/src/chain/types.ts'
import { createPool, type Sql } from '../server/src/db/pool.ts'
import { SUBMIT_PURPOSE } from '../server/src/delegation/submission.ts'
import { sleep } from '../server/src/lib/clock.ts'
import { createLogger } from '../server/src/lib/logger.ts'
import { depositCalldata } from '../server/src/stock/calldata/calldata.ts'
import { indexedVenue } from './http/venue-rows.ts'
import { countIntents, insertCalls, type PoolCall } from './intents.ts'
import { type DevelopmentChain, delegatedUsers, poolSigners } from './one-click-users.ts'
import {
  count,
  describeRun,
  printTable,
  readNumbers,
  round,
  roundSpread,
  type Spread,
  spreadOf,
  writeResults,
} from './report.ts'

const SIGNERS = [1, 4, 16]
/** Unmined transactions that one signer may have: as the development chain allows, and as a public mempool does. */
const IN_FLIGHT = [256, 16]
const USDC = 1_000_000n
const POLL_MS = 20
const MINED_WITHIN_MS = 120_000
/** As many as the venue opens; each signer keeps one busy and holds its lock on another beside them. */
const CONNECTIONS = 20

interface Settings {
  readonly rounds: number
  readonly transactions: number
  readonly users: number
  readonly blockMs: number
}

interface Measured {
  readonly signers: number
  readonly maxInFlight: number
  readonly minedPerSec: Spread
}

/** `npm run bench -- relay`: One Click calls that the relayer has mined per second, with several numbers of signers. */
export async function benchRelay(args: readonly string[]): Promise<void> {
  const settings = readSettings(args)
  const run = describeRun()
  console.log('Starting a venue, so that there are contracts to call …')
  const rows = await indexedVenue()
  const { chainId } = rows.server.deployment
  const blockTimeSec = settings.blockMs / 1000
  const anvil = await startAnvil({
    chainId,
    statePath: rows.chainStatePath,
    mnemonic: DEVELOPMENT_MNEMONIC,
    blockTimeSec,
  })
  const sql = createPool({ url: rows.server.databaseUrl, maxConnections: CONNECTIONS, applicationName: 'bench' })
  try {
    console.log(`Approving, funding and delegating ${settings.users} users …`)
    const chain = { rpc: createRpc({ url: anvil.rpcUrl }), deployment: rows.server.deployment }
    const wallets = await delegatedUsers(chain, settings.users)
    const keys = await poolSigners(chain, Math.max(...SIGNERS))
    const results: Measured[] = []
    for (const maxInFlight of IN_FLIGHT) {
      for (const signers of SIGNERS) {
        const relay = { ...settings, sql, chain, wallets, keys: keys.slice(0, signers), maxInFlight }
        const rates: number[] = []
        for (let i = 0; i < settings.rounds; i++) rates.push(await measure(relay))
        results.push({ signers, maxInFlight, minedPerSec: roundSpread(spreadOf(rates), 0) })
      }
    }
    print(results, settings)
    await writeResults('relay', { ...run, settings, results })
  } finally {
    await sql.end()
    await anvil.stop()
    await rows.close()
  }
}

function readSettings(args: readonly string[]): Settings {
  const { 'block-ms': blockMs, ...rest } = readNumbers(args, {
    rounds: 3,
    transactions: 600,
    users: 96,
    'block-ms': 250,
  })
  return { ...rest, blockMs }
}

interface Relay extends Settings {
  readonly sql: Sql
  readonly chain: DevelopmentChain
  readonly wallets: readonly Hex[]
  readonly keys: readonly Hex[]
  readonly maxInFlight: number
}

/** Starts a relayer, waits until every signer has reported, then queues everything at once and waits for the last receipt. */
async function measure(relay: Relay): Promise<number> {
  const { sql, chain, wallets, keys, transactions } = relay
  const { chainId, contracts } = chain.deployment
  await sql`delete from tx_signers`
  const stop = new AbortController()
  const running = runSigners({
    sql,
    rpc: chain.rpc,
    profile: profileOf(relay, chainId),
    signal: stop.signal,
    log: createLogger('error'),
    signers: keys.map((privateKey) => ({ purpose: SUBMIT_PURPOSE, privateKey })),
  })
  const failed = running.then((): never => {
    throw new Error('the relayer ended')
  })
  failed.catch(() => {})
  try {
    const calls = Array.from({ length: transactions }, (_, n) =>
      depositAs(wallets[n % wallets.length] as Hex, contracts),
    )
    return await Promise.race([failed, relayAll(sql, chainId, keys.length, calls)])
  } finally {
    stop.abort()
    await running.catch(() => {})
  }
}

async function relayAll(sql: Sql, chainId: number, signers: number, calls: readonly PoolCall[]): Promise<number> {
  await until(
    'the signers report',
    async () => (await sql`select from tx_signers where seen_at is not null`).length === signers,
  )
  const before = await countIntents(sql)
  await insertCalls(sql, chainId, calls)
  const startedMs = performance.now()
  await until('all are mined', async () => {
    const { mined, lost } = await countIntents(sql)
    if (lost > before.lost) throw new Error('a transaction was rejected, failed or reverted')
    return mined - before.mined === calls.length
  })
  return (calls.length / (performance.now() - startedMs)) * 1000
}

async function until(what: string, isSo: () => Promise<boolean>): Promise<void> {
  const deadlineMs = Date.now() + MINED_WITHIN_MS
  while (!(await isSo())) {
    if (Date.now() > deadlineMs)
      throw new Error(`${MINED_WITHIN_MS / 1000} s have passed, and it is not so that ${what}`)
    await sleep(POLL_MS)
  }
}

function profileOf({ blockMs, maxInFlight }: Relay, chainId: number): ChainProfile {
  const profile = chainProfile(chainId)
  return { ...profile, blockTimeMs: blockMs, mempool: { ...profile.mempool, maxInFlight } }
}

/** A deposit of one USDC for a user: it needs nothing that the venue would have to settle before the next one. */
function depositAs(user: Hex, contracts: Deployment['contracts']): PoolCall {
  const { OneClickRouter: router, OperatorPool: pool, StockRouter: target, USDC: usdc } = contracts
  if (!router || !pool || !target || !usdc) throw new Error('the deployment lacks One Click')
  const args = [router, user, target, depositCalldata(target, usdc, USDC).data] as const
  return { user, to: pool, data: encodeFunctionData({ abi: operatorPoolAbi, functionName: 'execute', args }) }
}

function print(results: readonly Measured[], { rounds, transactions, users, blockMs }: Settings): void {
  console.log(
    `\nMedians of ${rounds} rounds of ${count(transactions)} deposits by One Click of ${users} users; a block every ${blockMs} ms\n`,
  )
  const one = (maxInFlight: number) => results.find((row) => row.maxInFlight === maxInFlight)?.minedPerSec.median ?? 1
  printTable([
    ['signers', 'in flight of each', 'mined per second', 'of one signer'],
    ...results.map(({ signers, maxInFlight, minedPerSec }) => [
      String(signers),
      String(maxInFlight),
      count(minedPerSec.median),
      String(round(minedPerSec.median / one(maxInFlight), 2)),
    ]),
  ])
}
