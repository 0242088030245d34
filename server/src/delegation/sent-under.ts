import Type from 'typebox'
import type { Sql } from '../db/pool.ts'
import { KEY_FORM, KEY_FORM_WORDS } from '../http/idempotency.ts'
import { findRecord } from '../http/idempotency-store.ts'
import { EXPECTED } from '../http/validation.ts'

export const idempotencyKeySchema = Type.String({
  pattern: KEY_FORM.source,
  description: 'The Idempotency-Key of the request that sent it, by the same API key.',
  [EXPECTED]: `an Idempotency-Key: ${KEY_FORM_WORDS}`,
})

/** For examples. */
export const IDEMPOTENCY_KEY = '5f0c1d7e-8a34-4b1c-9a55-0d2b7c1e9f42'

/** What a caller has to know before it takes a key that nothing is stored under for a send that never was. */
export const UNDER_KEY =
  'Asks without sending, unlike the same request again. A request that was lost on its way may still arrive while its signature is fresh: only after that does “nothing” mean that nothing was sent. What a venue has forgotten that was put back to an older copy of its database is known by the same request alone, which is then not sent twice.'

/** The id that the product has stored a send under, of an API key's request with this `Idempotency-Key`; null where it sent nothing. */
export async function sentUnder(
  sql: Sql,
  caller: { readonly chainId: number; readonly apiKeyId: string },
  idempotencyKey: string,
): Promise<string | null> {
  const record = await findRecord(sql, { ...caller, idempotencyKey })
  // Other operations keep other results under their keys.
  const { claimId } = (record?.result ?? {}) as { readonly claimId?: string }
  return claimId ?? null
}
