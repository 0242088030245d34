/** The channels that a product gives each API key of its own; what they are told is kept in the outbox. */
export interface KeyChannels {
  /** The product's name, the first part of its channels' names in the outbox. */
  readonly product: string
  readonly names: readonly string[]
}

/** The name in the outbox of one key's channel. */
export const outboxChannel = (product: string, chainId: number, apiKeyId: string, name: string): string =>
  `${product}:${chainId}:${apiKeyId}:${name}`

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
