import { formatTime } from '../lib/format.ts'
import { Badge } from '../ui/badge.tsx'
import { words } from './strings.ts'
import { clock } from './venue.ts'

/** Which session the market is in, and when it takes market orders again. */
export function MarketClock() {
  const now = clock.data.value
  if (!now) return null
  return (
    <span class="row">
      <Badge tone={now.isRegular ? 'good' : now.isOpen ? 'wait' : 'bad'}>{words.sessions[now.session]}</Badge>
      {!now.isRegular && (
        <span class="muted">
          {now.isOpen && `${words.limitOnly} · `}
          {words.nextRegular(formatTime(now.nextRegular * 1000))}
        </span>
      )}
    </span>
  )
}
