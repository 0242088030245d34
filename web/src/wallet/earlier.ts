import { effect, type ReadonlySignal } from '@preact/signals'
import { type Keyed, ofKey, tellEarlier } from '../lib/earlier-sends.ts'
import type { SendState } from '../lib/send-state.ts'
import { address } from './connection.ts'
import { tellOf } from './tell.ts'

/** Tells what became of One Click sends of the session that an earlier life of this page has begun. */
export function followEarlier<Client extends Keyed & { with(options: { readonly attempts: number }): Client }>(
  trading: ReadonlySignal<Client | null>,
  ask: (client: Client, params: { readonly idempotencyKey: string }) => Promise<SendState>,
): void {
  effect(() => {
    const client = trading.value
    if (!client) return
    const once = client.with({ attempts: 1 })
    void tellEarlier(ofKey(client), (idempotencyKey) => ask(once, { idempotencyKey }), tellOf(address.peek()))
  })
}
