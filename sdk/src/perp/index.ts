// The entry of the package for this product: its client, its operations, its errors.
// biome-ignore-all lint/performance/noReExportAll: a package's entry is what it exports
// biome-ignore-all lint/performance/noBarrelFile: a package's entry is what it exports

export type { Gap, StreamFailure, StreamOptions, Subscription } from '../core/channels.ts'
export type { AnswerInfo, CallOptions, Client, ClientOptions, Clock, Socket, Transport } from '../core/client.ts'
export { ConnectionFailed, hasReason, SendUnconfirmed, UnknownOutcome, VenueError } from '../core/errors.ts'
export { importKey, type Signer } from '../core/hmac.ts'
export type { StreamStatus } from '../core/link.ts'
export { createClient } from './client.ts'
export * from './errors.ts'
export type { FailedSend, Kline, Signal, ToldPosition, Trade } from './messages.ts'
export * from './operations.ts'
export {
  openStream,
  type PerpChannel,
  type PerpData,
  type PerpDelta,
  type PerpMessage,
  type PerpSnapshot,
  type PerpStream,
  type PerpWalletChannel,
} from './stream.ts'
