/** SQLSTATE classes that say nothing about the statement: connection, rollback, resources, operator, system. */
const TRANSIENT_CLASSES = new Set(['08', '40', '53', '57', '58'])
/** A lock not available, a server that has become a read-only standby, a transaction ended because it stood idle. */
const TRANSIENT_STATES = new Set(['55P03', '25006', '25P03'])
/** The driver's own codes for a lost or missing connection, and those of the socket (ECONNRESET, EAI_AGAIN); none of Node's `ERR_…`. */
const CONNECTION_CODE = /^(CONNECTION_[A-Z]+|CONNECT_TIMEOUT|E(?!RR_)[A-Z_]+)$/

/** True for a failure of the connection or the server, after which the same transaction may succeed. */
export function isTransientDatabaseError(error: unknown): boolean {
  if (!(error instanceof Error) || !('code' in error) || typeof error.code !== 'string') return false
  const { code } = error
  return CONNECTION_CODE.test(code) || TRANSIENT_STATES.has(code) || TRANSIENT_CLASSES.has(code.slice(0, 2))
}
