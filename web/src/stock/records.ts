// Hashes that the venue has still to be told of. What a wallet has sent is sent, whether the venue answers or not: its hash is
// kept in the browser (it is public) and told again until the venue has taken or refused it, after a reload too.
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
import { toast } from '../ui/toast.tsx'
import { noteChange, stockSession, trader } from './venue.ts'

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

const read = (): readonly Waiting[] => JSON.parse(localStorage.getItem(STORED) ?? '[]') as Waiting[]
const write = (list: readonly Waiting[]) => localStorage.setItem(STORED, JSON.stringify(list))
const remove = (txHash: string) => write(read().filter((one) => one.txHash !== txHash))

/** Records a hash; false when the venue does not answer now, and is told later. Throws when it refuses. */
export async function record(kind: RecordKind, txHash: string): Promise<boolean> {
  const { user } = trader()
  const one = { kind, txHash, user }
  write([...read().filter((other) => other.txHash !== txHash), one])
  return told(one)
}

async function told({ kind, txHash }: Waiting): Promise<boolean> {
  try {
    await RECORD[kind](trader().client, { txHash })
  } catch (error) {
    if (isPassing(error)) return false
    remove(txHash)
    throw error
  }
  remove(txHash)
  return true
}

const isPassing = (error: unknown): boolean =>
  error instanceof ConnectionFailed ||
  error instanceof UnknownOutcome ||
  (error instanceof VenueError && error.retryable === true)

async function tellAll(): Promise<void> {
  const user = stockSession.session.peek()?.address
  for (const one of read().filter((other) => other.user === user)) {
    const done = await told(one).catch((error: unknown) => toast('bad', explain(error)))
    if (done) noteChange()
  }
}

effect(() => {
  if (!stockSession.session.value) return
  void tellAll()
  const timer = setInterval(() => void tellAll(), AGAIN_MS)
  return () => clearInterval(timer)
})
