import type { ProductStream } from '../../http/product.ts'
import type { PerpContext } from '../context.ts'
import { perpProtocol } from './protocol.ts'
import { perpStreamSource } from './source.ts'

/** The perpetual API's WebSocket, for everybody (perp-api 7). */
export const perpStream = (context: PerpContext): ProductStream => ({
  path: '/v4/public/ws',
  access: 'PUBLIC',
  protocol: perpProtocol,
  open: () => perpStreamSource(context),
})
