import { benchCandles } from './candles.ts'
import { benchHttp } from './http.ts'
import { benchIndex } from './index-events.ts'
import { benchOrderList } from './order-list.ts'
import { benchOverload } from './overload.ts'
import { benchPerpHttp } from './perp-http.ts'
import { benchPerpReads } from './perp-reads.ts'
import { benchPerpStreams } from './perp-streams.ts'
import { benchRelay } from './relay.ts'
import { benchSend } from './send.ts'
import { benchSettle } from './settle.ts'
import { benchStart } from './start.ts'
import { benchStreams } from './streams.ts'
import { benchTests } from './tests.ts'

const USAGE = `Usage: npm run bench [-- <what> [options]]

Without a name all but tests are run one after the other, with the shorter settings of bench/main.ts.

  http       requests a second of the signed API against bare servers; prints a table, writes bench/results/http.json
               --rounds <n>        rounds, each of which measures every variant once (7)
               --seconds <n>       length of one measurement (2)
               --connections <n>   connections kept open (64)
               --pipeline <n>      requests in flight on each connection (1)
               --profile           also says on which parts of the program the server's time is spent
  perp-http  the same of the perpetual API's reads: order book, tickers, klines, positions; writes
             bench/results/perp-http.json; options as of http
  index      transfers of a token, and recorded events of both products, indexed anew, and the rows compared, by turns with
             Ponder, which is installed for it; writes bench/results/index.json
               --transfers <n>     transfers of the token (200000)
               --transactions <n>  transactions recorded, half of them of perpetuals (20000)
               --rounds <n>        times that each are indexed (3)
  send       One Click orders accepted a second against bare commits; writes bench/results/send.json
               --rounds <n>        rounds, each of which measures both (5)
               --sends <n>         sends of one measurement (1500)
               --users <n>         delegated users, each with a key (32)
  overload   One Click orders accepted a second at twice the capacity; writes bench/results/overload.json
               --sends <n>         sends by which the capacity is measured (1500)
               --seconds <n>       length of the overload (20)
               --users <n>         delegated users, each with a key (32)
  relay      transactions that 1, 4 and 16 signers have mined a second; writes bench/results/relay.json
               --rounds <n>        measurements of each (3)
               --transactions <n>  transactions of one measurement (600)
               --users <n>         users for whom they are sent (96)
               --block-ms <n>      between two blocks (250)
  order-list first, middle and last page of a key's orders and deposits; writes bench/results/order-list.json
               --orders <n>        orders of the key, and a tenth as many deposits (1000000)
               --rounds <n>        answers measured of each page (20)
  perp-reads the perpetual API's reads over tables of 1,000 rows and more; writes bench/results/perp-reads.json
               --most <n>          rows of the largest tables (1000000)
               --rounds <n>        answers measured of each kind (50)
  streams    messages and their latency to clients that follow quotes and orders; writes bench/results/streams.json
               --clients <n>       WebSocket connections, 20 of each key (500)
               --rounds <n>        measurements (3)
               --seconds <n>       length of one measurement (5)
               --pause-ms <n>      between two changes (250)
  perp-streams  messages of the perpetual stream after their block; writes bench/results/perp-streams.json
               --clients <n>       WebSocket connections, of ten wallets' keys, after a run with ten (100)
               --seconds <n>       length of each run (60)
               --per-second <n>    transactions sent a second (20)
               --warm-up <n>       seconds of the same before it (20)
  candles    5,000 bars in one answer over tables of 10,000 bars and more; writes bench/results/candles.json
               --rounds <n>        answers measured of each kind (100)
               --most <n>          bars of the largest table (10000000)
  settle     market orders at a steady rate on the embedded venue, to their settlement; writes bench/results/settle.json
               --perSecond <n>     orders a second (50)
               --seconds <n>       length of the run (600)
  start      fresh clone to ready, cold and warm start, idle memory; writes bench/results/start.json
               --rounds <n>        cold and warm starts (5)
               --idle-seconds <n>  rest before memory is read (60)
               --skip-install      leaves out the fresh clone, which downloads every package
  tests      the test commands in a fresh clone, an hour and a half together; writes bench/results/tests.json
               --only <command>    one of "npm run test:fast", "npm test" and ".ci/run"
`

interface Bench {
  run(args: readonly string[]): Promise<void>
  /** Its settings when all are run: together they take about five minutes on two quiet cores. Null: it is run by its name alone. */
  readonly short: string | null
}

const benches: Readonly<Record<string, Bench>> = {
  http: { run: benchHttp, short: '--rounds 3 --seconds 1' },
  'perp-http': { run: benchPerpHttp, short: '--rounds 3 --seconds 1' },
  index: { run: benchIndex, short: '--transfers 50000 --transactions 2000 --rounds 1' },
  send: { run: benchSend, short: '--rounds 3 --sends 1000' },
  overload: { run: benchOverload, short: '--sends 1000 --seconds 10' },
  relay: { run: benchRelay, short: '--rounds 1 --transactions 400' },
  'order-list': { run: benchOrderList, short: '' },
  'perp-reads': { run: benchPerpReads, short: '--most 10000 --rounds 20' },
  streams: { run: benchStreams, short: '--rounds 2 --seconds 3' },
  'perp-streams': { run: benchPerpStreams, short: '--seconds 20' },
  candles: { run: benchCandles, short: '--rounds 20 --most 1000000' },
  settle: { run: benchSettle, short: '--perSecond 20 --seconds 30' },
  start: { run: benchStart, short: '--rounds 2 --idle-seconds 20 --skip-install' },
  tests: { run: benchTests, short: null },
}

const [name, ...args] = process.argv.slice(2)
const bench = name === undefined ? undefined : benches[name]
if (bench) {
  await bench.run(args)
} else if (name === undefined) {
  for (const [each, { run, short }] of Object.entries(benches)) {
    if (short === null) continue
    console.log(`\n── ${each} ──\n`)
    await run(short.split(' ').filter(Boolean))
  }
} else {
  process.stderr.write(USAGE)
  process.exitCode = 1
}
