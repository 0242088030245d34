// Sends of One Click whose end this page has not told yet. A page that is loaded anew asks what became of them, and sends nothing.
import { hasReason } from '@bourse/sdk/stock'
import { earlierWords } from '../strings.ts'
import type { Message } from './message.ts'
import { pause } from './pause.ts'
import { type SendState, whyFailed } from './send-state.ts'

/** As long as the tab lives: of another tab's sends that tab tells. */
const STORE = 'one-click-sends'
/** Longer than a signature counts as fresh: what has not come by then never will. */
const ARRIVES_WITHIN_MS = 60_000
const ASK_AFTER_MS = 2000
const FOLLOWED_MS = 180_000

interface EarlierSend {
  readonly product: string
  readonly apiKey: string
  readonly idempotencyKey: string
  /** Unix milliseconds: it has to outlast the page. */
  readonly atMs: number
}

/** A client of an API key. */
export interface Keyed {
  readonly product: { readonly name: string }
  readonly options: { readonly signer?: { readonly apiKey: string } }
}

/** Whose sends a client's are. */
export const ofKey = ({ product, options }: Keyed): Pick<EarlierSend, 'product' | 'apiKey'> => ({
  product: product.name,
  apiKey: options.signer?.apiKey ?? '',
})

/** Those of this page's own life: what they are for tells of them. */
const ownKeys = new Set<string>()

/** Remembers a send until it has come to its end, good or bad, or this page has. */
export async function remembered<Result>(
  by: Pick<EarlierSend, 'product' | 'apiKey'>,
  idempotencyKey: string,
  work: () => Promise<Result>,
): Promise<Result> {
  ownKeys.add(idempotencyKey)
  write([...read(), { ...by, idempotencyKey, atMs: Date.now() }])
  try {
    return await work()
  } finally {
    forget(idempotencyKey)
  }
}

/** Tells of each send of the API key that an earlier life of this page has begun. */
export async function tellEarlier(
  by: Pick<EarlierSend, 'product' | 'apiKey'>,
  ask: (idempotencyKey: string) => Promise<SendState>,
  tell: (kind: Message['kind'], text: string) => void,
): Promise<void> {
  const earlier = read().filter(({ product, apiKey, idempotencyKey }) => {
    return product === by.product && apiKey === by.apiKey && !ownKeys.has(idempotencyKey)
  })
  await Promise.all(
    earlier.map(async ({ idempotencyKey, atMs }) => {
      // Told once, however often the session comes back.
      ownKeys.add(idempotencyKey)
      tell(...(await endOf(() => ask(idempotencyKey), atMs)))
      forget(idempotencyKey)
    }),
  )
}

async function endOf(ask: () => Promise<SendState>, atMs: number): Promise<[Message['kind'], string]> {
  for (const endMs = performance.now() + FOLLOWED_MS; performance.now() < endMs; await pause(ASK_AFTER_MS)) {
    const answer = await ask().catch((error: unknown) => ({ error }))
    if ('error' in answer) {
      const isUnknown = hasReason(answer.error, 'send_unknown') || hasReason(answer.error, 'send_not_found')
      if (isUnknown && Date.now() - atMs > ARRIVES_WITHIN_MS) return ['bad', earlierWords.neverArrived]
    } else if (answer.status === 'Confirmed') return ['good', earlierWords.confirmed]
    else if (answer.status === 'Failed') return ['bad', earlierWords.failed(whyFailed(answer))]
  }
  return ['bad', earlierWords.notKnown]
}

const forget = (key: string): void => write(read().filter(({ idempotencyKey }) => idempotencyKey !== key))

/** A browser that keeps nothing forgets them with the page. */
function read(): readonly EarlierSend[] {
  try {
    return JSON.parse(sessionStorage.getItem(STORE) ?? '[]') as readonly EarlierSend[]
  } catch {
    return []
  }
}

function write(sends: readonly EarlierSend[]): void {
  try {
    sessionStorage.setItem(STORE, JSON.stringify(sends))
  } catch {
    // Storage that is switched off or full.
  }
}
