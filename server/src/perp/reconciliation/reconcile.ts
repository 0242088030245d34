import { isCanonical } from '../../chain/canonical.ts'
import { contractAddress } from '../../chain/deployment.ts'
import { readGroups } from '../../chain/read.ts'
import { inSnapshot } from '../../db/pool.ts'
import type { Venue } from '../../http/product.ts'
import type { Comparisons } from '../../reconciliation/cycle.ts'
import { ammRead, portfolioRead } from '../listing/observer.ts'
import { type AccountKey, type Books, FIRST_ACCOUNT, readBooks } from './books-store.ts'
import { type ChainBooks, compare } from './compare.ts'
import { RECONCILED } from './lines.ts'

type Sides = Pick<Venue, 'sql' | 'rpc' | 'deployment'>

/**
 * Database and chain side by side: every pair, and position, open orders and ranges of a part of the accounts at each reading. The
 * database is read first, in one snapshot; the contracts at the block up to which that snapshot was indexed.
 */
export const perpComparisons: Comparisons<AccountKey> = {
  product: RECONCILED,
  start: FIRST_ACCOUNT,
  read: takeReading,
}

/** One reading, stored nowhere. Null before the first block is indexed, and when the block was reorganised away. */
export async function takeReading({ sql, rpc, deployment }: Sides, from: AccountKey) {
  const books = await inSnapshot(sql, (tx) => readBooks(tx, deployment.chainId, from))
  if (books === null) return null
  const chain = await readChain({ sql, rpc, deployment }, books)
  if (!(await isCanonical({ rpc }, books.block))) return null
  return { block: books.block, lines: compare(books, chain), next: books.next }
}

async function readChain({ rpc, deployment }: Sides, { block, pairs, accounts }: Books): Promise<ChainBooks> {
  const observer = contractAddress(deployment, 'Observer')
  const ofPairs = pairs.map((pair) => ammRead(pair))
  const ofAccounts = accounts.map((account) => portfolioRead(observer, account, account.trader))
  const [amms, answers] = await readGroups(rpc, [ofPairs, ofAccounts], block.number)
  return { amms, portfolios: answers.map(([portfolio]) => portfolio) }
}
