// Hashes that the venue has still to be told of. What a wallet has sent is sent, whether the venue answers or not: its hash is
// kept in the browser (it is public) and told again until the venue has taken it or says whose it is, after a reload too.
import {
  ConnectionFailed,
  recordCashDeposit,
  recordCashWithdrawal,
  recordOrder,
  recordStockDeposit,
  recordStockWithdrawal,
  UnknownOutcome,
  VenueError,
} from '@bourse/sdk/stock'
import { effect } from '@preact/signals'
import { explain } from '../lib/explain.ts'
import { isUnauthenticated } from '../session/watched.ts'
import { toast } from '../ui/toast.tsx'
import { noteChange, type Trader, trader, trading } from './venue.ts'

const RECORD = {
  order: recordOrder,
  cashDeposit: recordCashDeposit,
  cashWithdrawal: recordCashWithdrawal,
  stockDeposit: recordStockDeposit,
  stockWithdrawal: recordStockWithdrawal,
}
export type RecordKind = keyof typeof RECORD

interface Waiting {
  readonly kind: RecordKind
  readonly txHash: string
  readonly user: string
}

const STORED = 'stock-unrecorded'
const AGAIN_MS = 3000

/** The transaction is none of this key's: there is no use in telling it again. */
const FOREIGN: readonly (string | null)[] = [
  'transaction_of_other_key',
  'transaction_of_other_kind',
  'transaction_of_other_user',
]

const read = (): readonly Waiting[] => JSON.parse(localStorage.getItem(STORED) ?? '[]') as Waiting[]
const write = (list: readonly Waiting[]) => localStorage.setItem(STORED, JSON.stringify(list))
const remove = (txHash: string) => write(read().filter((one) => one.txHash !== txHash))

/**
 * Records a hash for whoever had it sent, whoever is signed in by now. Null when the venue has taken it, else why it has not: it is
 * kept, and told again. Throws when the venue says that it is none of this key's.
 */
export function record(kind: RecordKind, txHash: string, by: Trader): Promise<unknown> {
  const one = { kind, txHash, user: by.user }
  write([...read().filter((other) => other.txHash !== txHash), one])
  return tell(one, by)
}

async function tell({ kind, txHash }: Waiting, { client }: Trader): Promise<unknown> {
  try {
    await RECORD[kind](client, { txHash })
  } catch (error) {
    if (!(error instanceof VenueError && FOREIGN.includes(error.reason))) return error
    remove(txHash)
    throw error
  }
  remove(txHash)
  return null
}

/** Whether the venue may take it when it is asked again, by the same session. */
export const isPassing = (error: unknown): boolean =>
  error instanceof ConnectionFailed ||
  error instanceof UnknownOutcome ||
  (error instanceof VenueError && error.retryable === true)

/**
 * What the venue has refused stands in `refused`: it is told again by the next session. A session that is not accepted ends by
 * itself, unless it was this once.
 */
async function tellAll(by: Trader, refused: Set<string>): Promise<void> {
  for (const one of read().filter(({ user, txHash }) => user === by.user && !refused.has(txHash))) {
    try {
      const why = await tell(one, by)
      if (why === null) noteChange()
      else if (!isPassing(why) && !isUnauthenticated(why)) refused.add(one.txHash)
    } catch (error) {
      toast('bad', explain(error))
    }
  }
}

effect(() => {
  if (!trading.value) return
  const by = trader()
  const refused = new Set<string>()
  void tellAll(by, refused)
  const timer = setInterval(() => void tellAll(by, refused), AGAIN_MS)
  return () => clearInterval(timer)
})
