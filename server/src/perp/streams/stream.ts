import type { ProductStream } from '../../http/product.ts'
import type { PerpContext } from '../context.ts'
import { perpProtocol } from './protocol.ts'
import { perpStreamReference } from './reference.ts'
import { perpStreamSource } from './source.ts'

/** The perpetual API's WebSocket: for everybody (perp-api 7), with private channels for whom signs the upgrade. */
export const perpStream = (context: PerpContext): ProductStream => ({
  path: '/v4/public/ws',
  access: 'OPEN',
  protocol: perpProtocol(context.chainId),
  open: () => perpStreamSource(context),
  reference: () => perpStreamReference(context.chainId),
})
