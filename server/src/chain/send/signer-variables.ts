import Type, { type TSchema } from 'typebox'
import { secret, type Values, type VariablePart } from '../../lib/variables.ts'
import { DEVELOPMENT_CHAIN } from '../profiles.ts'
import type { Hex } from '../types.ts'
import type { SignerKey, SignerNeed } from './signer.ts'

/**
 * The variables that hold the signers' keys. A relayer on a chain by URL needs those that are `required`, unless all it has are
 * signers that stand `apart`; outside development these are with no other in one process.
 */
export const signerVariables = (needs: readonly SignerNeed[]): VariablePart => ({
  properties: Object.fromEntries(needs.map((need) => [need.variable, keySchema(need)])),
  problems: ({ ROLES, CHAIN_RPC_URL, CHAIN_ID, ...values }) => {
    const given = needs.filter(({ variable }) => values[variable] !== undefined)
    const apart = given.filter((need) => need.apart)
    const others = given.filter((need) => !need.apart)
    if (apart.length > 0 && others.length > 0 && CHAIN_ID !== DEVELOPMENT_CHAIN) return [togetherProblem(apart, others)]
    const isRelayer = CHAIN_RPC_URL !== undefined && String(ROLES).split(',').includes('relayer')
    if (!isRelayer || (apart.length > 0 && others.length === 0)) return []
    return needs
      .filter(({ required, variable }) => required && values[variable] === undefined)
      .map(({ variable }) => `${variable} must be set for the role relayer on a CHAIN_RPC_URL`)
  },
})

const togetherProblem = (apart: readonly SignerNeed[], others: readonly SignerNeed[]): string => {
  const names = (some: readonly SignerNeed[]) => some.map(({ variable }) => variable).join(', ')
  return (
    `${names(apart)} must not be in one process with ${names(others)}: whoever has both trades for users at prices of its ` +
    'own. Start one relayer with the former alone and one with the others (docs/trust-model.md)'
  )
}

function keySchema({ many, does }: SignerNeed): TSchema {
  const key = '0x[0-9a-fA-F]{64}'
  const schema = Type.Optional(
    many
      ? Type.String({
          pattern: `^${key}(,${key})*$`,
          description: `private keys (0x and 64 hex digits), comma-separated, that ${does}`,
        })
      : Type.String({ pattern: `^${key}$`, description: `the private key (0x and 64 hex digits) that ${does}` }),
  )
  return secret(schema)
}

/** The keys that are configured, each bound to its purpose. */
export const configuredSigners = (needs: readonly SignerNeed[], values: Values): SignerKey[] =>
  needs.flatMap(({ purpose, variable }) => {
    const keys = values[variable] as string | undefined
    return (keys?.split(',') ?? []).map((privateKey) => ({ purpose, privateKey: privateKey as Hex }))
  })
