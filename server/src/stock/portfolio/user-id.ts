import Type from 'typebox'
import type { Hex } from '../../chain/types.ts'
import { WALLET } from '../../http/examples.ts'
import { EXPECTED } from '../../http/validation.ts'

/** The path parameter that names a user: a wallet address, blanks around it allowed (stock-api 1.9). */
export const userIdSchema = Type.Object({
  userId: Type.String({
    pattern: '^\\s*0x[0-9a-fA-F]{40}\\s*$',
    [EXPECTED]: 'a wallet address: 0x and 40 hex digits',
  }),
})

export const userIdExample = { userId: WALLET } as const

/** The wallet of a user id, trimmed and lower-case. */
export const walletOf = (userId: string): Hex => userId.trim().toLowerCase() as Hex
