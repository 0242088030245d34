import Type from 'typebox'
import type { Sql } from '../../src/db/pool.ts'
import { AtBlock, defineRoute, type Route } from '../../src/http/product.ts'
import { findTotal, insertNote, insertRefund } from './store.ts'

export const tillRoutes = (sql: Sql, chainId: number): readonly Route[] => [
  defineRoute({
    method: 'GET',
    path: '/till/public/total',
    summary: 'What the till has been paid.',
    access: 'PUBLIC',
    schema: { data: Type.Object({ amount: Type.String() }) },
    async handler() {
      const total = await findTotal(sql, chainId)
      const block = { height: total?.blockNumber ?? 0n, timestampSec: total?.blockTimeSec ?? 0n }
      return new AtBlock(block, { amount: String(total?.amountRaw ?? 0n) })
    },
  }),
  defineRoute({
    method: 'POST',
    path: '/till/public/refunds',
    summary: 'Asks for money back.',
    access: 'WALLET',
    schema: {
      body: Type.Object({
        wallet: Type.String({ pattern: '^0x[0-9a-fA-F]{40}$' }),
        amount: Type.String({ pattern: '^[1-9][0-9]{0,30}$' }),
        signature: Type.String({ pattern: '^0x[0-9a-f]{130}$' }),
      }),
      data: Type.Object({ id: Type.String() }),
    },
    handler: async ({ body, caller }) => ({ id: await insertRefund(sql, caller.wallet, BigInt(body.amount)) }),
  }),
  defineRoute({
    method: 'POST',
    path: '/till/v1/notes',
    summary: 'Leaves a note.',
    access: 'WRITABLE',
    schema: {
      body: Type.Object({ author: Type.String(), note: Type.String() }),
      data: Type.Object({ id: Type.String() }),
    },
    handler: async ({ body, caller }) => ({ id: await insertNote(sql, caller.keyId, `${body.author}: ${body.note}`) }),
  }),
]
