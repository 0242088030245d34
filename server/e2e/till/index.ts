import { join } from 'node:path'
import Type from 'typebox'
import { erc20Abi } from 'viem'
import type { Auth } from '../../src/auth/auth.ts'
import { type EventHandlers, handleEvent } from '../../src/chain/follow/event-handlers.ts'
import type { Hex } from '../../src/chain/types.ts'
import type { Product, Rooms } from '../../src/http/product.ts'
import { defineVariables, type ValuesOf } from '../../src/lib/variables.ts'
import { PushSource } from '../../src/push/source.ts'
import { reconcileTask } from '../../src/reconciliation/cycle.ts'
import { comparisonsOf, SECTIONS } from './reconcile.ts'
import { tillRoutes } from './routes.ts'
import { PRODUCT_TYPE, tillScheme } from './scheme.ts'
import { countNotes, countReceipts, findTotal, insertReceipt } from './store.ts'
import { totalFeed } from './total-feed.ts'
import { tillEnvelope, tillReference } from './wire.ts'

/** Whoever pays here pays the till. */
export const TILL = `0x${'7'.repeat(40)}` as const

const variables = defineVariables({
  properties: {
    TILL_REQUESTS_PER_MINUTE: Type.Integer({
      minimum: 1,
      maximum: 1000,
      default: 5,
      description: 'requests that one API key may send to the till in a minute; 1 to 1000',
    }),
  },
})

const handlers: EventHandlers<typeof erc20Abi> = {
  async Transfer(tx, block, { args: { from, to, value }, transactionHash: txHash, logIndex }) {
    if (to === TILL) await insertReceipt(tx, block, { txHash, logIndex, payer: from, amountRaw: value })
  },
}

interface TillRooms extends Rooms {
  readonly auth: Auth
}

/** A second product: it counts the USDC that its address has received, and takes notes. */
export const till: Product<TillRooms> = {
  name: 'till',
  variables,
  signers: [
    {
      purpose: 'till',
      variable: 'SIGNER_TILL_KEY',
      many: false,
      does: 'pays out of the till',
      required: true,
      embeddedAccounts: [16],
    },
  ],
  commands: [
    {
      topic: 'till',
      usage: 'Usage: npm run bourse -- till\n',
      run: async (_args, { sql, chainId }) => `${(await findTotal(sql, chainId))?.amountRaw ?? 0n}\n`,
    },
  ],
  migrations: join(import.meta.dirname, 'migrations'),
  reasons: [],
  keyChannels: { names: [] },
  reconciliation: SECTIONS,
  deployment: null,
  development: () => null,
  events: {
    name: 'till',
    tables: ['till_receipts'],
    sources: ({ contracts }) => [{ address: contracts.USDC as Hex, abi: erc20Abi, abiVersion: 1 }],
    async apply(tx, blocks) {
      for (const { block, events } of blocks) for (const event of events) await handleEvent(handlers, tx, block, event)
    },
  },
  keyScope: () => PRODUCT_TYPE,
  open(venue, values) {
    const { sql, deployment } = venue
    const { chainId } = deployment
    const { TILL_REQUESTS_PER_MINUTE: limit } = values as ValuesOf<typeof variables>
    const feeds = new Map([['total', totalFeed(sql, chainId)]])
    const keyChannels = { product: 'till', names: [] }
    return {
      serve: ({ auth }) => ({
        name: 'till',
        prefix: '',
        owns: [
          { path: '/till/v1', unknown: 'key' },
          { path: '/till/public', unknown: 'public' },
        ],
        envelope: tillEnvelope,
        scheme: tillScheme(auth.verifier, chainId),
        routes: tillRoutes(sql, chainId),
        keyRateLimit: { limit, windowMs: 60_000, headers: 'x-till-limit' },
        stream: {
          path: '/till/public/stream',
          access: 'PUBLIC',
          open: () => new PushSource(sql, chainId, { keyChannels, feeds }),
        },
        reference: tillReference,
        services: [],
      }),
      tasks: () => [
        { name: 'till.count', intervalMs: 200, run: (led) => countReceipts(led.sql, chainId) },
        reconcileTask(comparisonsOf(deployment.contracts.USDC as Hex, TILL)),
      ],
      gauges: [
        {
          name: 'bourse_till_paid_raw',
          help: 'What the till has been paid.',
          read: async () => [[{}, Number((await findTotal(sql, chainId))?.amountRaw ?? 0n)]],
        },
      ],
      status: {
        till: async () => ({ paid: (await findTotal(sql, chainId))?.amountRaw ?? 0n, notes: await countNotes(sql) }),
      },
      describe: async ({ url }) => ({ dev: { baseUrl: `${url}/till` }, summary: ['till', `${url}/till/public/total`] }),
    }
  },
}
