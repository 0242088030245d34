import type { Hex } from '../../chain/types.ts'
import type { StockChanges } from './stock-changes.ts'
import type { SettingsRow } from './stock-rows.ts'

// What the contracts are set to, the tokens that they know, and the prices that the oracle has published.

const NEW_SETTINGS = {
  credit_buffer_wad: 0n,
  credit_buffer_capacity_wad: 0n,
  instant_threshold_divisor: 1,
  deposit_fee_ppm: 0,
  withdraw_fee_ppm: 0,
  buy_third_party_ppm: 0,
  buy_protocol_ppm: 0,
  sell_third_party_ppm: 0,
  sell_protocol_ppm: 0,
}

export function changeSettings(
  { block, settings }: StockChanges,
  change: Partial<Omit<SettingsRow, 'chain_id' | 'updated_at_sec'>>,
): void {
  const key = { chain_id: block.chainId }
  const changed = { ...change, updated_at_sec: block.timestampSec }
  if (settings.get(key)) settings.change(key, changed)
  else settings.add({ ...key, ...NEW_SETTINGS, ...changed })
}

const NEW_CASH_TOKEN = {
  min_amount_raw: 0n,
  usd_rate_e6: 0,
  deposit_paused: false,
  withdraw_paused: false,
  withdraw_buffer_raw: 0n,
  withdraw_buffer_capacity_raw: 0n,
}

interface CashTokenSupport {
  readonly token: Hex
  readonly supported: boolean
  readonly symbol: string
  readonly decimals: number
}

export function supportCashToken({ block, cashTokens }: StockChanges, { token, ...support }: CashTokenSupport): void {
  const key = { chain_id: block.chainId, token }
  if (cashTokens.get(key)) cashTokens.change(key, support)
  else cashTokens.add({ ...key, ...support, ...NEW_CASH_TOKEN })
}

interface CashTokenConfig {
  readonly minAmount: bigint
  readonly usdRate: number
  readonly depositPaused: boolean
  readonly withdrawPaused: boolean
  readonly withdrawBuffer: bigint
  readonly withdrawBufferCapacity: bigint
}

export function changeCashToken({ block, cashTokens }: StockChanges, token: Hex, config: CashTokenConfig): void {
  cashTokens.change(
    { chain_id: block.chainId, token },
    {
      min_amount_raw: config.minAmount,
      usd_rate_e6: config.usdRate,
      deposit_paused: config.depositPaused,
      withdraw_paused: config.withdrawPaused,
      withdraw_buffer_raw: config.withdrawBuffer,
      withdraw_buffer_capacity_raw: config.withdrawBufferCapacity,
    },
  )
}

export function changeWithdrawBuffer({ block, cashTokens }: StockChanges, token: Hex, amountRaw: bigint): void {
  cashTokens.change({ chain_id: block.chainId, token }, { withdraw_buffer_raw: amountRaw })
}

interface NewStockToken {
  readonly token: Hex
  readonly tokenIndex: number
  readonly ticker: string
  readonly symbol: string
  readonly name: string
}

export function listStock({ block, stockTokens }: StockChanges, { tokenIndex, ...listed }: NewStockToken): void {
  stockTokens.add({
    chain_id: block.chainId,
    token_index: tokenIndex,
    ...listed,
    tradable: true,
    deposit_paused: false,
    withdraw_paused: false,
  })
}

export function changeStock(
  { block, stockTokens }: StockChanges,
  token: Hex,
  change: { readonly tradable: boolean } | { readonly deposit_paused: boolean; readonly withdraw_paused: boolean },
): void {
  stockTokens.change({ chain_id: block.chainId, token }, change)
}

interface PublishedPrice {
  readonly priceId: Hex
  readonly price: bigint
  readonly feedUpdateTimestamp: bigint
  readonly publishedAt: bigint
  readonly session: number
}

export function publishPrice({ block, prices }: StockChanges, published: PublishedPrice): void {
  prices.put({
    chain_id: block.chainId,
    price_id: published.priceId,
    price_e8: published.price,
    feed_updated_at_sec: published.feedUpdateTimestamp,
    published_at_sec: published.publishedAt,
    session: published.session,
  })
}

export function forgetPrice({ block, prices }: StockChanges, priceId: Hex): void {
  prices.delete({ chain_id: block.chainId, price_id: priceId })
}
