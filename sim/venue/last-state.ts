import { within } from '../../server/src/db/testing-template.ts'
import type { RoleVenue } from './role-venue.ts'

/** Tables that tell why a venue does not go on: what is sent, by whom, and what the keeper does. */
const TABLES = {
  tx_signers: 'select * from tx_signers',
  tx_pauses: 'select * from tx_pauses',
  tx_intents: `select id, purpose, state, outcome, signer, nonce, ordering_key, problem, created_at from tx_intents
    where state <> 'final' or id > (select max(id) - 40 from tx_intents) order by id`,
  tx_attempts: `select intent_id, hash, nonce, last_answer, last_message, head_number from tx_attempts
    where intent_id in (select id from tx_intents where state in ('signed', 'broadcast')) order by intent_id`,
  tx_unaccounted: 'select * from tx_unaccounted',
  keeper_tasks: 'select * from keeper_tasks',
} as const

/** What a venue that failed shows of itself, for whoever looks for the cause. */
export async function lastStateOf(venue: RoleVenue): Promise<string> {
  const status = await fetch(new URL('/status', venue.baseUrl), { signal: AbortSignal.timeout(10_000) })
    .then((answer) => answer.text())
    .catch(String)
  const tables = await within(venue.databaseUrl, async (sql) => {
    const parts: string[] = []
    for (const [name, query] of Object.entries(TABLES)) {
      const rows = await sql.unsafe(query).catch((error: unknown) => [String(error)])
      parts.push(`--- ${name}\n${rows.map((row) => JSON.stringify(row)).join('\n')}`)
    }
    return parts
  })
  return [`--- /status\n${status}`, ...tables].join('\n')
}
