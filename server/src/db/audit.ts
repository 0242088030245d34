import type { Tx } from './pool.ts'

/** What an operator did, for the append-only log. */
export interface AuditEntry {
  readonly actor: string
  readonly action: string
  readonly subject: string
  /** Never a secret. */
  readonly detail: Readonly<Record<string, string | number | boolean | null | readonly string[]>>
}

export async function insertAudit(tx: Tx, entry: AuditEntry): Promise<void> {
  await tx`
    insert into operator_audit_log (actor, action, subject, detail)
    values (${entry.actor}, ${entry.action}, ${entry.subject}, ${tx.json(entry.detail)})`
}
