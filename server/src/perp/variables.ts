import { defineVariables } from '../lib/variables.ts'

/** What an operator sets of perpetuals alone: nothing yet. */
export const perpVariables = defineVariables({ properties: {} })

/** The `productType` in the scopes of its API keys. */
export const PERP_PRODUCT = 'perp'
