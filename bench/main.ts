import { benchCandles } from './candles.ts'
import { benchHttp } from './http.ts'
import { benchStart } from './start.ts'

const USAGE = `Usage: npm run bench -- <what> [options]

  http    requests a second of the signed API against bare servers; prints a table, writes bench/results/http.json
            --rounds <n>        rounds, each of which measures every variant once (7)
            --seconds <n>       length of one measurement (2)
            --connections <n>   connections kept open (64)
            --pipeline <n>      requests in flight on each connection (1)
            --profile           also says on which parts of the program the server's time is spent
  candles 5,000 bars in one answer over tables of 10,000 bars and more; writes bench/results/candles.json
            --rounds <n>        answers measured of each kind (100)
            --most <n>          bars of the largest table (10000000)
  start   fresh clone to ready, cold and warm start, idle memory; writes bench/results/start.json
            --rounds <n>        cold and warm starts (5)
            --idle-seconds <n>  rest before memory is read (60)
            --skip-install      leaves out the fresh clone, which downloads every package
`

const benches: Readonly<Record<string, (args: readonly string[]) => Promise<void>>> = {
  candles: benchCandles,
  http: benchHttp,
  start: benchStart,
}

const [name = '', ...args] = process.argv.slice(2)
const bench = benches[name]
if (bench) {
  await bench(args)
} else {
  process.stderr.write(USAGE)
  process.exitCode = 1
}
