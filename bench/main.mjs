// `npm run bench`: installs what is missing, then measures.
import { install, launch } from '../scripts/setup.mjs'

install({ development: true })
const bench = launch('node', ['bench/main.ts', ...process.argv.slice(2)])
process.on('SIGINT', () => {})
process.on('SIGTERM', () => bench.kill('SIGTERM'))
bench.on('exit', (code, signal) => process.exit(signal === null ? code : 1))
