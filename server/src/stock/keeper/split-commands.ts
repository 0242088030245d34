import { parseArgs } from 'node:util'
import { insertAudit } from '../../db/audit.ts'
import { inTransaction, type Sql, type Tx } from '../../db/pool.ts'
import type { Clock } from '../../lib/clock.ts'
import { isDate } from '../../lib/dates.ts'
import { formatUnits, parseAmount, UINT96_MAX } from '../../lib/decimal.ts'
import { AppError } from '../../lib/errors.ts'
import { WAD, WAD_DECIMALS } from '../../lib/wad.ts'
import {
  type AppliedSplit,
  announcedRatio,
  insertAppliedSplit,
  listAppliedSplits,
  marketPlaysSplits,
} from '../../market/applied-splits.ts'
import { endUnansweredBy, requestCancels, requestCancelsBeyond } from '../../market/cancel-store.ts'
import { readMarketHours } from '../../market/hours-store.ts'
import { marketReasons } from '../../market/reasons.ts'
import { listStockTokens, type StockTokenRow } from '../store.ts'
import { insertTokenSplit, listTokenSplits, newestSplit, openOrdersOf, type TokenSplit } from './split-store.ts'

const RATIO_DECIMALS = 8

export const SPLITS_USAGE = `Usage: npm run bourse -- splits <command>

  splits apply --symbol <ticker> --from <shares> --to <shares> --ex-date <YYYY-MM-DD> [--other-ratio]
                        applies a split, a reverse split or a stock dividend to a stock token: so many shares
                        became so many (a 4-for-1 split: --from 1 --to 4), from the beginning of the trade date
                        on, or at once when that has passed; another ratio than the market's source tells of
                        only with --other-ratio
  splits list           shows the splits of the venue's tokens and whether the chain knows of them
`

export interface SplitCommandContext {
  readonly sql: Sql
  readonly chainId: number
  /** The market's clock. */
  readonly clock: Clock
  /** Who acts, for the record. */
  readonly actor: string
}

/**
 * Runs `splits <args>` and answers what to print. A split that is given again is the one that stands; while it is planned, what the broker
 * would keep over it is cancelled again. Throws `split_invalid`, `amount_invalid`; nothing is recorded then.
 */
export async function splitCommand(args: readonly string[], context: SplitCommandContext): Promise<string> {
  const [command, ...rest] = args
  if (command === 'list' && rest.length === 0) return splitTable(context)
  if (command !== 'apply')
    throw invalid(
      `${command === undefined ? 'a command is missing' : `unknown command ${args.join(' ')}`}\n\n${SPLITS_USAGE}`,
    )
  const request = parseRequest(rest)
  const split = await inTransaction(context.sql, (tx) => applySplit(tx, context, request))
  const when = new Date(split.effectiveMs).toISOString()
  return `From ${when} on one ${split.ticker} token stands for ${shares(split)} shares.\n${administratorNote(request)}`
}

/** What the configure signer may do alone is bounded on chain (`StockToken.MAX_SPLIT_RATIO`). */
const MAX_SPLIT_RATIO = 20n

function administratorNote({ from8, to8 }: SplitRequest): string {
  if (to8 <= from8 * MAX_SPLIT_RATIO && from8 <= to8 * MAX_SPLIT_RATIO) return ''
  return `The chain takes a change of more than ${MAX_SPLIT_RATIO} to 1 from the administrator alone: schedule setSharesPerToken on the timelock.\n`
}

interface SplitRequest {
  readonly symbol: string
  readonly exDate: string
  readonly from8: bigint
  readonly to8: bigint
  /** The ratio stands though the market's source tells of another. */
  readonly isOtherRatio: boolean
}

function parseRequest(args: readonly string[]): SplitRequest {
  const { symbol, from, to, 'ex-date': exDate, 'other-ratio': isOtherRatio = false } = parseOptions(args)
  if (symbol === undefined || from === undefined || to === undefined || exDate === undefined) {
    throw invalid(`--symbol, --from, --to and --ex-date are all required\n\n${SPLITS_USAGE}`)
  }
  if (!isDate(exDate)) throw invalid(`--ex-date must be a date of the form YYYY-MM-DD, got ${exDate}`)
  const ratio = (field: string, text: string) => parseAmount(text, { field, decimals: RATIO_DECIMALS, max: UINT96_MAX })
  const [from8, to8] = [ratio('--from', from), ratio('--to', to)]
  if (from8 === to8) throw invalid('--from and --to are the same: that is no split')
  return { symbol, exDate, from8, to8, isOtherRatio }
}

function parseOptions(args: readonly string[]) {
  const text = { type: 'string' } as const
  const options = { symbol: text, from: text, to: text, 'ex-date': text, 'other-ratio': { type: 'boolean' } } as const
  try {
    return parseArgs({ args: [...args], options }).values
  } catch (cause) {
    throw invalid(`${cause instanceof Error ? cause.message : 'the options cannot be read'}\n\n${SPLITS_USAGE}`)
  }
}

async function applySplit(tx: Tx, context: SplitCommandContext, request: SplitRequest): Promise<TokenSplit> {
  const { chainId, actor } = context
  const { token, ticker } = await tokenOf(tx, chainId, request.symbol)
  const newest = await newestSplit(tx, chainId, token)
  const action = await recordAction(tx, context, request)
  if (newest?.exDate === request.exDate) {
    // An older version may have left orders at the broker. Once it has taken effect, those that stand are of the new shares.
    if (newest.effectiveMs > context.clock.nowMs()) await endOpenOrders(tx, context, newest)
    return newest
  }
  if (newest && newest.effectiveMs >= action.effectiveMs) {
    throw invalid(`${ticker} was split on ${newest.exDate} already: a further split must take effect after that one`)
  }
  const sharesPerTokenWad = ((newest?.sharesPerTokenWad ?? WAD) * request.to8) / request.from8
  if (sharesPerTokenWad === 0n) throw invalid('a token would stand for less than 10^-18 of a share')
  const { exDate } = request
  const split = { token, ticker, exDate, effectiveMs: action.effectiveMs, sharesPerTokenWad }
  if (!(await insertTokenSplit(tx, chainId, split, actor))) throw invalid(`${ticker} was split on ${exDate} already`)
  const detail = { ticker, exDate, ratio: ratioText(action), sharesPerToken: shares(split) }
  await insertAudit(tx, { actor, action: 'split.apply', subject: `chain ${chainId} ${token}`, detail })
  await endOpenOrders(tx, context, split)
  return split
}

/**
 * What was taken to the broker before means shares of before the split: the broker gets none of it after that, and what it has is
 * cancelled, of a planned split where it would stand over that: whatever its end, while the market is closed until then, since the broker
 * keeps all for the next open. A market that plays splits ends it by itself.
 */
async function endOpenOrders(tx: Tx, { chainId, clock }: SplitCommandContext, split: TokenSplit): Promise<void> {
  const { token, effectiveMs } = split
  const nowMs = clock.nowMs()
  const orderIds = await openOrdersOf(tx, chainId, token)
  if (effectiveMs <= nowMs) await requestCancels(tx, chainId, orderIds)
  else if (!(await marketPlaysSplits(tx))) {
    const isKept = (await readMarketHours(tx)).dayOrderExpiry(nowMs) > effectiveMs
    await requestCancelsBeyond(tx, chainId, orderIds, isKept ? nowMs : effectiveMs)
  }
  await endUnansweredBy(tx, chainId, orderIds, effectiveMs)
}

async function tokenOf(tx: Tx, chainId: number, symbol: string): Promise<StockTokenRow> {
  const tokens = await listStockTokens(tx, chainId)
  const token = tokens.find(({ ticker }) => ticker === symbol)
  if (token) return token
  const known = tokens.map(({ ticker }) => ticker).join(', ')
  throw invalid(`chain ${chainId} has no token of ${JSON.stringify(symbol)}; it has ${known || 'none'}`)
}

/** The corporate action that stands for the split: the one recorded now, or before (for another chain's token). */
async function recordAction(tx: Tx, { clock }: SplitCommandContext, request: SplitRequest): Promise<AppliedSplit> {
  const { symbol, exDate, from8, to8 } = request
  await checkRatio(tx, request)
  const hours = await readMarketHours(tx)
  const effectiveMs = Math.max(hours.tradeDateStart(exDate), clock.nowMs())
  const action: AppliedSplit = { symbol, exDate, from8, to8, effectiveMs }
  if (await insertAppliedSplit(tx, action)) return action
  const stored = (await listAppliedSplits(tx)).find((split) => split.symbol === symbol && split.exDate === exDate)
  if (stored && isSameRatio(stored, request)) return stored
  throw invalid(`${symbol} has another split on ${exDate}: ${ratioText(stored)}; an applied split cannot be changed`)
}

/** An applied split cannot be changed, and from and to are easily taken for each other. */
async function checkRatio(tx: Tx, request: SplitRequest): Promise<void> {
  const { symbol, exDate, isOtherRatio } = request
  const announced = isOtherRatio ? null : await announcedRatio(tx, symbol, exDate)
  if (announced === null || isSameRatio(announced, request)) return
  throw invalid(
    `the market's source says of ${symbol} on ${exDate} ${ratioText(announced)}, not ${ratioText(request)}: ` +
      'nothing was applied; --other-ratio applies it all the same',
  )
}

type Ratio = Pick<AppliedSplit, 'from8' | 'to8'>

const isSameRatio = (one: Ratio, other: Ratio): boolean => one.from8 * other.to8 === one.to8 * other.from8

async function splitTable({ sql, chainId }: SplitCommandContext): Promise<string> {
  const splits = await listTokenSplits(sql, chainId)
  if (splits.length === 0) return 'No token was split.\n'
  return splits
    .map((split) => {
      const when = new Date(split.effectiveMs).toISOString()
      return `${split.ticker}  ex-date ${split.exDate}  from ${when}  shares per token ${shares(split)}  ${split.status}\n`
    })
    .join('')
}

const shares = ({ sharesPerTokenWad }: TokenSplit): string => formatUnits(sharesPerTokenWad, WAD_DECIMALS)

const ratioText = (split: Ratio | undefined): string =>
  split ? `${formatUnits(split.from8, RATIO_DECIMALS)} to ${formatUnits(split.to8, RATIO_DECIMALS)}` : 'unknown'

const invalid = (problem: string): AppError => new AppError(marketReasons.split_invalid, problem)
