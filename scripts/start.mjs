// `npm start`: installs what is missing, builds the contracts when stale, runs the venue and ends with its exit code.
import { buildContracts, install, launch } from './setup.mjs'

install()
buildContracts({ tests: false })
const venue = launch('node', ['server/src/main.ts'])

// Ctrl-C reaches the venue from the terminal; a signal sent to this process alone is passed on. Either way the venue
// drains first and this process ends after it.
process.on('SIGINT', () => {})
process.on('SIGTERM', () => venue.kill('SIGTERM'))
venue.on('exit', (code, signal) => process.exit(signal === null ? code : 1))
