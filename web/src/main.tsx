import './styles/tokens.css'
import './styles/base.css'
import './styles/layout.css'
import './styles/ui.css'
import { render } from 'preact'
import { App } from './app.tsx'
import { loadSetup } from './app-state.ts'
import { startTheme } from './theme.ts'
import { watchWallets } from './wallet/connection.ts'

startTheme()
watchWallets()
void loadSetup()
render(<App />, document.getElementById('app') as HTMLElement)
