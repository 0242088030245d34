import { existsSync } from 'node:fs'
import { descendants, partOf, readIfThere } from './processes.ts'
import { round } from './report.ts'

/** Memory of the processes that make one part of the venue. */
export interface MemoryOfPart {
  readonly part: string
  readonly processes: number
  /** Resident set: pages that processes share count for each of them. */
  readonly rssMb: number
  /** Proportional set: a shared page counts in equal parts for those that share it, so sums are true. */
  readonly pssMb: number
}

const PARTS: readonly (readonly [string, RegExp])[] = [
  ['PostgreSQL', /postgres/],
  ['Anvil', /anvil/],
  ['the venue (Node)', /server\/src\/main\.ts/],
]
const THE_REST = 'npm start and its script'

/** Linux tells each process' share of its pages. */
export const canReadMemory = (): boolean => existsSync('/proc/self/smaps_rollup')

/** Memory of a process and everything below it, by part. */
export async function memoryOf(rootPid: number): Promise<readonly MemoryOfPart[]> {
  const processes = descendants(rootPid).map((pid) => ({ part: partOf(pid, PARTS) ?? THE_REST, ...readMemory(pid) }))
  return [...PARTS.map(([part]) => part), THE_REST].map((part) => {
    const own = processes.filter((one) => one.part === part)
    const sumMb = (of: 'rssKb' | 'pssKb') => round(own.reduce((sum, one) => sum + one[of], 0) / 1024, 1)
    return { part, processes: own.length, rssMb: sumMb('rssKb'), pssMb: sumMb('pssKb') }
  })
}

function readMemory(pid: number): { rssKb: number; pssKb: number } {
  const text = readIfThere(`/proc/${pid}/smaps_rollup`)
  const field = (name: string) => Number(new RegExp(`^${name}: +(\\d+) kB`, 'm').exec(text)?.[1] ?? 0)
  return { rssKb: field('Rss'), pssKb: field('Pss') }
}
