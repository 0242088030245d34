import { IDLE_IN_TRANSACTION_MS, numeric, type Sql, type Tx } from './pool.ts'

/** A leader that has been replaced wrote within a transaction: nothing of it is stored. */
export class StaleTermError extends Error {
  override readonly name = 'StaleTermError'
}

/** Begins a new term of the leadership, and answers its number. Waits for transactions of the term before. */
export async function startTerm(sql: Sql, name: string): Promise<bigint> {
  const [row] = await sql<{ term: bigint }[]>`
    insert into leadership_terms (name, term) values (${name}, 1)
    on conflict (name) do update set term = leadership_terms.term + 1, started_at = clock_timestamp()
    returning term`
  if (!row) throw new Error(`no term of ${name} was started`)
  return row.term
}

/**
 * The pool as the leader of `term` may use it: each of its transactions first makes sure that no later term has begun, and
 * keeps one from beginning until it has ended. It ends by itself when it stands idle, whatever a pooler has made of the connection's
 * settings: a process that is frozen in it must not hold back who takes over. Single statements outside a transaction are not fenced: what they write must
 * be right whoever writes it.
 */
export function fencedPool(sql: Sql, name: string, term: bigint): Sql {
  const fenced = async (tx: Tx, work: (tx: Tx) => unknown) => {
    const rows = await tx`
      select set_config('idle_in_transaction_session_timeout', ${String(IDLE_IN_TRANSACTION_MS)}, true)
      from leadership_terms where name = ${name} and term = ${numeric(term)}::bigint for share`
    if (rows.length === 0) throw new StaleTermError(`another process leads ${name} since term ${term}`)
    return await work(tx)
  }
  const begin = (...args: [string, (tx: Tx) => unknown] | [(tx: Tx) => unknown]) => {
    const work = args.at(-1) as (tx: Tx) => unknown
    const run = (tx: Tx) => fenced(tx, work)
    return args.length === 1 ? sql.begin(run) : sql.begin(args[0] as string, run)
  }
  return new Proxy(sql, { get: (target, key) => (key === 'begin' ? begin : Reflect.get(target, key)) })
}
