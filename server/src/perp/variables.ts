import Type from 'typebox'
import type { delegationVariables } from '../delegation/variables.ts'
import { browserSettings } from '../http/variables.ts'
import { defineVariables, type Values, type ValuesOf } from '../lib/variables.ts'
import { type PushSettings, pushSettings } from '../push/variables.ts'

/** What an operator sets of perpetuals alone. */
export const perpVariables = defineVariables({
  properties: {
    PERP_BRANDS: Type.String({
      pattern: '^ *[!-+\\--~][ -+\\--~]*(, *[!-+\\--~][ -+\\--~]*)*$',
      maxLength: 500,
      default: 'Bourse',
      description: 'names that the text a wallet signs for an API key may end with, comma-separated, the own one first',
    }),
    PERP_NATIVE_BASE: Type.String({
      pattern: '^[A-Z0-9]{1,16}$',
      default: 'ETH',
      description:
        'the base, such as ETH, of the perpetual that says what the chain’s coin is worth: the keeper earns tips only where they pay for gas',
    }),
  },
})

/** What the keeper of perpetuals is set to. */
export interface KeeperSettings {
  /** The base whose perpetual prices the chain's coin. */
  readonly nativeBase: string
}

/** The keeper's settings out of values that have passed their schemas. */
export function keeperSettings(values: Values): KeeperSettings {
  return { nativeBase: (values as ValuesOf<typeof perpVariables>).PERP_NATIVE_BASE }
}

/** The `productType` in the scopes of its API keys. */
export const PERP_PRODUCT = 'perp'

export interface PerpSettings {
  /** Names in the text that a wallet signs for an API key, the venue's own first. */
  readonly brands: readonly string[]
  /** Gas that the One Click sends for one wallet may use in 24 hours, by whichever key and of every product on the chain. */
  readonly submitGasPerDay: bigint
  readonly push: PushSettings
  /** For how long a key lasts that a page in a browser makes. */
  readonly sessionMs: number
}

/** The product's settings out of values that have passed their schemas. */
export function perpSettings(values: Values): PerpSettings {
  const checked = values as ValuesOf<typeof perpVariables> & ValuesOf<typeof delegationVariables>
  return {
    brands: checked.PERP_BRANDS.split(',').map((brand) => brand.trim()),
    submitGasPerDay: BigInt(checked.SUBMIT_GAS_PER_DAY),
    push: pushSettings(values),
    sessionMs: browserSettings(values).sessionMs,
  }
}
