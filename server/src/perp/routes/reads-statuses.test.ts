import { SOUND_READS } from '../testing/sound-reads.ts'
import { describeStatuses } from '../testing/statuses.ts'

// The documented statuses of every read but the wallet's keys, One Click, kept orders and money (sends-statuses.test.ts).

describeStatuses(SOUND_READS)
