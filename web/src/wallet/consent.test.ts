import { describe, expect, it } from 'vitest'
import { walletWords } from '../strings.ts'
import { checkConsent } from './consent.ts'

const [ALICE, ROUTER, VENUE, STRANGER] = ['a1', '70', 'ee', '99'].map((byte) => `0x${byte.repeat(20)}`) as [
  string,
  string,
  string,
  string,
]
const domain = { chainId: 7, verifyingContract: ROUTER }
const message = { user: ALICE, delegatee: VENUE }
const payload = { domain, primaryType: 'Delegate', message }
const expected = { user: ALICE, chainId: 7, router: ROUTER }
const check = (signPayload: typeof payload, router: string | undefined = ROUTER) =>
  checkConsent({ signPayload, delegatee: VENUE }, { ...expected, router })

describe('the consent to One Click', () => {
  it('is asked for as the venue’s own delegation, however its addresses are written', () => {
    const isAsked = () => check({ ...payload, message: { ...message, user: ALICE.toUpperCase().replace('X', 'x') } })
    expect(isAsked).not.toThrow()
  })

  it.each([
    ['of another type', { ...payload, primaryType: 'Permit' }],
    ['for another chain', { ...payload, domain: { ...domain, chainId: 1 } }],
    ['of another contract', { ...payload, domain: { ...domain, verifyingContract: STRANGER } }],
    ['of another user', { ...payload, message: { ...message, user: STRANGER } }],
    ['to another one than the venue says', { ...payload, message: { ...message, delegatee: STRANGER } }],
  ])('is refused %s', (_, signPayload) => {
    expect(() => check(signPayload)).toThrow(walletWords.consentWrong)
  })

  it('is refused where the venue has no router', () => {
    expect(() => checkConsent({ signPayload: payload, delegatee: VENUE }, { ...expected, router: undefined })).toThrow(
      walletWords.consentWrong,
    )
  })
})
