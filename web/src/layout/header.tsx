import { useEffect, useRef } from 'preact/hooks'
import { setup } from '../app-state.ts'
import { hrefTo, path } from '../router.ts'
import { navigation } from '../screens.ts'
import { common } from '../strings.ts'
import { theme, toggleTheme } from '../theme.ts'
import { Button } from '../ui/button.tsx'
import { WalletButton } from '../wallet/wallet-button.tsx'
import { WrongChain } from '../wallet/wrong-chain.tsx'
import { Limited } from './limited.tsx'

export function Header() {
  const nav = useRef<HTMLElement>(null)
  // On a phone not all screens have room, and the current one is to be seen.
  useEffect(() => {
    const current = nav.current?.querySelector('[aria-current=page]')
    current?.scrollIntoView({ block: 'nearest', inline: 'nearest' })
  }, [path.value, setup.value])
  return (
    <>
      <header class="top">
        <a class="brand" href={hrefTo('/')}>
          <img src="/icon.svg" alt="" />
          {common.brand}
        </a>
        <nav class="nav" ref={nav} aria-label={common.navigation}>
          {navigation
            .filter(({ needs }) => !needs || setup.value?.[needs])
            .map(({ to, label, covers }) => (
              <a key={to} href={hrefTo(to)} aria-current={covers(path.value) ? 'page' : undefined}>
                {label}
              </a>
            ))}
        </nav>
        <div class="top-tools">
          <Button
            variant="quiet"
            size="small"
            aria-label={theme.value === 'dark' ? common.lightTheme : common.darkTheme}
            onClick={toggleTheme}
          >
            <span aria-hidden="true">{theme.value === 'dark' ? '☀' : '☾'}</span>
          </Button>
          <WalletButton />
        </div>
      </header>
      <WrongChain />
      <Limited />
    </>
  )
}
