import type { Db } from '../../db/pool.ts'
import type { KeyChannels } from '../../push/key-channels.ts'
import type { ClaimType } from '../recording/claim-types.ts'

const NAMES = ['orders', 'cash', 'stock'] as const
export type KeyChannel = (typeof NAMES)[number]

/** A key's own channels. */
export const STOCK_CHANNELS: KeyChannels = { product: 'stock', names: NAMES }

/** Where the record that a claim leads to is shown; null for a cancellation, which is part of its order's. */
export const CHANNEL_OF_CLAIM: Readonly<Record<ClaimType, KeyChannel | null>> = {
  trade: 'orders',
  cancel: null,
  deposit: 'cash',
  withdraw: 'cash',
  trade_deposit: 'cash',
  stock_deposit: 'stock',
  stock_withdraw: 'stock',
  trade_stock_deposit: 'stock',
}

/** The first word of each channel's events. */
export const EVENT_OF_CHANNEL: Readonly<Record<KeyChannel, string>> = {
  orders: 'order',
  cash: 'cash_operation',
  stock: 'stock_operation',
}

/** Version of the payloads' JSON shape, in every message. */
export const PAYLOAD_VERSION = 1

/** Lets a function that reads through a venue's pool read through a transaction of it. */
export const within = <T extends { readonly venue: { readonly sql: unknown } }>(context: T, tx: Db): T => ({
  ...context,
  venue: { ...context.venue, sql: tx },
})
