import { ponder } from 'ponder:registry'
import { loggedEvent } from 'ponder:schema'
import { sources } from '../sources.ts'

/** Events are named by the sources alone, so that their types are not known here. */
interface Logged {
  readonly id: string
  readonly block: { readonly number: bigint }
  readonly transaction: { readonly hash: `0x${string}` }
  readonly log: { readonly address: `0x${string}` }
  readonly args: unknown
}

interface Context {
  readonly db: { insert(table: typeof loggedEvent): { values(row: typeof loggedEvent.$inferInsert): Promise<unknown> } }
}

type On = (name: string, handler: (given: { event: Logged; context: Context }) => Promise<void>) => void

for (const { name: contract, events } of sources.contracts) {
  for (const { name } of events) {
    ;(ponder.on as unknown as On)(`${contract}:${name}`, async ({ event, context }) => {
      await context.db.insert(loggedEvent).values({
        id: event.id,
        block: event.block.number,
        transactionHash: event.transaction.hash,
        address: event.log.address,
        name,
        argumentsJson: JSON.stringify(event.args, (_, part) => (typeof part === 'bigint' ? part.toString() : part)),
      })
    })
  }
}
