import Type, { type TSchema } from 'typebox'
import { EXPECTED } from './validation.ts'

// Pieces of the wire's schemas that every product uses.

export const addressSchema = (description: string) =>
  Type.String({ pattern: '^0x[0-9a-fA-F]{40}$', [EXPECTED]: 'an address: 0x and 40 hex digits', description })

export const hashSchema = (what: string) =>
  Type.String({ pattern: '^0x[0-9a-fA-F]{64}$', [EXPECTED]: `${what}: 0x and 64 hex digits` })

export const uuidSchema = (what: string) =>
  Type.String({ pattern: '^[0-9a-fA-F]{8}(-[0-9a-fA-F]{4}){3}-[0-9a-fA-F]{12}$', [EXPECTED]: what })

/** An amount in human units: a decimal string (recommended) or a JSON number, read exactly by `parseAmount`. */
export const amountSchema = (description: string) =>
  Type.Unsafe<string | number>(
    Type.Union([Type.String(), Type.Number()], { [EXPECTED]: 'a decimal number such as "10.5"', description }),
  )

/** A time of the request; that it lies in the future, and in 32 bits, is the operation's to check. */
export const unixSecondsSchema = (description: string) =>
  Type.Integer({ minimum: 0, [EXPECTED]: 'a Unix time in seconds', description })

export const nullable = <T extends TSchema>(schema: T) => Type.Union([schema, Type.Null()])

export const pagedSchema = <T extends TSchema>(row: T) =>
  Type.Object({ total: Type.Integer({ description: 'All matching records.' }), rows: Type.Array(row) })

export interface PageLimits {
  /** Rows of a page whose query names no limit, or one below 1. */
  readonly defaultLimit: number
  readonly maxLimit: number
  /** Deeper pages cost the database more than they are worth; filters reach the oldest rows of a longer list. */
  readonly maxOffset: number
}

/** One-based pages within a product's limits; a page below 1 means the first, a limit above the largest means the largest. */
export function paging({ defaultLimit, maxLimit, maxOffset }: PageLimits) {
  return {
    pageQuerySchema: Type.Object({
      page: Type.Optional(Type.Integer({ description: 'Page, from 1.' })),
      limit: Type.Optional(
        Type.Integer({ description: `Rows a page: ${defaultLimit} unless given, ${maxLimit} at most.` }),
      ),
    }),
    /** The rows a page query asks for. */
    pageOf(query: { readonly page?: number; readonly limit?: number }): { limit: number; offset: number } {
      const limit = query.limit === undefined || query.limit < 1 ? defaultLimit : Math.min(query.limit, maxLimit)
      const page = query.page === undefined || query.page < 1 ? 1 : query.page
      return { limit, offset: Math.min((page - 1) * limit, maxOffset) }
    },
  }
}
