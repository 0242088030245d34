import { authReasons } from '../auth/reasons.ts'
import { deployReasons } from '../chain/deploy/reasons.ts'
import { deploymentReasons } from '../chain/deployment.ts'
import { profileReasons } from '../chain/profiles.ts'
import { rpcReasons } from '../chain/rpc-error.ts'
import { intentReasons } from '../chain/send/intent-commands.ts'
import { relayerReasons } from '../chain/send/relayer.ts'
import { signerReasons } from '../chain/send/signer.ts'
import type { Product } from '../http/product.ts'
import { httpReasons } from '../http/reasons.ts'
import type { ReasonTable } from '../http/reference.ts'
import { marketReasons } from '../market/reasons.ts'
import { pushReasons } from '../push/reasons.ts'

/** Every table of reasons in the venue: those of the modules, and of each product. */
export const reasonTables = (products: readonly Pick<Product, 'name' | 'reasons'>[]): readonly ReasonTable[] => [
  {
    name: 'requests',
    title: 'Requests',
    about: 'What the server finds before or around an operation.',
    onWire: true,
    reasons: Object.values(httpReasons),
  },
  {
    name: 'authentication',
    title: 'Authentication and keys',
    about: 'Who sends a request, and the keys that an operator issues.',
    onWire: true,
    reasons: Object.values(authReasons),
  },
  {
    name: 'push',
    title: 'Streams and webhooks',
    about: 'What a client is told when it asks for a channel, and an operator who sets up a webhook.',
    onWire: true,
    reasons: Object.values(pushReasons),
  },
  ...products.map(({ name, reasons }) => ({
    name,
    title: `${name.charAt(0).toUpperCase()}${name.slice(1)} API`,
    about: 'What an operation of this product refuses.',
    onWire: true,
    reasons,
  })),
  {
    name: 'market',
    title: 'Market data and broker',
    about: 'Recorded files at the start, and the keeper’s dealings with the broker. An operator meets them in the log.',
    onWire: false,
    reasons: Object.values(marketReasons),
  },
  {
    name: 'chain',
    title: 'Chain node and relayer',
    about: 'The chain’s node and the relayer’s keys. An operator meets them in the log, or at the start.',
    onWire: false,
    reasons: [
      profileReasons,
      deploymentReasons,
      rpcReasons,
      relayerReasons,
      signerReasons,
      intentReasons,
      deployReasons,
    ].flatMap((table) => Object.values(table)),
  },
]
