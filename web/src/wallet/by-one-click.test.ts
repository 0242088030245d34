import { VenueError } from '@bourse/sdk/stock'
import { signal } from '@preact/signals'
import { expect, it } from 'vitest'
import { walletWords } from '../strings.ts'
import { byOneClick } from './by-one-click.ts'

const refusal = (reason: string) =>
  new VenueError({
    status: 403,
    code: 40302,
    reason,
    message: 'has not enabled One Click: POST /prepare',
    requestId: '1',
    detail: null,
    retryAfterMs: null,
    retryable: false,
  })

/** What is told of a send that is refused, and whether One Click counts as on from then on. */
async function refused(reason: string, isOnAtVenue: boolean, ended?: string) {
  const isOn = signal(true)
  const refresh = async () => {
    isOn.value = isOnAtVenue
  }
  const send = () => Promise.reject(refusal(reason))
  const told = await byOneClick({ state: { refresh }, isOn }, send, ended).catch((error: Error) => error.message)
  return [told, isOn.value]
}

it('learns that One Click was ended elsewhere, and says what the next press does', async () => {
  expect(await refused('delegation_not_enabled', false)).toEqual([walletWords.oneClickEnded, false])
})

it('promises no signature of the wallet for what the venue alone can send', async () => {
  expect(await refused('delegation_not_enabled', false, 'turn it on first')).toEqual(['turn it on first', false])
})

it.each([
  ['would_revert', false],
  ['delegation_not_enabled', true],
])('says nothing of the wallet after %s, where the venue then says that it is on: %s', async (reason, isOnAtVenue) => {
  expect(await refused(reason, isOnAtVenue)).toEqual(['has not enabled One Click: POST /prepare', true])
})

it('says nothing of what was sent', async () => {
  expect(await byOneClick({ state: { refresh: async () => {} }, isOn: signal(true) }, async () => {})).toBeUndefined()
})
