import { erc20Abi } from 'viem'
import { stockRouterAbi } from '../server/src/chain/abi/stock-router.ts'
import { encodeCall } from '../server/src/chain/calls.ts'
import type { Hex } from '../server/src/chain/types.ts'
import type { Sql } from '../server/src/db/pool.ts'
import { sleep } from '../server/src/lib/clock.ts'
import { WAD } from '../server/src/lib/wad.ts'
import { orderCalldata } from '../server/src/stock/calldata/calldata.ts'
import type { LiveVenue } from './live-venue.ts'
import type { Sender } from './sender.ts'

const DEADLINE_SEC = 4_000_000_000
const ORDER_WAD = 20n * WAD

/** Accounts of the development chain that buy stocks at the market, every one of them in turn. */
export class StockBuyers {
  readonly #senders: readonly Sender[]
  readonly #router: Hex
  readonly #tokens: readonly Hex[]
  #turn = 0

  private constructor(senders: readonly Sender[], router: Hex, tokens: readonly Hex[]) {
    this.#senders = senders
    this.#router = router
    this.#tokens = tokens
  }

  /** Gives each account a cash balance, once stocks have prices. */
  static async open({ dev, sql }: LiveVenue, senders: readonly Sender[], depositRaw: bigint): Promise<StockBuyers> {
    const tokens = await quotedTokens(sql)
    const { USDC: usdc, StockRouter: router } = dev.contracts as Record<'USDC' | 'StockRouter', Hex>
    for (const sender of senders) {
      await sender.send(usdc, encodeCall(erc20Abi, 'approve', [router, 2n ** 255n]))
      await sender.send(router, encodeCall(stockRouterAbi, 'deposit', [usdc, depositRaw]))
    }
    // An order in the block of the deposit it spends may come before it, and revert.
    for (const sender of senders) await sender.mined()
    return new StockBuyers(senders, router, tokens)
  }

  /** The next account buys the next stock. */
  act(): Promise<Hex> {
    const nth = this.#turn++
    const terms = { type: 'Market', side: 'Buy', notionalWad: ORDER_WAD } as const
    const token = this.#tokens[nth % this.#tokens.length] as Hex
    const { to, data } = orderCalldata(this.#router, token, terms, DEADLINE_SEC)
    return (this.#senders[nth % this.#senders.length] as Sender).send(to, data)
  }
}

async function quotedTokens(sql: Sql): Promise<readonly Hex[]> {
  for (;;) {
    const rows = await sql<{ token: Hex }[]>`
      select t.token from stock_tokens t join market_quotes q on q.symbol = t.ticker
      where (select count(*) from oracle_prices) >= (select count(*) from stock_tokens) order by t.ticker`
    if (rows.length > 3) return rows.map(({ token }) => token)
    await sleep(200)
  }
}
