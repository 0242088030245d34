import { Badge } from '../ui/badge.tsx'
import { words } from './strings.ts'
import { streamStatus } from './venue.ts'

/** Whether prices come by the stream. */
export const LiveBadge = () => (
  <Badge tone={streamStatus.value === 'open' ? 'good' : 'wait'}>{words.live[streamStatus.value]}</Badge>
)
