import type { OpenProduct, Product, Venue } from '../http/product.ts'
import type { Values } from '../lib/variables.ts'
import type { VenueRooms } from '../market/rooms.ts'
import { perp } from '../perp/index.ts'
import type { KeyChannels } from '../push/key-channels.ts'
import type { ReconciledProduct } from '../reconciliation/reconcile-command.ts'
import { stock } from '../stock/index.ts'

export type VenueProduct = Product<VenueRooms>

/** Every product of the venue; another one is one more entry. */
export const products: readonly VenueProduct[] = [stock, perp]

/** A product at work in this process. */
export type RunningProduct = OpenProduct<VenueRooms> &
  Pick<VenueProduct, 'name' | 'reasons' | 'events' | 'reconciliation'>

/** Opens each product, once a process. `values` have passed the products' schemas. */
export function openProducts(list: readonly VenueProduct[], venue: Venue, values: Values): readonly RunningProduct[] {
  const opened = list.map((product) => {
    const { name, reasons, events, reconciliation } = product
    return { ...product.open(venue, values), name, reasons, events, reconciliation }
  })
  requireDistinct(
    'products are called',
    list.map(({ name }) => name),
  )
  requireDistinct(
    'products have the command',
    list.flatMap(({ commands }) => commands.map(({ topic }) => topic)),
  )
  requireDistinct(
    'products give /status the field',
    opened.flatMap(({ status }) => Object.keys(status)),
  )
  return opened
}

function requireDistinct(what: string, names: readonly string[]): void {
  const twice = names.find((name, index) => names.indexOf(name) !== index)
  if (twice !== undefined) throw new Error(`two ${what} ${twice}`)
}

/** Where the products have migrations of their own. */
export const migrationFolders = (list: readonly VenueProduct[]): readonly string[] =>
  list.flatMap(({ migrations }) => migrations ?? [])

/** The private channels of the products. */
export const keyChannels = (list: readonly VenueProduct[]): readonly KeyChannels[] =>
  list.map((product) => ({ product: product.name, ...product.keyChannels }))

/** The products that take readings of what belongs together. */
export const reconciledProducts = (list: readonly VenueProduct[]): readonly ReconciledProduct[] =>
  list.flatMap(({ name, reconciliation }) => (reconciliation ? [{ product: name, sections: reconciliation }] : []))
