// What the stream tells, for as long as a component is shown.
import type { PerpChannel, PerpMessage } from '@bourse/sdk/perp'
import { useEffect } from 'preact/hooks'
import { liveStream } from './venue.ts'

/** Follows a channel; a `gap` says that something was missed, and the whole is to be asked for again. */
export function useChannel<Channel extends PerpChannel>(
  channel: Channel,
  listener: (message: PerpMessage<Channel['type']>) => void,
): void {
  useEffect(() => {
    const subscription = liveStream().subscribe(channel, listener)
    return () => subscription.close()
  }, [JSON.stringify(channel)])
}
