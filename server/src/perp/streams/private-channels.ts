import type { KeyChannels } from '../../push/key-channels.ts'

const NAMES = ['orders', 'executions', 'positions', 'account', 'liquidity', 'keptOrders', 'sends'] as const
export type PrivateChannel = (typeof NAMES)[number]

/** The first part of the channels' names in the outbox. */
export const PUSHED_AS = 'perp'

/** What a wallet's API keys with a scope for this `productType` are told of the wallet. */
export const walletChannels = (productType: string): KeyChannels => ({
  product: PUSHED_AS,
  names: NAMES,
  walletScope: productType,
})

export const isPrivate = (channel: string): channel is PrivateChannel => (NAMES as readonly string[]).includes(channel)

/** The kinds of records that are told (migrations 175, 195 and 282). */
export type RecordKind = 'order' | 'execution' | 'position' | 'range' | 'movement' | 'keptOrder' | 'send'

/** Where each kind is told; its events are named by it, such as `order.updated`. */
export const CHANNEL_OF_KIND: Readonly<Record<RecordKind, PrivateChannel>> = {
  order: 'orders',
  execution: 'executions',
  position: 'positions',
  range: 'liquidity',
  movement: 'account',
  keptOrder: 'keptOrders',
  send: 'sends',
}

/** Version of the payloads' JSON shape, in every message. */
export const PAYLOAD_VERSION = 1
