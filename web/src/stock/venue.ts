// The stock product as the screens see it: its clients, what everybody may know of its market, and the session.

import { closeSession, createClient, getClock, getConfig, getSymbols, hasReason, openStream } from '@bourse/sdk/stock'
import { signIn } from '@bourse/sdk/wallet'
import { computed, effect, signal } from '@preact/signals'
import { setup } from '../app-state.ts'
import { noteLimited } from '../lib/limited.ts'
import { createResource } from '../lib/resource.ts'
import { makeChanges } from '../lib/together.ts'
import { makeSession } from '../session/session.ts'
import { isUnauthenticated, watched } from '../session/watched.ts'
import { walletClient } from '../wallet/client.ts'
import { knowTokens } from '../wallet/contracts.ts'
import './contracts.ts'

const MARKET_EVERY_MS = 4000
const CLOCK_EVERY_MS = 20_000

/** For operations of public access. */
const anonymous = computed(() => {
  const venue = setup.value
  if (!venue?.stock) return null
  const { prefix, product } = venue.stock
  return createClient({ baseUrl: prefix, productType: product, chainId: venue.chainId, onLimited: noteLimited })
})

export function publicClient() {
  const client = anonymous.peek()
  if (!client) throw new Error('this venue has no stocks')
  return client
}

export const stockSession = makeSession(
  'stock',
  async () => {
    const { signer, expiresAt } = await signIn(publicClient(), walletClient())
    return { ...signer, expiresAt: expiresAt * 1000 }
  },
  endSession,
)

/** Has the venue end the session of this browser. One that the venue does not accept any more is over for this browser already. */
async function endSession(): Promise<void> {
  try {
    await closeSession(trader().client)
  } catch (error) {
    if (!isUnauthenticated(error) && !hasReason(error, 'session_unknown')) throw error
  }
}

/** Signed by the session's key; null without a session. */
export const trading = computed(() => {
  const [client, session] = [anonymous.value, stockSession.session.value]
  if (!client || !session) return null
  const { apiKey, key } = session
  return watched(client.with({ signer: { apiKey, key } }), (isAccepted) => stockSession.noteAnswer(apiKey, isAccepted))
})

export type Trader = ReturnType<typeof trader>

/** The client of the session, and its wallet's address. */
export function trader() {
  const [client, session] = [trading.peek(), stockSession.session.peek()]
  if (!client || !session) throw new Error('sign in first')
  return { client, user: session.address }
}

export const symbols = createResource(async (abort) => {
  const listed = await getSymbols(publicClient(), { signal: abort })
  knowTokens(
    listed.map(({ contractAddress, contractSymbol, onChainDecimals }) => ({
      address: contractAddress,
      symbol: contractSymbol,
      decimals: onChainDecimals,
    })),
  )
  return listed
})

export const marketConfig = createResource(async (abort) => {
  const config = await getConfig(publicClient(), { signal: abort })
  knowTokens(
    config.cashierTokenConfig.map(({ tokenAddress, symbol, decimals }) => ({
      address: tokenAddress,
      symbol,
      decimals,
    })),
  )
  return config
})

export const clock = createResource((abort) => getClock(publicClient(), { signal: abort }))

let started = false

/** Follows the market from the first stock screen on. */
export function followMarket(): void {
  if (started) return
  started = true
  for (const one of [symbols, clock, marketConfig]) void one.refresh()
  const every = (ms: number, act: () => unknown) => setInterval(() => document.hidden || act(), ms)
  every(MARKET_EVERY_MS, symbols.refresh)
  every(CLOCK_EVERY_MS, () => Promise.all([clock.refresh(), marketConfig.refresh()]))
}

const noted = makeChanges()
/** Grows with whatever the venue tells of the session's orders and transfers: lists ask again. */
export const changes = noted.changes
export const noteChange = noted.note
export const streamStatus = signal<'connecting' | 'open' | 'waiting' | 'closed'>('closed')

effect(() => {
  const client = trading.value
  if (!client) return
  const stream = openStream(client, {
    onStatus: (status) => {
      streamStatus.value = status
      // What was asked while there was no connection may have failed, and is not told by the stream.
      if (status === 'open') noteChange()
    },
  })
  for (const channel of ['orders', 'cash', 'stock'] as const) stream.subscribe(channel, noteChange)
  return () => stream.close()
})
