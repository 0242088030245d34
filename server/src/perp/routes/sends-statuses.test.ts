import { SOUND_SENDS } from '../testing/sound-sends.ts'
import { describeStatuses } from '../testing/statuses.ts'

// The documented statuses of what trades, keeps orders, and gives a wallet access. What is sent is proved in sending/ and trading/.

describeStatuses(SOUND_SENDS)
