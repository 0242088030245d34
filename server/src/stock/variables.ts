import Type from 'typebox'
import { OPERATOR_ACCOUNTS } from '../chain/embedded/accounts.ts'
import type { SignerNeed } from '../chain/send/signer.ts'
import type { delegationVariables } from '../delegation/variables.ts'
import { type BrowserSettings, browserSettings } from '../http/variables.ts'
import { defineVariables, notValid, type Values, type ValuesOf } from '../lib/variables.ts'
import { type PushSettings, pushSettings } from '../push/variables.ts'
import { ORACLE_PURPOSE } from './keeper/publish-prices.ts'
import { type BufferTarget, type BufferTargets, DEFAULT_BUFFER_TARGETS } from './keeper/refill-buffers.ts'
import { SETTLE } from './keeper/settlement-intent.ts'
import { CONFIGURE_PURPOSE } from './keeper/splits.ts'

const bufferPercent = (buffer: string, { refillBelowPercent, targetPercent }: BufferTarget) =>
  Type.String({
    pattern: '^(100|[1-9]?[0-9]):(100|[1-9]?[0-9])$',
    default: `${refillBelowPercent}:${targetPercent}`,
    description: `two percentages of the capacity such as ${refillBelowPercent}:${targetPercent}, the first not above the second: below the first ${buffer} is refilled up to the second`,
  })

const properties = {
  STOCK_PREFIX: Type.String({
    pattern: '^(/[A-Za-z0-9_-]+)*$',
    default: '/stock',
    description: 'a path such as /stock',
  }),
  STOCK_PRODUCT: Type.String({
    pattern: '^[A-Za-z0-9_-]+$',
    default: 'Bourse',
    description: 'the exact value of x-api-p',
  }),
  CREDIT_BUFFER_PERCENT: bufferPercent('the credit buffer', DEFAULT_BUFFER_TARGETS.credit),
  WITHDRAW_BUFFER_PERCENT: bufferPercent('a withdrawal buffer', DEFAULT_BUFFER_TARGETS.withdraw),
}

/** What an operator sets of stocks alone. */
export const stockVariables = defineVariables({
  properties,
  problems: (values) =>
    (['CREDIT_BUFFER_PERCENT', 'WITHDRAW_BUFFER_PERCENT'] as const).flatMap((name) => {
      const { refillBelowPercent, targetPercent } = bufferTarget(String(values[name]))
      return refillBelowPercent > targetPercent ? [notValid(name, properties[name])] : []
    }),
})

/** Who signs for stocks. */
export const stockSigners: readonly SignerNeed[] = [
  {
    purpose: SETTLE,
    variable: 'SIGNER_SETTLE_KEY',
    many: false,
    does: 'settles orders and cash',
    required: true,
    embeddedAccounts: [OPERATOR_ACCOUNTS.settle],
  },
  {
    purpose: ORACLE_PURPOSE,
    variable: 'SIGNER_ORACLE_KEY',
    many: false,
    does: 'publishes oracle prices',
    required: true,
    embeddedAccounts: [OPERATOR_ACCOUNTS.oracle],
  },
  {
    purpose: CONFIGURE_PURPOSE,
    variable: 'SIGNER_CONFIGURE_KEY',
    many: false,
    does: 'applies splits to stock tokens',
    required: false,
    embeddedAccounts: [OPERATOR_ACCOUNTS.configure],
  },
]

export interface StockSettings {
  readonly prefix: string
  /** The exact value of `x-api-p`. */
  readonly productType: string
  /** Gas that the One Click sends for one wallet may use in 24 hours, by whichever key and of every product on the chain. */
  readonly submitGasPerDay: bigint
  /** How the keeper refills the Cashier's buffers. */
  readonly buffers: BufferTargets
  readonly push: PushSettings
  readonly browser: BrowserSettings
}

/** The product's settings out of values that have passed their schemas. */
export function stockSettings(values: Values): StockSettings {
  const checked = values as ValuesOf<typeof stockVariables> & ValuesOf<typeof delegationVariables>
  return {
    prefix: checked.STOCK_PREFIX,
    productType: checked.STOCK_PRODUCT,
    submitGasPerDay: BigInt(checked.SUBMIT_GAS_PER_DAY),
    buffers: {
      credit: bufferTarget(checked.CREDIT_BUFFER_PERCENT),
      withdraw: bufferTarget(checked.WITHDRAW_BUFFER_PERCENT),
    },
    push: pushSettings(values),
    browser: browserSettings(values),
  }
}

function bufferTarget(text: string): BufferTarget {
  const [refillBelowPercent = 0, targetPercent = 0] = text.split(':').map(Number)
  return { refillBelowPercent, targetPercent }
}
