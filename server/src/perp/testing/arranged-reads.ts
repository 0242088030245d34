import type { SoundRequest } from '../../http/testing-statuses.ts'
import { allMined } from './mined.ts'
import { SOUND_READS } from './sound-reads.ts'
import { SOUND_SENDS } from './sound-sends.ts'
import type { StatusDesk } from './status-desk.ts'

const reads = Object.entries({ ...SOUND_READS, ...SOUND_SENDS }).filter(([name]) => name.startsWith('GET '))

/** Every read of the product that there is a sound request for. */
export const READ_NAMES: readonly string[] = reads.map(([name]) => name)

/** A request of each read that is answered with success. What some of them are about is sent for it, and mined and indexed then. */
export async function arrangedReads(desk: StatusDesk): Promise<ReadonlyMap<string, SoundRequest>> {
  const arranged = new Map<string, SoundRequest>()
  for (const [name, arrange] of reads) arranged.set(name, await arrange(desk))
  await allMined(desk.venue.database.sql)
  await desk.indexed()
  return arranged
}
