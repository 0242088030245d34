import type { Screen } from '../router.ts'
import type { Place } from '../screens.ts'
import { words } from './strings.ts'

export const stockScreens: readonly Screen[] = [
  { path: '/', title: words.markets, load: async () => (await import('./markets.tsx')).Markets },
  { path: '/trade', title: words.trade, load: async () => (await import('./trade.tsx')).Trade },
  { path: '/trade/:symbol', title: words.trade, load: async () => (await import('./trade.tsx')).Trade },
  { path: '/orders', title: words.orders, load: async () => (await import('./orders.tsx')).Orders },
  { path: '/transfers', title: words.transfers, load: async () => (await import('./transfers.tsx')).Transfers },
  { path: '/keys', title: words.keys, load: async () => (await import('./keys.tsx')).Keys },
]

const at =
  (start: string) =>
  (path: string): boolean =>
    path === start || path.startsWith(`${start}/`)

export const stockNavigation: readonly Place[] = [
  { to: '/', label: words.markets, covers: (path) => path === '/', needs: 'stock' },
  { to: '/trade', label: words.trade, covers: at('/trade'), needs: 'stock' },
  { to: '/portfolio', label: words.portfolio, covers: at('/portfolio'), needs: 'stock' },
  { to: '/orders', label: words.orders, covers: at('/orders'), needs: 'stock' },
  { to: '/transfers', label: words.transfers, covers: at('/transfers'), needs: 'stock' },
  { to: '/keys', label: words.keys, covers: at('/keys'), needs: 'stock' },
]
