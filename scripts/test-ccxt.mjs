// `npm run test:ccxt`: installs what the adapter for bots is tested with, in its own folder, and runs its types and tests.
// ccxt is no part of the venue's install.
import { join } from 'node:path'
import { install, installApart, root, runOrExit } from './setup.mjs'

const cwd = join(root, 'ccxt')

install({ development: true })
installApart(cwd)
runOrExit('vitest', ['run', ...process.argv.slice(2)], { cwd })
