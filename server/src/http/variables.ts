import Type from 'typebox'
import { defineVariables, positive, type Values, type ValuesOf } from '../lib/variables.ts'
import { DEFAULT_STREAM_LIMITS, type StreamLimits } from './stream-source.ts'

/** How much one API key and one WebSocket connection may have. */
export const streamVariables = defineVariables({
  properties: {
    STREAM_CONNECTIONS_PER_KEY: positive(
      DEFAULT_STREAM_LIMITS.connectionsPerKey,
      10_000,
      'how many WebSocket connections an API key may have to one process',
    ),
    STREAM_CHANNELS_PER_CONNECTION: positive(
      DEFAULT_STREAM_LIMITS.channelsPerConnection,
      10_000,
      'how many channels one WebSocket connection may follow',
    ),
    STREAM_BUFFER_BYTES: positive(
      DEFAULT_STREAM_LIMITS.bufferBytes,
      1024 ** 3,
      'bytes that may wait to be read by one WebSocket connection before it is cut',
    ),
    STREAM_HEARTBEAT_SEC: positive(
      DEFAULT_STREAM_LIMITS.heartbeatMs / 1000,
      3600,
      'seconds between two heartbeats of a WebSocket connection',
    ),
  },
})

/** What pages in browsers may do. */
export const browserVariables = defineVariables({
  properties: {
    APP_ORIGINS: Type.String({
      pattern: '^( *https?://[a-z0-9.:\\[\\]-]+ *(,|$))*$',
      default: '',
      description:
        'comma-separated origins such as https://trade.example, without a path, whose pages are the venue’s own: they open sessions and streams',
    }),
    SESSION_HOURS: positive(24, 24 * 30, 'hours after which a session that a page opened ends'),
  },
})

export interface BrowserSettings {
  readonly origins: readonly string[]
  readonly sessionMs: number
}

/** What pages may do, out of values that have passed their schemas. */
export function browserSettings(values: Values): BrowserSettings {
  const { APP_ORIGINS: origins, SESSION_HOURS: hours } = values as ValuesOf<typeof browserVariables>
  return {
    origins: origins
      .split(',')
      .map((origin) => origin.trim())
      .filter(Boolean),
    sessionMs: hours * 3_600_000,
  }
}

export const streamLimits = (values: ValuesOf<typeof streamVariables>): StreamLimits => ({
  connectionsPerKey: values.STREAM_CONNECTIONS_PER_KEY,
  channelsPerConnection: values.STREAM_CHANNELS_PER_CONNECTION,
  bufferBytes: values.STREAM_BUFFER_BYTES,
  heartbeatMs: values.STREAM_HEARTBEAT_SEC * 1000,
})
