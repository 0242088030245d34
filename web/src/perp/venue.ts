// The perpetual product as the screens see it: its clients, the list of markets, the stream and the session.
import { createClient, getInstruments, getMarketList, openStream, type Pair, type PerpStream } from '@bourse/sdk/perp'
import { createPerpKey } from '@bourse/sdk/wallet'
import { computed, effect, signal } from '@preact/signals'
import { setup } from '../app-state.ts'
import { noteLimited } from '../lib/limited.ts'
import { createResource } from '../lib/resource.ts'
import { makeSession } from '../session/session.ts'
import { watched } from '../session/watched.ts'
import { walletClient } from '../wallet/client.ts'
import { knowTokens } from '../wallet/contracts.ts'
import { noteChange, noteSignal } from './account-changes.ts'
import { knowInstruments } from './contracts.ts'
import { knowSymbols } from './pair-name.ts'
import { words } from './strings.ts'

export type Market = Pair

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

/** Whether the symbol alone means this instrument to the venue: of several it means the first. Null until instruments are known. */
export function isMeantBySymbol({ instrumentAddr, symbol }: Pick<Market, 'instrumentAddr' | 'symbol'>): boolean | null {
  const first = instruments.data.value?.find((one) => one.symbol === symbol)
  return first ? first.instrumentAddress.toLowerCase() === instrumentAddr.toLowerCase() : null
}

function askWhatIsDue(): void {
  void markets.refresh()
  if (instruments.data.peek() === undefined) void instruments.refresh()
}

export const streamStatus = signal<'connecting' | 'open' | 'waiting' | 'closed'>('closed')

/** A transaction of the account's has been carried out: the stream tells what that changed. */
export function noteTransaction(): void {
  if (streamStatus.peek() !== 'open') noteChange()
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
    const listed = known(message.data)
    markets.tell(() => listed)
  })
  effect(() => {
    const user = perpSession.session.value?.address
    if (!user) return
    const portfolio = liveStream().subscribe({ type: 'portfolio', userAddress: user }, noteSignal)
    return () => portfolio.close()
  })
}
