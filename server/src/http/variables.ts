import Type from 'typebox'
import { defineVariables, type ValuesOf } from '../lib/variables.ts'
import { DEFAULT_STREAM_LIMITS, type StreamLimits } from './stream-source.ts'

const positive = (value: number, maximum: number, description: string) =>
  Type.Integer({ minimum: 1, maximum, default: value, description: `${description}; 1 to ${maximum}` })

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

export const streamLimits = (values: ValuesOf<typeof streamVariables>): StreamLimits => ({
  connectionsPerKey: values.STREAM_CONNECTIONS_PER_KEY,
  channelsPerConnection: values.STREAM_CHANNELS_PER_CONNECTION,
  bufferBytes: values.STREAM_BUFFER_BYTES,
  heartbeatMs: values.STREAM_HEARTBEAT_SEC * 1000,
})
