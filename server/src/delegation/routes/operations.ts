import Type from 'typebox'
import { nullable, unixSecondsSchema } from '../../http/schemas.ts'
import type { DelegationContext } from '../delegation.ts'

/** One Click of a product, as its clients see it. */
export interface OneClickOperations {
  /** Path before `/status`, `/prepare`, `/enable` and `/disable`. */
  readonly prefix: string
  readonly chainId: number
  /** What each operation is called in the product's reference. */
  readonly summaries: {
    readonly status: string
    readonly prepare: string
    readonly enable: string
    readonly disable: string
  }
  /** Throws `one_click_unavailable` where the chain does not have it. */
  context(): DelegationContext
}

export const deadlineSchema = unixSecondsSchema(
  'Unix seconds, in the future, at most 4294967295: until then the signature can be used.',
)

/** What a change of the delegation answers. */
export const changeSchema = <Done extends 'enable' | 'disabled'>(done: Done, prefix: string) =>
  Type.Object({
    status: Type.Enum([done, 'pending'], {
      description: `pending: sent and not mined within two seconds; GET ${prefix}/status tells when it is.`,
    }),
    txHash: nullable(Type.String()),
  })

export const EXAMPLE_DELEGATEE = '0x2279b7a0a67db372996a5fab50d91eaa73d2ebe6'
