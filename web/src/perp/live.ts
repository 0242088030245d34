// What the stream tells, for as long as a component is shown.
import type { PerpChannel } from '@bourse/sdk/perp'
import { useEffect } from 'preact/hooks'
import { liveStream } from './venue.ts'

/** Follows a channel; `onGap` is told when something was missed, to ask for the whole again. */
export function useChannel(
  channel: PerpChannel,
  onData: (data: unknown, stream: string) => void,
  onGap: () => void = () => {},
): void {
  useEffect(() => {
    const subscription = liveStream().subscribe(channel, (message) => {
      if (message.type === 'data') onData(message.data, message.stream)
      else if (message.type === 'gap') onGap()
    })
    return () => subscription.close()
  }, [JSON.stringify(channel)])
}
