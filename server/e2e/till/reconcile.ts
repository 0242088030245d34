import { erc20Abi } from 'viem'
import { isCanonical } from '../../src/chain/canonical.ts'
import { contractRead, readContract } from '../../src/chain/read.ts'
import type { Hex } from '../../src/chain/types.ts'
import { inSnapshot } from '../../src/db/pool.ts'
import type { Comparisons } from '../../src/reconciliation/cycle.ts'
import { line } from '../../src/reconciliation/lines.ts'
import { loadBooks } from './store.ts'

/** The sections of the report with their headings. */
export const SECTIONS = { till: 'The till' }

/** What the recorded receipts come to, and what the address has on chain at the same block. */
export const comparisonsOf = (token: Hex, address: Hex): Comparisons<'all'> => ({
  product: 'till',
  start: 'all',
  async read({ sql, rpc, deployment }) {
    const books = await inSnapshot(sql, (tx) => loadBooks(tx, deployment.chainId))
    if (books === null) return null
    const { block, receivedRaw } = books
    const balance = contractRead({ address: token, abi: erc20Abi }, 'balanceOf', address)
    const heldRaw = await readContract(rpc, balance, block.number)
    if (!(await isCanonical({ rpc }, block))) return null
    const received = line({
      section: 'till',
      subject: 'USDC',
      comparison: 'received',
      unit: 'USDC',
      decimals: 6,
      database: receivedRaw,
      chain: heldRaw,
      difference: receivedRaw - heldRaw,
      cause: 'receipts',
    })
    return { block, lines: [received], next: 'all', isRoundOver: true }
  },
})
