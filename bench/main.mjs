// `npm run bench`: installs what is missing and builds the contracts when stale, as `npm start` does, then measures.
import { buildContracts, install, launch } from '../scripts/setup.mjs'

install()
buildContracts({ tests: false })
const bench = launch('node', ['bench/main.ts', ...process.argv.slice(2)])
process.on('SIGINT', () => {})
process.on('SIGTERM', () => bench.kill('SIGTERM'))
bench.on('exit', (code, signal) => process.exit(signal === null ? code : 1))
