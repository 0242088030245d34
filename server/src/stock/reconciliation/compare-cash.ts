import { WAD_DECIMALS } from '../../lib/wad.ts'
import type { Line } from '../../reconciliation/lines.ts'
import type { CashTokenBooks } from './cash-books-store.ts'
import type { CashFlow } from './cash-flow.ts'
import type { CashOnChain, ChainFigures } from './chain-figures.ts'
import type { DatabaseFigures } from './database-figures.ts'
import { line, type Section, sum } from './lines.ts'

// The rule for cash: which figures must be equal, and what a difference is called.

const RATE_PRECISION = 1_000_000n
const mUsd = { section: 'cash', unit: 'mUSD', decimals: WAD_DECIMALS } as const
const counted = { unit: 'operations', decimals: 0 } as const

/** Every comparison of cash. `flows` has what settlements and the operator moved, by token. */
export function compareCash(
  database: DatabaseFigures,
  chain: ChainFigures,
  flows: ReadonlyMap<string, CashFlow>,
): Line[] {
  const { cash, cashTokens } = database
  const pairs = cashTokens.map((books) => {
    const onChain = chain.cashTokens.get(books.token)
    if (!onChain) throw new Error(`the chain was not asked about ${books.symbol}`)
    return [books, onChain] as const
  })
  const worthWad = sum(pairs.map(([books, { freeRaw }]) => worth(books, books.usdRateE6, freeRaw)))
  const surelyWad = sum(pairs.map(([books, onChain]) => surelyWorth(books, onChain)))
  return [
    owed(cash.owedWad, chain.owedWad, sum(cashTokens.map(({ queuedWithdrawalsWad }) => queuedWithdrawalsWad))),
    cover(chain.owedWad, worthWad),
    buffer('mUSD', 'credit_buffer', mUsd, cash.creditBufferWad, chain.creditBufferWad),
    operations(cash.cashOperations, chain.cashOperations),
    ...pairs.flatMap(([books, onChain]) => [
      balance(books, onChain, flows.get(books.token)),
      queuedDeposits(books, onChain),
      queuedWithdrawals(books, onChain),
      buffer(books.symbol, 'withdraw_buffer', inToken(books), books.withdrawBufferRaw, onChain.withdrawBufferRaw),
      collectible(books, onChain, surelyWad - cash.owedWad),
    ]),
  ]
}

const inToken = ({ symbol, decimals }: CashTokenBooks) => ({ section: 'cash', unit: symbol, decimals }) as const

/** mUSD of token units at a rate, rounded down as the contracts do. */
const worth = ({ decimals }: CashTokenBooks, rateE6: bigint, raw: bigint): bigint =>
  (raw * rateE6 * 10n ** BigInt(WAD_DECIMALS - decimals)) / RATE_PRECISION

/** What the Cashier counts of a token before it lets cash out: at the lower rate, and nothing of one that lost its peg. */
const surelyWorth = (books: CashTokenBooks, onChain: CashOnChain): bigint =>
  books.depositPaused ? 0n : worth(books, lowerRate(books, onChain), onChain.freeRaw)

const lowerRate = ({ usdRateE6 }: CashTokenBooks, { referenceRateE6 }: CashOnChain): bigint =>
  usdRateE6 < referenceRateE6 ? usdRateE6 : referenceRateE6

/** What the venue owes its users, by its books and by the Cashier. */
function owed(databaseWad: bigint, chainWad: bigint, queuedWad: bigint): Line {
  return line({
    ...mUsd,
    subject: 'mUSD',
    comparison: 'owed',
    database: databaseWad,
    chain: chainWad,
    inFlight: [['queued', queuedWad]],
    difference: chainWad - databaseWad,
    cause: 'cash_books',
  })
}

/** The Cashier's cash, without what queued deposits reserve, is worth what it owes, or more. */
function cover(owedWad: bigint, worthWad: bigint): Line {
  const surplusWad = worthWad - owedWad
  return line({
    ...mUsd,
    subject: 'mUSD',
    comparison: 'cover',
    database: owedWad,
    chain: worthWad,
    inFlight: [['surplus', surplusWad > 0n ? surplusWad : 0n]],
    difference: surplusWad < 0n ? surplusWad : 0n,
    cause: 'missing_cash',
  })
}

function buffer(
  subject: string,
  comparison: string,
  unit: Pick<Line, 'unit' | 'decimals'> & { readonly section: Section },
  database: bigint,
  chain: bigint,
): Line {
  return line({
    ...unit,
    subject,
    comparison,
    database,
    chain,
    difference: chain - database,
    cause: 'buffer_books',
  })
}

/** The Cashier numbers its operations; each has its row. */
function operations(database: bigint, chain: bigint): Line {
  const parts = { subject: 'mUSD', comparison: 'operations', database, chain } as const
  return line({ section: 'cash', ...counted, ...parts, difference: chain - database, cause: 'lost_cash_operation' })
}

/** The Cashier's balance: what came in and went out, and what the operator put in. More than that is no fault. */
function balance(books: CashTokenBooks, { heldRaw }: CashOnChain, flow: CashFlow | undefined): Line {
  const expectedRaw = flow ? books.movedRaw - flow.settledRaw - flow.collectedRaw + flow.operatorRaw : heldRaw
  const surplusRaw = heldRaw - expectedRaw
  return line({
    ...inToken(books),
    subject: books.symbol,
    comparison: 'balance',
    database: expectedRaw,
    chain: heldRaw,
    inFlight: [['surplus', surplusRaw > 0n ? surplusRaw : 0n]],
    difference: surplusRaw < 0n ? surplusRaw : 0n,
    cause: 'missing_cash',
  })
}

function queuedDeposits(books: CashTokenBooks, { pendingDepositRaw }: CashOnChain): Line {
  return line({
    ...inToken(books),
    subject: books.symbol,
    comparison: 'queued_deposits',
    database: books.queuedDepositsRaw,
    chain: pendingDepositRaw,
    inFlight: [['queued', pendingDepositRaw]],
    difference: pendingDepositRaw - books.queuedDepositsRaw,
    cause: 'cash_books',
  })
}

function queuedWithdrawals(books: CashTokenBooks, { pendingWithdrawalWad }: CashOnChain): Line {
  return line({
    ...mUsd,
    subject: books.symbol,
    comparison: 'queued_withdrawals',
    database: books.queuedWithdrawalsWad,
    chain: pendingWithdrawalWad,
    inFlight: [['queued', pendingWithdrawalWad]],
    difference: pendingWithdrawalWad - books.queuedWithdrawalsWad,
    cause: 'cash_books',
  })
}

/** What the operator may take out: the excess over what the books say is owed, as far as the token is there. */
function collectible(books: CashTokenBooks, onChain: CashOnChain, excessWad: bigint): Line {
  const { freeRaw, collectibleRaw } = onChain
  const unitWad = lowerRate(books, onChain) * 10n ** BigInt(WAD_DECIMALS - books.decimals)
  const excessRaw = excessWad > 0n ? (excessWad * RATE_PRECISION) / unitWad : 0n
  const expectedRaw = excessRaw < freeRaw ? excessRaw : freeRaw
  return line({
    ...inToken(books),
    subject: books.symbol,
    comparison: 'collectible',
    database: expectedRaw,
    chain: collectibleRaw,
    difference: collectibleRaw - expectedRaw,
    cause: 'cash_books',
  })
}
