import { encodeFunctionData } from 'viem'
import { stockTokenAbi } from '../../chain/abi/stock-token.ts'
import { insertIntent } from '../../chain/send/intents.ts'
import type { Hex } from '../../chain/types.ts'
import { inTransaction } from '../../db/pool.ts'
import type { Venue } from '../../http/product.ts'
import type { Clock } from '../../lib/clock.ts'
import { renewQuote } from '../../market/quote-store.ts'
import { dueSplits } from './split-store.ts'

/** Purpose of the transactions that change stock tokens; their signer holds CONFIGURE_ROLE on each. */
export const CONFIGURE_PURPOSE = 'configure'

export const splitKey = (token: Hex): string => `stock.split:${token}`

/**
 * Sets on chain the shares that a token stands for once a split has taken effect. Prices, orders and executions follow the recorded
 * time, not the transaction; an attempt that failed is made again a minute later. Sending it twice sets the same figure. Followers of quotes and bars are told
 * with it: the market's next quote may be a weekend away. The transaction says to processes with a slower clock that the time has come
 * (`readShareRatios`).
 */
export async function applySplits({ sql, deployment, log }: Venue, marketClock: Clock): Promise<void> {
  const { chainId } = deployment
  for (const split of await dueSplits(sql, chainId, new Date(marketClock.nowMs()))) {
    const { token, ticker, exDate, sharesPerTokenWad, attempts } = split
    const intent = {
      chainId,
      purpose: CONFIGURE_PURPOSE,
      to: token,
      data: encodeFunctionData({ abi: stockTokenAbi, functionName: 'setSharesPerToken', args: [sharesPerTokenWad] }),
      dedupeKey: `${splitKey(token)}:${exDate}:${attempts}`,
      orderingKey: splitKey(token),
    }
    await inTransaction(sql, async (tx) => {
      await insertIntent(tx, intent)
      await renewQuote(tx, ticker)
    })
    log.info({ ticker, exDate, sharesPerTokenWad: String(sharesPerTokenWad) }, 'a split takes effect')
  }
}
