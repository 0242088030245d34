import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { oneClickRouterAbi } from '../../chain/abi/one-click-router.ts'
import { contractRead } from '../../chain/read.ts'
import { type AccessVenue, type KeyedUser, namesBlock, startAccessVenue } from '../testing/access-venue.ts'
import { keyOf, type PerpAnswer, signed } from '../testing/key-api.ts'

const FAR_FUTURE = 4_000_000_000
const DAY_SEC = 86_400

let venue: AccessVenue
let user: KeyedUser
let stranger: KeyedUser
beforeAll(async () => {
  venue = await startAccessVenue()
  ;[user, stranger] = [await venue.user(0), await venue.user(1)]
})
afterAll(() => venue?.stop())

const failure = ({ status, code, reason }: PerpAnswer) => [status, code, reason]
const delegateOf = (of: KeyedUser) => {
  const router = { address: venue.chain.contract('PerpOneClickRouter'), abi: oneClickRouterAbi }
  return venue.chain.read(contractRead(router, 'delegateOf', of.address))
}
const NOBODY = `0x${'0'.repeat(40)}`
const pool = () => venue.chain.contract('OperatorPool').toLowerCase()

describe('One Click of perpetuals', () => {
  it('is disabled at first', async () => {
    const answer = await user.get('1ct/status')
    const { status, data } = answer
    expect([status, data]).toEqual([200, { status: 'disabled', delegatee: pool() }])
    expect(await namesBlock(venue.chain, answer)).toBe(true)
    expect((await user.get(`1ct/status?address=${user.address}&chainId=31337`)).data).toEqual(data)
    expect(failure(await user.get(`1ct/status?address=${stranger.address}`))).toEqual([403, 40301, 'user_not_bound'])
    expect(failure(await user.get('1ct/status?chainId=1'))).toEqual([400, 40001, 'chain_id_differs'])
  })

  it('has the wallet sign for the perpetual router, its next nonce and a deadline', async () => {
    const answer = await user.post('1ct/prepare', { deadline: FAR_FUTURE })
    const { status, data } = answer
    expect(status).toBe(200)
    expect(await namesBlock(venue.chain, answer)).toBe(true)
    expect(data).toMatchObject({ delegatee: pool(), nonce: 0, deadline: FAR_FUTURE })
    expect(data.signPayload).toMatchObject({
      domain: { name: 'OneClickRouter', version: '1', chainId: 31_337 },
      primaryType: 'Delegate',
      message: { user: user.address, delegatee: pool(), nonce: 0, deadline: FAR_FUTURE },
    })
    expect(data.signPayload.domain.verifyingContract.toLowerCase()).toBe(
      venue.chain.contract('PerpOneClickRouter').toLowerCase(),
    )
    expect(await delegateOf(user)).toBe(NOBODY)
  })

  it.each([
    ['another wallet’s signature', () => user.consent(FAR_FUTURE, stranger.account), /must be one of .*1ct\/prepare/],
    [
      'a signature for another deadline',
      async () => ({ ...(await user.consent()), deadline: FAR_FUTURE - 1 }),
      /must be/,
    ],
    ['a signature of another length', async () => ({ signature: '0x01', deadline: FAR_FUTURE }), /65 bytes/],
  ])('refuses %s, and the chain stays as it is', async (_, consent, message) => {
    const refused = await user.post('1ct/enable', await consent())
    expect(failure(refused)).toEqual([400, 40001, 'delegation_signature_invalid'])
    expect(refused.msg).toMatch(message)
    expect(await delegateOf(user)).toBe(NOBODY)
  })

  it('refuses a deadline that has passed, is too large or is missing', async () => {
    for (const [body, reason] of [
      [{ deadline: 1 }, 'delegation_deadline_expired'],
      [{ deadline: 4_294_967_296 }, 'delegation_deadline_expired'],
      [{}, 'request_invalid'],
      [{ deadline: '4000000000' }, 'request_invalid'],
      [{ deadline: FAR_FUTURE, user: stranger.address }, 'request_invalid'],
    ] as const) {
      expect(failure(await user.post('1ct/prepare', body))).toEqual([400, 40001, reason])
    }
  })

  it('refuses a key that may only read, and shows it the state', async () => {
    const reader = await keyOf(venue.api, user.account, { permissions: ['read'] })
    const consent = await user.consent()
    for (const path of ['1ct/prepare', '1ct/enable', '1ct/disable']) {
      const refused = await signed(venue.api, reader, 'POST', path, path === '1ct/enable' ? consent : {})
      expect(failure(refused)).toEqual([403, 40301, 'permission_missing'])
    }
    expect((await signed(venue.api, reader, 'GET', '1ct/status')).data.status).toBe('disabled')
  })

  it('is enabled by the wallet’s signature, for the terms of the router', async () => {
    const enabled = await user.post('1ct/enable', await user.consent())
    expect([enabled.status, enabled.code]).toEqual([200, 0])
    expect(['enable', 'pending']).toContain(enabled.data.status)
    expect(await user.mined(enabled.data.txHash)).toBe('success')
    const { data } = await user.get('1ct/status')
    expect(data).toEqual({ status: 'enable', delegatee: pool(), deadline: expect.any(Number) })
    expect(data.deadline - Date.now() / 1000).toBeGreaterThan(80 * DAY_SEC)
    expect((await stranger.get('1ct/status')).data.status).toBe('disabled')
  })

  it('is not enabled again by the same signature after it was disabled', async () => {
    const consent = await user.consent()
    expect((await user.post('1ct/enable', consent)).status).toBe(200)
    await expect.poll(async () => (await user.post('1ct/prepare', { deadline: FAR_FUTURE })).data.nonce).toBe(2)
    const disabled = await user.post('1ct/disable')
    expect([disabled.status, ['disabled', 'pending'].includes(disabled.data.status)]).toEqual([200, true])
    expect(await user.mined(disabled.data.txHash)).toBe('success')
    expect((await user.get('1ct/status')).data).toEqual({ status: 'disabled', delegatee: pool() })
    expect(failure(await user.post('1ct/enable', consent))).toEqual([400, 40001, 'delegation_signature_invalid'])
    expect(await delegateOf(user)).toBe(NOBODY)
    // Disabling what is disabled does nothing.
    expect((await user.post('1ct/disable')).data).toEqual({ status: 'disabled', txHash: null })
  })

  it('answers the same request the same way, and carries it out once', async () => {
    const consent = await stranger.consent()
    const header = { 'Idempotency-Key': 'enable-once' }
    const answers = await Promise.all([1, 2, 3].map(() => stranger.post('1ct/enable', consent, header)))
    expect(answers.map(({ status }) => status)).toEqual([200, 200, 200])
    const rows = await venue.database.sql`select 1 from submissions where user_address = ${stranger.address}`
    expect(rows).toHaveLength(1)
    const other = await stranger.post('1ct/enable', { ...consent, deadline: FAR_FUTURE - 1 }, header)
    expect(failure(other)).toEqual([400, 42201, 'idempotency_key_reused'])
  })

  it('follows what the wallet does by itself', async () => {
    const third = await venue.user(2)
    await third.enable()
    expect((await third.get('1ct/status')).data.status).toBe('enable')
    const from = venue.chain.accounts.users[2]
    if (!from) throw new Error('too few accounts')
    const router = venue.chain.contract('PerpOneClickRouter')
    expect(await venue.chain.send(from, router, [...oneClickRouterAbi], 'undelegate', [])).toBe('success')
    expect((await third.get('1ct/status')).data.status).toBe('disabled')
  })
})
