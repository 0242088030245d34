import { mkdtemp, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { startAnvil } from '../server/src/chain/embedded/anvil.ts'
import type { EventModule } from '../server/src/chain/follow/event-module.ts'
import { createRpc, type Rpc } from '../server/src/chain/rpc.ts'
import type { Hex } from '../server/src/chain/types.ts'
import { startEmbeddedPostgres } from '../server/src/db/embedded.ts'
import type { Sql } from '../server/src/db/pool.ts'
import { type Compared, type Cost, costFromNow, inEmptyDatabase, makeFinal, printCompared } from './index-anew.ts'
import { besidePonder, type PonderChain } from './index-ponder.ts'
import { count } from './report.ts'
import { followUntil } from './resting-venue.ts'
import { type SentTransfers, sendTransfers } from './token-transfers.ts'
import { untilIndexed } from './until-indexed.ts'

const CHAIN_ID = 31_337

export interface TransferResults {
  readonly transfers: number
  readonly blocks: number
  readonly rate: Compared
}

/**
 * What Ponder was measured with: transfers of a token on a chain of their own, indexed into a database of their own, as often as there are
 * rounds; the time is that to the block with the last.
 */
export async function indexTransfers(total: number, rounds: number): Promise<TransferResults> {
  const folder = await mkdtemp(join(tmpdir(), 'bourse-bench-'))
  const database = await startEmbeddedPostgres({ folder, durable: true, maxConnections: 100 })
  const anvil = await startAnvil({ chainId: CHAIN_ID, noMining: true })
  try {
    const rpc = createRpc({ url: anvil.rpcUrl })
    const sent = await sendTransfers(rpc, total)
    await makeFinal(rpc, CHAIN_ID)
    const follow = () => inEmptyDatabase(database.url, (sql) => indexAnew(sql, rpc, sent))
    const { rate } = await besidePonder(rounds, database.url, follow, () => ponderChain(anvil.rpcUrl, sent))
    return { transfers: total, blocks: Number(sent.last - sent.first) + 1, rate }
  } finally {
    await anvil.stop()
    await database.stop()
    await rm(folder, { recursive: true, force: true })
  }
}

export function printTransfers({ transfers, blocks, rate }: TransferResults): void {
  console.log(`\n\n${count(transfers)} transfers in ${count(blocks)} blocks, each row as it was sent\n`)
  printCompared(rate)
}

const ponderChain = (rpcUrl: string, { token, abi, transfers, first, last }: SentTransfers): PonderChain => ({
  chainId: CHAIN_ID,
  rpcUrl,
  startBlock: first,
  endBlock: last,
  sources: [{ address: token, abi, abiVersion: 1 }],
  events: transfers.length,
})

const TABLE = `
  create table token_transfers (
    chain_id bigint, block_number bigint, log_index bigint, transaction_hash text not null, from_address text not null,
    to_address text not null, amount_raw numeric(78, 0) not null, primary key (chain_id, block_number, log_index))`

/** One table, one row an event. */
const transferModule = ({ token, abi }: SentTransfers): EventModule => ({
  name: 'transfers',
  tables: ['token_transfers'],
  sources: () => [{ address: token, abi, abiVersion: 1 }],
  async apply(tx, blocks) {
    const rows = blocks.flatMap(({ block, events }) => {
      const ofBlock = events.filter(({ name }) => name === 'Transfer')
      return ofBlock.map((event) => ({ block, event, args: event.args as { from: Hex; to: Hex; value: bigint } }))
    })
    const column = (read: (row: (typeof rows)[number]) => string | number | bigint) => arrayOf(rows.map(read))
    await tx`
      insert into token_transfers
      select * from unnest(
        ${column(({ block }) => block.chainId)}::bigint[], ${column(({ block }) => block.number)}::bigint[],
        ${column(({ event }) => event.logIndex)}::bigint[], ${column(({ event }) => event.transactionHash)}::text[],
        ${column(({ args }) => args.from)}::text[], ${column(({ args }) => args.to)}::text[],
        ${column(({ args }) => args.value)}::text[]::numeric[])`
  },
})

/** An array as PostgreSQL reads it, of numbers and hex alone: the driver looks for what must be escaped in each. */
const arrayOf = (values: readonly (string | number | bigint)[]): string => `{${values.join()}}`

/** Throws unless the database then holds every transfer as it was sent, and nothing else. */
async function indexAnew(sql: Sql, rpc: Rpc, sent: SentTransfers): Promise<{ readonly cost: Cost }> {
  await sql.unsafe(TABLE)
  const deployment = { chainId: CHAIN_ID, startBlock: sent.first, contracts: { Token: sent.token } }
  const costSoFar = costFromNow()
  let cost = costSoFar()
  await followUntil({ rpc, sql, deployment }, [transferModule(sent)], async () => {
    await untilIndexed(rpc, sql, sent.last)
    cost = costSoFar()
  })
  await compareTransfers(sql, sent)
  return { cost }
}

async function compareTransfers(sql: Sql, { transfers }: SentTransfers): Promise<void> {
  const rows = await sql<{ from: Hex; to: Hex; amountRaw: bigint }[]>`
    select from_address as "from", to_address as "to", amount_raw as "amountRaw" from token_transfers
    order by block_number, log_index`
  if (rows.length !== transfers.length) throw new Error(`${rows.length} rows of ${transfers.length} transfers`)
  const differs = transfers.findIndex(({ from, to, amountRaw }, nth) => {
    const row = rows[nth]
    return row?.from !== from || row.to !== to || row.amountRaw !== amountRaw
  })
  if (differs >= 0) throw new Error(`the row of transfer ${differs} is not what was sent`)
}
