import { erc20Abi, type Hex, maxUint256 } from 'viem'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { gateAbi } from '../../chain/abi/gate.ts'
import type { DevelopmentAccount } from '../../chain/embedded/accounts.ts'
import { contractRead } from '../../chain/read.ts'
import { sleep } from '../../lib/clock.ts'
import { type AccessVenue, type KeyedUser, namesBlock, startAccessVenue } from '../testing/access-venue.ts'
import { keyOf, type PerpAnswer, signed } from '../testing/key-api.ts'

/** Code of a contract. */
const REVERTS_WITHOUT_A_WORD: Hex = '0x5f5ffd'
const UNIT = 10n ** 6n

let venue: AccessVenue
/** Has approved Gate and enabled One Click. */
let user: KeyedUser
/** Has done neither. */
let newcomer: KeyedUser
let usdc: Hex
let gate: Hex
beforeAll(async () => {
  venue = await startAccessVenue()
  ;[user, newcomer] = [await venue.user(0), await venue.user(1)]
  gate = venue.chain.contract('Gate')
  usdc = (await user.get('market/instruments')).data[0].quote.address
  const from = venue.chain.accounts.users[0] as DevelopmentAccount
  expect(await venue.chain.send(from, usdc, erc20Abi, 'approve', [gate, maxUint256])).toBe('success')
  await user.enable()
})
afterAll(() => venue?.stop())

const failure = ({ status, code, reason }: PerpAnswer) => [status, code, reason]
const reserve = (of: KeyedUser) =>
  venue.chain.read(contractRead({ address: gate, abi: gateAbi }, 'reserveOf', usdc, of.address))
const held = (of: KeyedUser) =>
  venue.chain.read(contractRead({ address: usdc, abi: erc20Abi }, 'balanceOf', of.address))
const sends = async () => Number((await venue.database.sql`select count(*) as n from tx_intents`)[0]?.n)

/** Once it is mined. */
async function newestSend(): Promise<{ readonly txHash: Hex; readonly attempts: readonly Hex[] }> {
  for (;;) {
    const [row] = await venue.database.sql<{ txHash: Hex | null; attempts: Hex[] }[]>`
      select i.tx_hash as "txHash", array(select a.hash from tx_attempts a where a.intent_id = i.id) as attempts
      from tx_intents i order by i.id desc limit 1`
    if (row?.txHash) return { txHash: row.txHash, attempts: row.attempts }
    await sleep(20)
  }
}

describe('money by One Click', () => {
  it('goes to the reserve and back to the wallet, to the last unit', async () => {
    const before = await held(user)
    const deposited = await user.post('account/deposit', { quote: 'USDC', amount: '123.456789' })
    expect([deposited.status, deposited.code]).toEqual([200, 0])
    expect(await user.mined(deposited.data.txHash)).toBe('success')
    expect([await reserve(user), await held(user)]).toEqual([123_456_789n, before - 123_456_789n])
    const withdrawn = await user.post('account/withdraw', { quote: usdc, amount: 23.456789 })
    expect(await user.mined(withdrawn.data.txHash)).toBe('success')
    expect([await reserve(user), await held(user)]).toEqual([100n * UNIT, before - 100n * UNIT])
    expect((await user.get('account/wallet-balance')).data.portfolios[0].balance).toBe(`100${'0'.repeat(18)}`)
  })

  it('moves once however often it is asked for under one Idempotency-Key', async () => {
    const [before, stored] = [await reserve(user), await sends()]
    const header = { 'Idempotency-Key': 'deposit-1' }
    const body = { quote: 'USDC', amount: '7' }
    const answers = await Promise.all(Array.from({ length: 20 }, () => user.post('account/deposit', body, header)))
    expect(new Set(answers.map(({ status }) => status))).toEqual(new Set([200]))
    expect(await sends()).toBe(stored + 1)
    const { txHash, attempts } = await newestSend()
    expect(new Set(answers.map(({ data }) => data.sendId)).size).toBe(1)
    // On a machine under load some are answered before it is signed, and its fee may be raised while others wait.
    expect(attempts).toEqual(expect.arrayContaining(answers.flatMap(({ data }) => data.txHash ?? [])))
    expect(await user.mined(txHash)).toBe('success')
    expect(await reserve(user)).toBe(before + 7n * UNIT)
    const again = await user.post('account/deposit', body, header)
    expect([again.data.txHash, again.headers.get('idempotent-replayed')]).toEqual([txHash, 'true'])
    const other = await user.post('account/deposit', { ...body, amount: '8' }, header)
    expect(failure(other)).toEqual([400, 42201, 'idempotency_key_reused'])
    expect(await sends()).toBe(stored + 1)
  })

  it.each([
    [
      'a wallet that has not enabled it',
      () => newcomer.post('account/deposit', { quote: 'USDC', amount: '1' }),
      403,
      40302,
      'delegation_not_enabled',
      /1ct\/enable/,
    ],
    [
      'more than the reserve',
      () => user.post('account/withdraw', { quote: 'USDC', amount: '5000' }),
      400,
      40003,
      'would_revert',
      /InsufficientReserve/,
    ],
    [
      'more than the wallet',
      () => user.post('account/deposit', { quote: 'USDC', amount: '99999999' }),
      400,
      40003,
      'would_revert',
      /Insufficient/,
    ],
    [
      'too many decimals',
      () => user.post('account/deposit', { quote: 'USDC', amount: '1.0000001' }),
      400,
      40001,
      'amount_invalid',
      /6 decimals/,
    ],
    [
      'nothing',
      () => user.post('account/deposit', { quote: 'USDC', amount: '0' }),
      400,
      40001,
      'amount_invalid',
      /greater than zero/,
    ],
    [
      'an exponent',
      () => user.post('account/withdraw', { quote: 'USDC', amount: '1e3' }),
      400,
      40001,
      'amount_invalid',
      /exponent/,
    ],
    [
      'an unknown quote',
      () => user.post('account/deposit', { quote: 'DAI', amount: '1' }),
      400,
      40001,
      'quote_unknown',
      /there is USDC/,
    ],
    [
      'another wallet',
      () => user.post('account/withdraw', { quote: 'USDC', amount: '1', to: newcomer.address }),
      400,
      40001,
      'request_invalid',
      /unknown field to/,
    ],
    [
      'too little gas',
      () => user.post('account/deposit', { quote: 'USDC', amount: '1', gasLimit: 30_000 }),
      400,
      40001,
      'gas_limit_too_low',
      /within gasLimit 30000: it needs \d{6} gas now, send \d{6}, or none/,
    ],
  ])('is refused for %s, with nothing stored', async (_, ask, status, code, reason, message) => {
    const before = [await sends(), await reserve(user), await reserve(newcomer)]
    const refused = await ask()
    expect(failure(refused)).toEqual([status, code, reason])
    expect(refused.msg).toMatch(message)
    expect([await sends(), await reserve(user), await reserve(newcomer)]).toEqual(before)
  })

  it('is not told that it lacks gas where it reverts without a word for another reason', async () => {
    const router = venue.chain.contract('RelayRouter')
    const code = await venue.chain.rpc.call<Hex>('eth_getCode', [router, 'latest'])
    await venue.chain.rpc.call('anvil_setCode', [router, REVERTS_WITHOUT_A_WORD])
    const body = { quote: 'USDC', amount: '1', gasLimit: 5_000_000 }
    const refused = await user.post('account/withdraw', body).finally(async () => {
      await venue.chain.rpc.call('anvil_setCode', [router, code])
    })
    expect(failure(refused)).toEqual([400, 40003, 'would_revert'])
  })

  it('is refused to a key that may only read', async () => {
    const reader = await keyOf(venue.api, user.account, { permissions: ['read'] })
    const before = await sends()
    for (const path of ['account/deposit', 'account/withdraw']) {
      const refused = await signed(venue.api, reader, 'POST', path, { quote: 'USDC', amount: '1' })
      expect(failure(refused)).toEqual([403, 40301, 'permission_missing'])
    }
    expect(await sends()).toBe(before)
  })

  it('says that the approval is missing', async () => {
    const third = await venue.user(2)
    await third.enable()
    const refused = await third.post('account/deposit', { quote: 'USDC', amount: '1' })
    expect(failure(refused)).toEqual([400, 40004, 'allowance_too_low'])
    expect(refused.msg).toContain(gate.toLowerCase())
  })
})

describe('money by the wallet itself', () => {
  it('is built, signed and submitted, without One Click', async () => {
    const approval = (await newcomer.post('approve/prepare', { quote: 'USDC' })).data.transaction
    const approved = await newcomer.post('approve/submit', { signedTransaction: await newcomer.sign(approval) })
    expect(await newcomer.mined(approved.data.txHash)).toBe('success')
    for (const [path, amount, left] of [
      ['account/deposit', '50.5', 50_500_000n],
      ['account/withdraw', '50', 500_000n],
    ] as const) {
      const answer = await newcomer.post(path, { quote: 'USDC', amount, build: true })
      const { status, data } = answer
      expect(status).toBe(200)
      expect(await namesBlock(venue.chain, answer)).toBe(true)
      expect(data.transaction).toMatchObject({ from: newcomer.address, to: gate.toLowerCase(), value: '0' })
      const submitted = await newcomer.post('order/submit', {
        signedTransaction: await newcomer.sign(data.transaction),
      })
      expect(await newcomer.mined(submitted.data.txHash)).toBe('success')
      expect(await reserve(newcomer)).toBe(left)
    }
    expect((await newcomer.get('1ct/status')).data.status).toBe('disabled')
  })

  it('is not built where it would revert', async () => {
    const refused = await newcomer.post('account/withdraw', { quote: 'USDC', amount: '0.500001', build: true })
    expect(failure(refused)).toEqual([400, 40003, 'would_revert'])
    expect(refused.msg).toMatch(/InsufficientReserve .*requested 500001, reserve 500000/)
  })
})
