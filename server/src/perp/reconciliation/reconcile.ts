import { isCanonical } from '../../chain/canonical.ts'
import { contractAddress } from '../../chain/deployment.ts'
import { readGroups } from '../../chain/read.ts'
import { inSnapshot } from '../../db/pool.ts'
import type { Venue } from '../../http/product.ts'
import type { Comparisons } from '../../reconciliation/cycle.ts'
import { FIRST_TURN, nextTurn, type Turn } from '../../reconciliation/turn.ts'
import { ammRead, portfolioRead } from '../listing/observer.ts'
import { ACCOUNTS, type AccountKey, type Books, readBooks } from './books-store.ts'
import { accountsThatDiffer, type ChainBooks, compare } from './compare.ts'
import { RECONCILED } from './lines.ts'

/** An account as JSON has it. */
type AccountName = Omit<AccountKey, 'expiry'> & { readonly expiry: string }

const nameAccount = ({ trader, instrument, expiry }: AccountKey): AccountName => ({
  trader,
  instrument,
  expiry: String(expiry),
})
const keyOf = (name: AccountName): AccountKey => ({ ...name, expiry: BigInt(name.expiry) })

type Sides = Pick<Venue, 'sql' | 'rpc' | 'deployment'>

/**
 * Database and chain side by side: every pair, and position, open orders and ranges of a part of the accounts at each reading,
 * and of those that differed in the last one. The database is read first, in one snapshot; the contracts at the block up to which
 * that snapshot was indexed.
 */
export const perpComparisons: Comparisons<Turn<AccountName>> = {
  product: RECONCILED,
  start: FIRST_TURN,
  read: takeReading,
}

/** One reading, stored nowhere. Null before the first block is indexed, and when the block was reorganised away. */
export async function takeReading({ sql, rpc, deployment }: Sides, from: Turn<AccountName>) {
  const turn = { after: from.after && keyOf(from.after), again: from.again.map(keyOf) }
  const books = await inSnapshot(sql, (tx) => readBooks(tx, deployment.chainId, turn))
  if (books === null) return null
  const chain = await readChain({ sql, rpc, deployment }, books)
  if (!(await isCanonical({ rpc }, books.block))) return null
  const [part, differing] = [books.part.map(nameAccount), accountsThatDiffer(books, chain).map(nameAccount)]
  const { turn: next, isRoundOver } = nextTurn(from, { part, size: ACCOUNTS, differing })
  return { block: books.block, lines: compare(books, chain), next, isRoundOver }
}

async function readChain({ rpc, deployment }: Sides, { block, pairs, accounts }: Books): Promise<ChainBooks> {
  const observer = contractAddress(deployment, 'Observer')
  const ofPairs = pairs.map((pair) => ammRead(pair))
  const ofAccounts = accounts.map((account) => portfolioRead(observer, account, account.trader))
  const [amms, answers] = await readGroups(rpc, [ofPairs, ofAccounts], block.number)
  return { amms, portfolios: answers.map(([portfolio]) => portfolio) }
}
