import { mkdtemp, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { parseArgs } from 'node:util'
import { run } from './command.ts'
import { canReadMemory, type MemoryOfPart, memoryOf } from './memory.ts'
import {
  aim,
  describeRun,
  positive,
  printTable,
  round,
  roundSpread,
  type Spread,
  spreadOf,
  writeResults,
} from './report.ts'
import { type RunningVenue, startVenue } from './venue.ts'

const ROOT = join(import.meta.dirname, '..')
/** On two cores (README of this folder). The first is everything from `git clone` to a venue that is ready. */
const AIM_CLONE_SEC = 60
const AIM_COLD_SEC = 8
const AIM_WARM_SEC = 5
const AIM_MEMORY_MB = 400

interface Install {
  readonly cloneSec: number
  readonly npmCiSec: number
  readonly startSec: number
}

/** `npm run bench -- start`: how long `npm start` takes, cold and warm, and what the idle venue holds in memory. */
export async function benchStart(args: readonly string[]): Promise<void> {
  const { rounds, idleSeconds, skipInstall } = readSettings(args)
  const run = describeRun()
  const folder = await mkdtemp(join(tmpdir(), 'bourse-bench-'))
  try {
    const install = skipInstall ? null : await freshClone(join(folder, 'clone'))
    // Not measured: leaves packages as the measured starts are to find them.
    await startAndStop(join(folder, 'data-0'))
    const cold: number[] = []
    const warm: number[] = []
    for (let i = 1; i <= rounds; i++) {
      process.stdout.write(`\rCold and warm start ${i} of ${rounds} …`)
      const dataDir = join(folder, `data-${i}`)
      cold.push(await startAndStop(dataDir))
      warm.push(await startAndStop(dataDir))
    }
    const memory = canReadMemory() ? await idleMemory(join(folder, 'data-1'), idleSeconds) : null
    const starts = { coldSec: roundSpread(spreadOf(cold), 2), warmSec: roundSpread(spreadOf(warm), 2) }
    print(install, starts, memory, idleSeconds)
    await writeResults('start', { ...run, settings: { rounds, idleSeconds }, install, ...starts, idleMemoryMb: memory })
  } finally {
    await rm(folder, { recursive: true, force: true })
  }
}

function readSettings(args: readonly string[]) {
  const { values } = parseArgs({
    args: [...args],
    options: {
      rounds: { type: 'string', default: '5' },
      'idle-seconds': { type: 'string', default: '60' },
      'skip-install': { type: 'boolean', default: false },
    },
  })
  return {
    rounds: positive('rounds', values.rounds),
    idleSeconds: positive('idle-seconds', values['idle-seconds']),
    skipInstall: values['skip-install'],
  }
}

/** The parts of the first `npm start` after a clone, one by one, in a copy of what git holds. */
async function freshClone(folder: string): Promise<Install> {
  console.log('A fresh clone: packages, venue …')
  const cloneSec = await run('git', ['clone', '--quiet', '--no-hardlinks', ROOT, folder], ROOT)
  const npmCiSec = await run('npm', ['ci', '--omit=dev', '--no-audit', '--no-fund', '--loglevel=error'], folder)
  const program = join('node_modules', '.bin', 'node')
  const venue = await startVenue(program, ['server/src/main.ts'], { cwd: folder, dataDir: join(folder, '.data') })
  await venue.stop()
  return { cloneSec, npmCiSec, startSec: round(venue.readyAfterMs / 1000, 1) }
}

/** As a person does it, with the packages installed. */
const npmStart = (dataDir: string): Promise<RunningVenue> => startVenue('npm', ['start'], { cwd: ROOT, dataDir })

async function startAndStop(dataDir: string): Promise<number> {
  const venue = await npmStart(dataDir)
  await venue.stop()
  return venue.readyAfterMs / 1000
}

async function idleMemory(dataDir: string, idleSeconds: number): Promise<readonly MemoryOfPart[]> {
  const venue = await npmStart(dataDir)
  process.stdout.write(`\rThe venue rests for ${idleSeconds} s …`.padEnd(40))
  await new Promise((resolve) => setTimeout(resolve, idleSeconds * 1000))
  const memory = await memoryOf(venue.pid)
  await venue.stop()
  return memory
}

function print(
  install: Install | null,
  { coldSec, warmSec }: { readonly coldSec: Spread; readonly warmSec: Spread },
  memory: readonly MemoryOfPart[] | null,
  idleSeconds: number,
): void {
  const range = ({ median, min, max }: Spread) => `${median.toFixed(1)} s (${min.toFixed(1)} to ${max.toFixed(1)})`
  console.log('\n')
  if (install) {
    const whole = install.cloneSec + install.npmCiSec + install.startSec
    printTable([
      ['fresh clone', '', 'aim'],
      ['  git clone', `${install.cloneSec} s`, ''],
      ['  npm ci --omit=dev', `${install.npmCiSec} s`, ''],
      ['  venue ready', `${install.startSec} s`, ''],
      ['  together', `${whole.toFixed(1)} s`, aim(whole, AIM_CLONE_SEC, 's')],
    ])
    console.log()
  }
  printTable([
    ['npm start', '', 'aim'],
    ['  cold (new data folder)', range(coldSec), aim(coldSec.median, AIM_COLD_SEC, 's')],
    ['  warm', range(warmSec), aim(warmSec.median, AIM_WARM_SEC, 's')],
  ])
  if (memory) printMemory(memory, idleSeconds)
  else console.log('\nMemory is read from /proc, which this system does not have.')
}

function printMemory(memory: readonly MemoryOfPart[], idleSeconds: number): void {
  console.log(`\nMemory after ${idleSeconds} s without a request, in MB`)
  const total = (of: 'pssMb' | 'rssMb') => memory.reduce((sum, part) => sum + part[of], 0)
  printTable([
    ['', 'processes', 'RSS', 'PSS'],
    ...memory.map((one) => [`  ${one.part}`, String(one.processes), one.rssMb.toFixed(0), one.pssMb.toFixed(0)]),
    [
      '  all',
      '',
      total('rssMb').toFixed(0),
      `${total('pssMb').toFixed(0)} (aim ${aim(total('pssMb'), AIM_MEMORY_MB, 'MB')})`,
    ],
  ])
}
