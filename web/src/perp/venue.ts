// The perpetual product as the screens see it: its clients, the list of markets, the stream and the session.
import {
  createClient,
  getInstruments,
  getMarketList,
  type MarketList,
  openStream,
  type PerpMessage,
  type PerpStream,
} from '@bourse/sdk/perp'
import { createPerpKey } from '@bourse/sdk/wallet'
import { batch, computed, effect, type ReadonlySignal, signal } from '@preact/signals'
import { setup } from '../app-state.ts'
import { noteLimited } from '../lib/limited.ts'
import { createResource } from '../lib/resource.ts'
import { makeChanges } from '../lib/together.ts'
import { makeSession } from '../session/session.ts'
import { watched } from '../session/watched.ts'
import { walletClient } from '../wallet/client.ts'
import { knowTokens } from '../wallet/contracts.ts'
import { knowInstruments } from './contracts.ts'
import { knowSymbols } from './pair-name.ts'
import { words } from './strings.ts'

export type Market = MarketList

const MARKETS_EVERY_MS = 10_000

/** For operations of public access. */
const anonymous = computed(() => {
  const venue = setup.value
  return venue?.perp
    ? createClient({ baseUrl: venue.perp.prefix, chainId: venue.chainId, onLimited: noteLimited })
    : null
})

export function publicClient() {
  const client = anonymous.peek()
  if (!client) throw new Error(words.noPerpetuals)
  return client
}

export const perpSession = makeSession('perp', async () => {
  return await createPerpKey(publicClient(), walletClient(), {
    label: words.keyLabel,
    brand: setup.peek()?.perp?.brand ?? words.brand,
  })
})

/** Signed by the session's key; null without a session. */
export const trading = computed(() => {
  const [client, session] = [anonymous.value, perpSession.session.value]
  if (!client || !session) return null
  const { apiKey, key } = session
  return watched(client.with({ signer: { apiKey, key } }), (isAccepted) => perpSession.noteAnswer(apiKey, isAccepted))
})

/** The client of the session, and its wallet's address. */
export function trader() {
  const [client, session] = [trading.peek(), perpSession.session.peek()]
  if (!client || !session) throw new Error(words.signInFirst)
  return { client, user: session.address }
}

const known = (listed: readonly Market[]): readonly Market[] => {
  knowTokens(listed.map(({ quoteToken }) => quoteToken))
  knowInstruments(listed)
  knowSymbols(listed)
  return listed
}

export const markets = createResource(async (abort) =>
  known(await getMarketList(publicClient(), {}, { signal: abort })),
)

/** What instruments take of a trade, and from what on. It seldom changes. */
const instruments = createResource((abort) => getInstruments(publicClient(), {}, { signal: abort }))
const INSTRUMENTS_EVERY_MS = 600_000

/** Undefined until it is known. */
export const instrumentOf = ({ instrumentAddr }: Pick<Market, 'instrumentAddr'>) =>
  instruments.data.value?.find(
    ({ instrumentAddress }) => instrumentAddress.toLowerCase() === instrumentAddr.toLowerCase(),
  )

function askWhatIsDue(): void {
  void markets.refresh()
  if (instruments.data.peek() === undefined) void instruments.refresh()
}

export const streamStatus = signal<'connecting' | 'open' | 'waiting' | 'closed'>('closed')

/** What signals of an account are about. */
const PARTS = ['gate', 'order', 'range', 'position'] as const
type Part = (typeof PARTS)[number]

/** So often at most it is asked what no signal is about. */
const SELDOM_MS = 10_000

const noted = makeChanges()
const notedSeldom = makeChanges(SELDOM_MS)
const notedOf: Readonly<Record<Part, ReturnType<typeof makeChanges>>> = {
  gate: makeChanges(),
  order: makeChanges(),
  range: makeChanges(),
  position: makeChanges(),
}

/** Grows with whatever the venue tells of the session's account. */
export const changes = noted.changes
/** The same, every ten seconds at most: for what changes with nothing of it. */
export const changesSeldom = notedSeldom.changes

/**
 * Grows with what the venue tells of these parts of it. A list asks again for them alone: a key has 120 requests a minute for everything,
 * and whoever trades quickly would have spent them on lists that are what they were.
 */
export const changesOf = (parts: readonly Part[]): ReadonlySignal<number> =>
  computed(() => parts.reduce((sum, part) => sum + notedOf[part].changes.value, 0))

/** Anything may have changed. */
export const noteChange = (): void => noteParts(PARTS)

function noteParts(parts: readonly Part[]): void {
  batch(() => {
    noted.note()
    notedSeldom.note()
    for (const part of parts) notedOf[part].note()
  })
}

/** A transaction of the account's has been carried out: the stream tells what that changed. */
export function noteTransaction(): void {
  if (streamStatus.peek() !== 'open') noteChange()
}

/** The signals of a block come one after the other: what they are about is asked for once. */
const SIGNALS_TOGETHER_MS = 30
let signalled: Set<Part> | null = null

function noteSignal(message: PerpMessage): void {
  const { type: part } = (message.type === 'data' ? message.data : {}) as { readonly type?: Part }
  if (signalled === null) setTimeout(noteSignalled, SIGNALS_TOGETHER_MS)
  signalled ??= new Set()
  for (const one of part !== undefined && PARTS.includes(part) ? [part] : PARTS) signalled.add(one)
}

function noteSignalled(): void {
  const parts = [...(signalled ?? [])]
  signalled = null
  noteParts(parts)
}

let stream: PerpStream | null = null

/** The one connection of this page. */
export function liveStream(): PerpStream {
  stream ??= openStream(publicClient(), {
    onStatus: (status) => {
      streamStatus.value = status
    },
  })
  return stream
}

let started = false

/** Follows the markets from the first perpetual screen on. */
export function followMarkets(): void {
  if (started) return
  started = true
  askWhatIsDue()
  setInterval(() => document.hidden || askWhatIsDue(), MARKETS_EVERY_MS)
  setInterval(() => document.hidden || void instruments.refresh(), INSTRUMENTS_EVERY_MS)
  liveStream().subscribe({ type: 'common' }, (message) => {
    if (message.type === 'gap') return void markets.refresh()
    if (message.type !== 'data' || message.stream !== 'marketListChanged') return
    const listed = known(message.data as readonly Market[])
    markets.tell(() => listed)
  })
  effect(() => {
    const user = perpSession.session.value?.address
    if (!user) return
    const portfolio = liveStream().subscribe({ type: 'portfolio', userAddress: user }, noteSignal)
    return () => portfolio.close()
  })
}
