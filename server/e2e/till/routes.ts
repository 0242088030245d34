import Type from 'typebox'
import type { Sql } from '../../src/db/pool.ts'
import { AtBlock, defineRoute, type Route } from '../../src/http/product.ts'
import { findTotal, insertNote } from './store.ts'

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
