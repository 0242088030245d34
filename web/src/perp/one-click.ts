import {
  disableOneClick,
  enableOneClick,
  getOneClick,
  getSendByIdempotencyKey,
  prepareOneClick,
} from '@bourse/sdk/perp'
import { signOneClick } from '@bourse/sdk/wallet'
import { computed } from '@preact/signals'
import { setup } from '../app-state.ts'
import { askedUntil, createResource, ofSession } from '../lib/resource.ts'
import { byOneClick } from '../wallet/by-one-click.ts'
import { walletClient } from '../wallet/client.ts'
import { checkConsent } from '../wallet/consent.ts'
import { followEarlier } from '../wallet/earlier.ts'
import { undelegate } from '../wallet/undelegate.ts'
import { changesSeldom } from './account-changes.ts'
import { words } from './strings.ts'
import { trader, trading } from './venue.ts'

const SIGNED_FOR_SEC = 600

export const oneClick = createResource((abort) => getOneClick(trader().client, {}, { signal: abort }))

export const oneClickOn = computed(() => trading.value !== null && oneClick.data.value?.status === 'enable')

// It may have been ended elsewhere, which no signal tells.
ofSession(trading, [oneClick], changesSeldom)

followEarlier(trading, getSendByIdempotencyKey)

/** Has the venue send it; `ended` says what to do where One Click has ended. */
export const sendByVenue = (send: () => Promise<void>, ended?: string): Promise<void> =>
  byOneClick({ state: oneClick, isOn: oneClickOn }, send, ended)

export async function turnOn(): Promise<void> {
  const { client, user } = trader()
  const deadline = Math.floor(client.now() / 1000) + SIGNED_FOR_SEC
  const prepared = await prepareOneClick(client, { deadline })
  const venue = setup.peek()
  checkConsent(prepared, { user, chainId: venue?.chainId, router: venue?.contracts.PerpOneClickRouter })
  await enableOneClick(client, await signOneClick(walletClient(), prepared))
  await untilStatus('enable', client)
}

export async function turnOff(): Promise<void> {
  const { client } = trader()
  await disableOneClick(client)
  await untilStatus('disabled', client)
}

/** The user's own end of it, on chain, without the venue. */
export async function revoke(): Promise<void> {
  const client = trading.peek()
  await undelegate('PerpOneClickRouter')
  // It has ended. What the venue says of it is for the switch, and is waited for by nobody.
  if (client) void untilStatus('disabled', client).catch(() => {})
}

/** It is so once the chain has it, which is asked by the session that wanted it: another account may be chosen meanwhile. */
async function untilStatus(wanted: 'enable' | 'disabled', client: ReturnType<typeof trader>['client']): Promise<void> {
  const became = await askedUntil(
    () => getOneClick(client.with({ attempts: 1 }), {}),
    ({ status }) => status === wanted,
  )
  if (trading.peek() === client) await oneClick.refresh()
  if (!became) throw new Error(words.oneClickPending)
}
