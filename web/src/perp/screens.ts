import type { Screen } from '../router.ts'
import type { Place } from '../screens.ts'
import { words } from './strings.ts'

export const perpScreens: readonly Screen[] = [
  { path: '/perp', title: words.perpetuals, load: async () => (await import('./markets.tsx')).Markets },
  { path: '/perp/account', title: words.account, load: async () => (await import('./account.tsx')).Account },
  { path: '/perp/trade/:symbol', title: words.trade, load: async () => (await import('./trade.tsx')).Trade },
]

export const perpNavigation: readonly Place[] = [
  {
    to: '/perp',
    label: words.perpetuals,
    covers: (path) => path === '/perp' || path.startsWith('/perp/trade'),
    needs: 'perp',
  },
  { to: '/perp/account', label: words.account, covers: (path) => path === '/perp/account', needs: 'perp' },
]
