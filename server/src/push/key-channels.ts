import type { ChannelsOfKeys } from '../http/product.ts'

/** The private channels of a product; what they are told is kept in the outbox. */
export interface KeyChannels extends ChannelsOfKeys {
  /** The product's name, the first part of its channels' names in the outbox. */
  readonly product: string
}

/** What decides whose channels an API key sees. */
export interface ChannelReader {
  readonly keyId: string
  /** The wallet that the key is bound to, lower-case. */
  readonly userAddress: string | null
}

/** Whose channels a key that the product has let in sees: its own, or its wallet's; null where it is bound to none. */
export const ownerOf = ({ walletScope }: KeyChannels, { keyId, userAddress }: ChannelReader): string | null =>
  walletScope === undefined ? keyId : userAddress

/** The name in the outbox of one owner's channel: an API key's, or a wallet's. */
export const outboxChannel = (product: string, chainId: number, owner: string, name: string): string =>
  `${product}:${chainId}:${owner}:${name}`

/** The channel's own name, as clients know it. */
export const channelName = (outboxName: string): string => outboxName.slice(outboxName.lastIndexOf(':') + 1)

/**
 * What operators call the channels of several products: by their own names, with the product's before it where two products
 * have a channel of the same name.
 */
export function channelLabels(
  products: readonly KeyChannels[],
): ReadonlyMap<string, { product: string; name: string }> {
  const all = products.flatMap(({ product, names }) => names.map((name) => ({ product, name })))
  const isShared = (name: string) => all.filter((other) => other.name === name).length > 1
  return new Map(all.map((one) => [isShared(one.name) ? `${one.product}:${one.name}` : one.name, one]))
}

/** What operators call a channel of the outbox. */
export function channelLabel(products: readonly KeyChannels[], outboxName: string): string {
  const [product, name] = [outboxName.slice(0, outboxName.indexOf(':')), channelName(outboxName)]
  const labels = [...channelLabels(products)]
  return labels.find(([, one]) => one.product === product && one.name === name)?.[0] ?? name
}
