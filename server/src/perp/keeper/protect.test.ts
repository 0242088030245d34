import { decodeFunctionData } from 'viem'
import { afterAll, afterEach, beforeAll, describe, expect, it } from 'vitest'
import { instrumentAbi } from '../../chain/abi/instrument.ts'
import type { RpcCall } from '../../chain/rpc.ts'
import { RpcError } from '../../chain/rpc-error.ts'
import type { Hex } from '../../chain/types.ts'
import type { TestDatabase } from '../../db/testing.ts'
import type { Venue } from '../../http/product.ts'
import { createLogger } from '../../lib/logger.ts'
import { WAD } from '../../lib/wad.ts'
import { CONDITION, STATUS } from '../listing/states.ts'
import { keeperDatabase, SIGNER } from '../testing/keeper.ts'
import { Chores } from './chores.ts'
import { unsafeAccounts } from './liquidate.ts'
import { protectPairs } from './protect.ts'
import type { Pair } from './survey.ts'

const CHAIN_ID = 31_337
const EXPIRY = 4_294_967_295
const MARK = 100n * WAD
const REVERTED = new RpcError('rpc_error', 'eth_call', 'refused', {
  rpc: { code: 3, message: 'execution reverted', data: '0x' },
})

let database: TestDatabase
beforeAll(async () => {
  database = await keeperDatabase(CHAIN_ID)
})
afterAll(() => database?.drop())
afterEach(() => database.sql`delete from tx_intents`)

const accountAt = (index: number): Hex => `0x${String(index).padStart(40, '0')}`

/** An account that is long: so much equity, below its maintenance margin. */
interface Account {
  readonly equity: bigint
  readonly size: bigint
  /** What it paid for a unit; the mark unless given. */
  readonly entry?: bigint
}

/** Of one unit each, with so much equity. */
const unitsWith = (equities: readonly bigint[]): Account[] => equities.map((equity) => ({ equity, size: WAD }))
const unitPair = (equities: readonly bigint[]): Pair => pairOf(unitsWith(equities))

/** A pair of accounts whose maintenance margin is 5 %, and in which nobody trades less than the value of a unit. */
function pairOf(accounts: readonly Account[]): Pair {
  const indices = { longSocialLossIndex: 0n, shortSocialLossIndex: 0n, longFundingIndex: 0n, shortFundingIndex: 0n }
  const instrument = {
    address: `0x${'1'.repeat(40)}`,
    condition: CONDITION.NORMAL,
    quote: { address: `0x${'2'.repeat(40)}`, decimals: 6 },
    initialMarginRatio: 1000,
    maintenanceMarginRatio: 500,
    minMarginAmount: 10n * WAD,
  }
  const holders = accounts.map(({ equity, size, entry = MARK }, index) => {
    const entryNotional = (entry * size) / WAD
    const balance = equity + ((entry - MARK) * size) / WAD
    const position = { balance, size, entryNotional, entrySocialLossIndex: 0n, entryFundingIndex: 0n }
    return { account: accountAt(index), position }
  })
  const amm = { status: STATUS.TRADING }
  return { instrument, expiry: EXPIRY, amm, markWad: MARK, indices, holders } as unknown as Pair
}

/** Rounds of a keeper on a node that allows sweeps of these accounts alone, and quotes nothing. */
function keeperOf(pair: Pair, sweepable: readonly Hex[]) {
  const answer = ({ params }: RpcCall) => {
    const { data } = (params as [{ data: Hex }])[0]
    const { functionName, args } = decodeFunctionData({ abi: instrumentAbi, data })
    const isAllowed = functionName === 'sweep' && sweepable.includes(args[1].toLowerCase() as Hex)
    return isAllowed ? { ok: true, value: '0x' } : { ok: false, error: REVERTED }
  }
  let nowMs = 0
  const venue = {
    sql: database.sql,
    deployment: { chainId: CHAIN_ID, contracts: { Gate: `0x${'3'.repeat(40)}` } },
    rpc: {
      call: async () => '0x1',
      batch: async (calls: readonly unknown[]) => calls.map(() => `0x${'0'.repeat(64)}`),
      outcomes: async (calls: readonly RpcCall[]) => calls.map(answer),
    },
    clock: { nowMs: () => nowMs },
    log: createLogger('silent'),
  } as unknown as Venue
  const chores = new Chores()
  return async () => {
    await protectPairs(
      venue,
      async () => ({ blockNumber: 1n, nowSec: 1, instruments: [], pairs: [pair] }),
      chores,
      'ETH',
    )
    nowMs += 1000
    return sweptAccounts()
  }
}

async function sweptAccounts(): Promise<Hex[]> {
  const rows = await database.sql<{ data: Hex }[]>`select data from tx_intents order by id`
  return rows.map(({ data }) => {
    const { args } = decodeFunctionData({ abi: instrumentAbi, data })
    return (args as readonly unknown[])[1] as Hex
  })
}

it('accounts that owe and that nobody can pay for now do not keep those from being swept that can pay', async () => {
  const owing = Array.from({ length: 8 }, () => -WAD)
  const round = keeperOf(unitPair([...owing, WAD]), [accountAt(8)])
  expect(await round()).toEqual([accountAt(8)])
})

it('nor do they those that were opened as the least one may, and whose price has fallen since', async () => {
  const owing = Array.from({ length: 8 }, () => ({ equity: -WAD, size: WAD }))
  const fallen = { equity: WAD, size: WAD / 2n, entry: 2n * MARK }
  expect(await keeperOf(pairOf([...owing, fallen]), [accountAt(8)])()).toEqual([accountAt(8)])
})

it('accounts of which no part can be closed now make room for those that wait, and are tried again', async () => {
  const stuck = Array.from({ length: 20 }, (_, index) => BigInt(index + 1))
  const sweepable = [accountAt(20)]
  const round = keeperOf(unitPair([...stuck, WAD]), sweepable)
  expect(await round()).toEqual([])
  expect(await round()).toEqual([])
  expect(await round()).toEqual([accountAt(20)])
  sweepable.push(accountAt(0))
  for (let waits = 0; waits < 2; waits++) expect(await round()).toEqual([accountAt(20)])
  expect(await round()).toEqual([accountAt(20), accountAt(0)])
})

describe('a crowd holds nobody off who has more at stake', () => {
  const remnants = Array.from({ length: 20 }, () => ({ equity: 1n, size: 1n }))
  const large = { equity: WAD, size: 1000n * WAD }
  const everybody = Array.from({ length: 21 }, (_, index) => accountAt(index))

  it('a thousand units are swept in the first round, before twenty remnants of a wei', async () => {
    const round = keeperOf(pairOf([...remnants, large]), everybody)
    expect((await round())[0]).toBe(accountAt(20))
  })

  it('so they are when they owe', async () => {
    const round = keeperOf(pairOf([...remnants, { equity: -WAD, size: 1000n * WAD }]), everybody)
    expect((await round())[0]).toBe(accountAt(20))
  })

  it('nor by remnants that wait, when it could not be closed in the round before', async () => {
    const sweepable: Hex[] = []
    const round = keeperOf(pairOf([...remnants, large]), sweepable)
    expect(await round()).toEqual([])
    sweepable.push(accountAt(20))
    expect(await round()).toEqual([accountAt(20)])
  })

  it('nor by a queue of what was stored before: of a pair no more than eight wait for the relayer', async () => {
    const pair = pairOf(remnants)
    const round = keeperOf(pair, everybody)
    for (let seconds = 0; seconds < 10; seconds++) expect(await round()).toHaveLength(8)
    await database.sql`
      update tx_intents set state = 'signed', signer = ${SIGNER}, nonce = id
      where id in (select id from tx_intents order by id limit 3)`
    expect(await round()).toHaveLength(11)
  })
})

it('first those that have something left, then those that owe, most missing first, and what nobody may open last', () => {
  const accounts: readonly (Account & { readonly name: string })[] = [
    { name: 'a remnant that owes', equity: -1n, size: 100n },
    { name: 'a remnant', equity: 1n, size: 1000n },
    { name: 'owes little', equity: -WAD, size: 10n * WAD },
    { name: 'owes more', equity: -2n * WAD, size: 10n * WAD },
    { name: 'the least that may be opened, about to owe', equity: 1n, size: WAD },
    { name: 'the least, opened at a higher price', equity: WAD, size: WAD / 2n, entry: 2n * MARK },
    { name: 'large, just below its margin', equity: 4_999n * WAD, size: 1000n * WAD },
    { name: 'of a middling size, about to owe', equity: 1n, size: 100n * WAD },
    { name: 'large, about to owe', equity: 1n, size: 1000n * WAD },
    { name: 'large and safe', equity: 5_000n * WAD, size: 1000n * WAD },
  ]
  const names = unsafeAccounts(pairOf(accounts)).map(({ holder }) => accounts[Number(holder.account)]?.name)
  expect(names).toEqual([
    'large, about to owe',
    'of a middling size, about to owe',
    'the least that may be opened, about to owe',
    'the least, opened at a higher price',
    'large, just below its margin',
    'owes more',
    'owes little',
    'a remnant',
    'a remnant that owes',
  ])
})
