import { ridOf } from '../indexing/order-id.ts'
import type { Amm, Portfolio } from '../listing/observer.ts'
import { type AccountKey, type Books, nameOf, type PairBooks } from './books-store.ts'
import { rowsLine } from './lines.ts'

/** The contracts' answers at the books' block, in the order of its pairs and of its accounts. */
export interface ChainBooks {
  readonly amms: readonly Amm[]
  readonly portfolios: readonly Portfolio[]
}

/** Every row of the accounts that were looked at, and every pair, beside what the contracts have. */
export const compare = (books: Books, chain: ChainBooks) => [
  rowsLine('pairs', 'state', 'pair_books', comparePairs(books, chain)),
  rowsLine('pairs', 'liquidity', 'liquidity_books', compareLiquidity(books, chain)),
  rowsLine('accounts', 'positions', 'position_books', compareAccounts(books, chain, positionsDiffer)),
  rowsLine('accounts', 'open_orders', 'order_books', compareAccounts(books, chain, ordersDiffer)),
  rowsLine('accounts', 'ranges', 'range_books', compareAccounts(books, chain, rangesDiffer)),
]

/** Accounts of which anything differs. */
export const accountsThatDiffer = (books: Books, { portfolios }: ChainBooks): readonly AccountKey[] =>
  books.accounts.filter((account, index) =>
    [positionsDiffer, ordersDiffer, rangesDiffer].some(
      (differ) => differ(books, account, portfolios[index] as Portfolio).wrong.length > 0,
    ),
  )

const PAIR_FIELDS = [
  ...['sqrtPX96', 'feeIndex', 'protocolFee', 'longSocialLossIndex', 'shortSocialLossIndex'],
  ...['longFundingIndex', 'shortFundingIndex', 'insuranceFund'],
] as const satisfies readonly (keyof PairBooks & keyof Amm)[]

function comparePairs({ pairs }: Books, { amms }: ChainBooks) {
  const wrong = pairs.flatMap((pair, index) => {
    const amm = amms[index] as Amm
    const fields: string[] = PAIR_FIELDS.filter((field) => pair[field] !== amm[field])
    if (pair.status !== BigInt(amm.status)) fields.push('status')
    return fields.length === 0 ? [] : [`${pair.instrument} ${pair.expiry}: ${fields.join(', ')}`]
  })
  return { checked: pairs.length, wrong }
}

/** The ranges that are recorded add up to the curve's liquidity: none is missing, whoever's it is. */
function compareLiquidity({ pairs }: Books, { amms }: ChainBooks) {
  const wrong = pairs.flatMap(({ instrument, expiry, totalLiquidity }, index) => {
    const onChain = (amms[index] as Amm).totalLiquidity
    return totalLiquidity === onChain ? [] : [`${instrument} ${expiry}: ${totalLiquidity}, on chain ${onChain}`]
  })
  return { checked: pairs.length, wrong }
}

/** What is wrong with an account's rows of one kind, each named. */
type Differ = (books: Books, account: AccountKey, portfolio: Portfolio) => { checked: number; wrong: string[] }

function compareAccounts(books: Books, { portfolios }: ChainBooks, differ: Differ) {
  const found = books.accounts.map((account, index) => ({
    account,
    ...differ(books, account, portfolios[index] as Portfolio),
  }))
  return {
    checked: found.reduce((sum, { checked }) => sum + checked, 0),
    wrong: found.flatMap(({ account, wrong }) => wrong.map((what) => `${nameOf(account)}: ${what}`)),
  }
}

const isOf =
  (account: AccountKey) =>
  (row: AccountKey): boolean =>
    row.trader === account.trader && row.instrument === account.instrument && row.expiry === account.expiry

const POSITION_FIELDS = ['balance', 'size', 'entryNotional', 'entrySocialLossIndex', 'entryFundingIndex'] as const

const positionsDiffer: Differ = ({ positions }, account, { position }) => {
  const row = positions.find(isOf(account))
  const fields = POSITION_FIELDS.filter((field) => (row?.[field] ?? 0n) !== position[field])
  return { checked: 1, wrong: fields.length === 0 ? [] : [fields.join(', ')] }
}

const ordersDiffer: Differ = ({ orders }, account, portfolio) => {
  const rows = orders.filter(isOf(account)).map(({ oid, size, balance }) => `order ${oid}, ${size}, ${balance}`)
  const there = portfolio.orders.map(
    ({ size, balance }, index) => `order ${BigInt(portfolio.oids[index] ?? 0)}, ${size}, ${balance}`,
  )
  return setsDiffer(rows, there)
}

const rangesDiffer: Differ = ({ ranges }, account, portfolio) => {
  const text = (rid: bigint, range: Portfolio['ranges'][number]) =>
    `range ${rid}, ${range.liquidity}, ${range.entryFeeIndex}, ${range.balance}, ${range.sqrtEntryPX96}`
  const rows = ranges.filter(isOf(account)).map((row) => text(ridOf(row.tickLower, row.tickUpper), row))
  return setsDiffer(
    rows,
    portfolio.ranges.map((range, index) => text(BigInt(portfolio.rids[index] ?? 0), range)),
  )
}

/** What only one of two lists has. */
function setsDiffer(rows: readonly string[], there: readonly string[]) {
  const [recorded, onChain] = [new Set(rows), new Set(there)]
  const wrong = [
    ...rows.filter((row) => !onChain.has(row)).map((row) => `${row} is not on chain`),
    ...there.filter((one) => !recorded.has(one)).map((one) => `${one} is not recorded`),
  ]
  return { checked: Math.max(rows.length, there.length), wrong }
}
