import { execFileSync } from 'node:child_process'
import { descendants, partOf, statOf } from './processes.ts'

/** The parts that share the machine while sends are measured. */
const PARTS = [
  ['chainNode', /anvil/],
  ['database', /postgres/],
  ['api', /server-process/],
  ['load', /(load|rate)-process/],
] as const

export type ProcessorTime = Record<(typeof PARTS)[number][0], number>

/** Milliseconds of processor time that each part's processes, of those below this one, have used so far; Linux alone tells. */
export function processorTime(): ProcessorTime {
  const used: ProcessorTime = { chainNode: 0, database: 0, api: 0, load: 0 }
  if (process.platform !== 'linux') return used
  for (const pid of descendants(process.pid)) {
    const part = partOf(pid, PARTS)
    if (part) used[part] += usedBy(pid)
  }
  return used
}

/** The same of one process and all below it. */
export function processorTimeOf(pid: number): number {
  if (process.platform !== 'linux') return 0
  return descendants(pid).reduce((sum, one) => sum + usedBy(one), 0)
}

/** utime, stime; a server of a process group also counts its ended children in the two after. */
const usedBy = (pid: number): number => ticksToMs(statOf(pid).slice(11, 15))

/** Milliseconds that each part has used between two readings for one of so many sends. */
export function perSend(before: ProcessorTime, after: ProcessorTime, sends: number): ProcessorTime {
  const of = (part: keyof ProcessorTime) => (after[part] - before[part]) / sends
  return { chainNode: of('chainNode'), database: of('database'), api: of('api'), load: of('load') }
}

let perSecond: number | undefined

function ticksToMs(ticks: readonly string[]): number {
  perSecond ??= Number(execFileSync('getconf', ['CLK_TCK']))
  return (ticks.reduce((sum, one) => sum + Number(one), 0) / perSecond) * 1000
}
