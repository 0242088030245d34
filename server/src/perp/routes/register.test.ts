import { expect, it } from 'vitest'
import { SOUND_READS } from '../testing/sound-reads.ts'
import { SOUND_SENDS } from '../testing/sound-sends.ts'
import { operationNames } from '../testing/statuses.ts'

it('every operation shows its documented statuses from one of the two tables, and from one only', () => {
  const shown = [SOUND_READS, SOUND_SENDS].flatMap((sound) => Object.keys(sound))
  expect(shown.sort()).toEqual(operationNames().sort())
})
