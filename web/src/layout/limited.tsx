import { limitedForSec } from '../lib/limited.ts'
import { failureWords } from '../strings.ts'

/** Says that the venue takes no more requests for now, and until when. */
export function Limited() {
  const seconds = limitedForSec.value
  if (seconds === null) return null
  return (
    <div class="notice wait" role="status">
      {failureWords.limited(seconds)}
    </div>
  )
}
