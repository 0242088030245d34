import type { Random } from '../perp-model/random.ts'
import { type Link, PROCESSES, type ProcessName, type RoleVenue } from './role-venue.ts'

/** Something that befalls a venue, and is over when it resolves. */
export interface Fault {
  readonly name: string
  befall(venue: RoleVenue): Promise<void>
}

const LONGEST_FAULT_MS = 6000
/** Beyond the lease of a leader's lock (15 s): a standby takes over, and the leader wakes up without it. */
const BEYOND_LEASE_MS = 18_000
const DEEPEST_REORG = 4

const LINKS: readonly Link[] = ['database', 'chain']
/** Those that lead until something befalls them. */
const LEADERS: readonly ProcessName[] = ['indexer', 'keeper', 'relayer']

/** Draws what befalls the venue next. */
export function drawFault(random: Random): Fault {
  const name = random.pick(PROCESSES)
  const link = random.pick(LINKS)
  const ms = random.int(200, LONGEST_FAULT_MS)
  const depth = random.int(1, DEEPEST_REORG)
  return random.pick<Fault>([
    { name: `kill ${name}`, befall: (venue) => venue.restart(name) },
    { name: `freeze ${name} for ${ms} ms`, befall: (venue) => venue.freeze(name, ms) },
    { name: `cut ${name} from the ${link} for ${ms} ms`, befall: (venue) => venue.cut(name, link, ms) },
    { name: `hang ${name}'s ${link} for ${ms} ms`, befall: (venue) => venue.hang(name, link, ms) },
    { name: `reorganise ${depth} blocks`, befall: (venue) => venue.reorganise(depth) },
  ])
}

/** A leader sleeps for longer than its lease holds. */
export function drawSleep(random: Random): Fault {
  const name = random.pick(LEADERS)
  return { name: `freeze ${name} beyond its lease`, befall: (venue) => venue.freeze(name, BEYOND_LEASE_MS) }
}
