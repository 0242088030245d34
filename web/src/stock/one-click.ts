import {
  disableOneClick,
  enableOneClick,
  getOneClick,
  getSendByIdempotencyKey,
  prepareOneClick,
} from '@bourse/sdk/stock'
import { signOneClick } from '@bourse/sdk/wallet'
import { computed } from '@preact/signals'
import { setup } from '../app-state.ts'
import { askedUntil, createResource, ofSession } from '../lib/resource.ts'
import { byOneClick } from '../wallet/by-one-click.ts'
import { walletClient } from '../wallet/client.ts'
import { checkConsent } from '../wallet/consent.ts'
import { followEarlier } from '../wallet/earlier.ts'
import { undelegate } from '../wallet/undelegate.ts'
import { changes, type Trader, trader, trading } from './venue.ts'

const SIGNED_FOR_SEC = 600

/** One Click of the session's wallet. */
export const oneClick = createResource((abort) => getOneClick(trader().client, { signal: abort }))

export const oneClickOn = computed(() => trading.value !== null && oneClick.data.value?.status === 'enable')

ofSession(trading, [oneClick], changes)

followEarlier(trading, getSendByIdempotencyKey)

/** Has the venue send it. */
export const sendByVenue = (send: () => Promise<void>): Promise<void> =>
  byOneClick({ state: oneClick, isOn: oneClickOn }, send)

/** Tells whether it is on; else the chain has not confirmed it yet. */
export async function turnOn(): Promise<boolean> {
  const { client, user } = trader()
  const deadline = Math.floor(client.now() / 1000) + SIGNED_FOR_SEC
  const prepared = await prepareOneClick(client, { deadline })
  const venue = setup.peek()
  checkConsent(prepared, { user, chainId: venue?.chainId, router: venue?.contracts.OneClickRouter })
  await enableOneClick(client, await signOneClick(walletClient(), prepared))
  return becomes('enable', client)
}

/** Tells whether it is off; else the chain has not confirmed it yet. */
export async function turnOff(): Promise<boolean> {
  const { client } = trader()
  await disableOneClick(client)
  return becomes('disabled', client)
}

/** Whether it becomes so, which is asked by the session that wanted it: another account may be chosen meanwhile. */
async function becomes(wanted: 'enable' | 'disabled', client: Trader['client']): Promise<boolean> {
  const became = await askedUntil(
    () => getOneClick(client.with({ attempts: 1 })),
    ({ status }) => status === wanted,
  )
  if (trading.peek() === client) await oneClick.refresh()
  return became
}

/** The user's own end of it, on chain, without the venue. */
export async function revoke(): Promise<void> {
  const client = trading.peek()
  await undelegate('OneClickRouter')
  // It has ended. What the venue says of it is for the switch, and is waited for by nobody.
  if (client) void becomes('disabled', client)
}
