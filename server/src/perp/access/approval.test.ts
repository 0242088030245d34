import { encodeFunctionData, erc20Abi, type Hex, maxUint256, serializeTransaction } from 'viem'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { contractRead } from '../../chain/read.ts'
import { type AccessVenue, type KeyedUser, namesBlock, startAccessVenue } from '../testing/access-venue.ts'
import { keyOf, type PerpAnswer, signed } from '../testing/key-api.ts'

let venue: AccessVenue
let user: KeyedUser
let stranger: KeyedUser
let usdc: Hex
let gate: Hex
beforeAll(async () => {
  venue = await startAccessVenue()
  ;[user, stranger] = [await venue.user(0), await venue.user(1)]
  gate = venue.chain.contract('Gate').toLowerCase() as Hex
  usdc = (await user.get('market/instruments')).data[0].quote.address
})
afterAll(() => venue?.stop())

const failure = ({ status, code, reason }: PerpAnswer) => [status, code, reason]
const allowance = (of: KeyedUser) =>
  venue.chain.read(contractRead({ address: usdc, abi: erc20Abi }, 'allowance', of.address, gate))
const prepare = (body: Readonly<Record<string, unknown>>) => user.post('approve/prepare', body)
const submit = (signedTransaction: unknown, by = user) => by.post('approve/submit', { signedTransaction })

describe('an approval', () => {
  it('is built for Gate without limit, signed by the wallet, sent, and answers the same hash again', async () => {
    const answer = await prepare({ quote: 'USDC' })
    const { status, data } = answer
    expect(status).toBe(200)
    expect(await namesBlock(venue.chain, answer)).toBe(true)
    expect(data).toMatchObject({ spender: gate, allowance: '0' })
    expect(data.transaction).toMatchObject({ chainId: 31_337, from: user.address, to: usdc, value: '0' })
    const raw = await user.sign(data.transaction)
    expect(await allowance(user)).toBe(0n)
    const answers = await Promise.all([submit(raw), submit(raw), submit(raw)])
    const [first] = answers
    expect(first?.data.txHash).toMatch(/^0x[0-9a-f]{64}$/)
    expect(answers.map((answer) => answer.data)).toEqual(answers.map(() => first?.data))
    expect(await user.mined(first?.data.txHash)).toBe('success')
    expect(await allowance(user)).toBe(maxUint256)
    expect((await submit(raw)).data).toEqual(first?.data)
    expect((await prepare({ quote: usdc })).data.allowance).toBe(String(maxUint256))
  })

  it('is for as much as is asked, and for nothing where that is asked', async () => {
    for (const [amount, raw, wad] of [
      ['2500.5', 2_500_500_000n, '2500500000000000000000'],
      [0, 0n, '0'],
    ] as const) {
      const { data } = await prepare({ quote: usdc.toUpperCase().replace('0X', '0x'), amount })
      const { txHash } = (await submit(await user.sign(data.transaction))).data
      expect(await user.mined(txHash)).toBe('success')
      expect(await allowance(user)).toBe(raw)
      expect((await prepare({ quote: 'USDC' })).data.allowance).toBe(wad)
    }
  })

  it.each([
    ['another quote', { quote: 'EUR' }, 'quote_unknown', /there is no quote EUR; there is USDC/],
    ['another address', { quote: `0x${'1'.repeat(40)}` }, 'quote_unknown', /there is USDC/],
    ['more decimals than the token has', { quote: 'USDC', amount: '1.0000001' }, 'amount_invalid', /6 decimals/],
    ['a negative amount', { quote: 'USDC', amount: '-1' }, 'amount_invalid', /negative/],
    ['words for an amount', { quote: 'USDC', amount: 'all' }, 'amount_invalid', /plain decimal/],
    ['no quote', {}, 'request_invalid', /quote is required/],
    ['another spender', { quote: 'USDC', spender: `0x${'2'.repeat(40)}` }, 'request_invalid', /unknown field spender/],
  ])('is not built for %s', async (_, body, reason, message) => {
    const refused = await prepare(body)
    expect(failure(refused)).toEqual([400, 40001, reason])
    expect(refused.msg).toMatch(message)
  })

  const approve = (spender: Hex, amount = 1n) =>
    encodeFunctionData({ abi: erc20Abi, functionName: 'approve', args: [spender, amount] })
  const transaction = (over: Partial<Record<'to' | 'data' | 'value', string>> = {}, chainId = 31_337) =>
    ({ chainId, to: usdc, value: '0', data: approve(gate), gas: '100000', ...over }) as Parameters<KeyedUser['sign']>[0]
  const unsignedOf = (over: Record<string, unknown>) => {
    const fields = { to: usdc, data: approve(gate), gas: 100_000n, nonce: 0, maxFeePerGas: 10n ** 10n }
    return { type: 'eip1559' as const, chainId: 31_337, ...fields, ...over }
  }

  it.each([
    ['of another wallet', () => user.sign(transaction(), stranger.account), /must be signed by 0x.* it is by 0x/],
    ['for another chain', () => user.sign(transaction({}, 1)), /must be for chain 31337, and is for 1/],
    [
      'for any chain',
      () =>
        user.account.signTransaction({ type: 'legacy', to: usdc, data: approve(gate), gas: 100_000n, gasPrice: 1n }),
      /is for any/,
    ],
    [
      'to another contract',
      () => user.sign(transaction({ to: gate })),
      /target must be a quote token of this venue, USDC/,
    ],
    ['of a transfer', () => user.sign(transaction({ data: call('transfer') })), /must call approve\(address,uint256\)/],
    ['of nothing', () => user.sign(transaction({ data: '0x' })), /calls no contract/],
    ['for another spender', () => user.sign(transaction({ data: approve(stranger.address) })), /must approve Gate/],
    ['with more behind it', () => user.sign(transaction({ data: `${approve(gate)}00` })), /and nothing else/],
    ['cut short', () => user.sign(transaction({ data: approve(gate).slice(0, -2) })), /and nothing else/],
    ['with native coin', () => user.sign(transaction({ value: '1' })), /takes no native coin/],
    [
      'that delegates the account',
      async () => {
        const authorization = await user.account.signAuthorization({ address: gate, chainId: 31_337, nonce: 1 })
        return user.account.signTransaction({ ...unsignedOf({}), type: 'eip7702', authorizationList: [authorization] })
      },
      /of the type eip7702/,
    ],
    ['without a signature', async () => unsigned(), /no valid signature|no signed transaction/],
    ['of random bytes', async () => '0x1234' as Hex, /no signed transaction/],
  ])('is not sent %s', async (_, raw, message) => {
    const before = [await allowance(user), await allowance(stranger)]
    const refused = await submit(await raw())
    expect(failure(refused)).toEqual([400, 40001, 'signed_transaction_invalid'])
    expect(refused.msg).toMatch(message)
    expect([await allowance(user), await allowance(stranger)]).toEqual(before)
  })

  function call(functionName: 'transfer'): Hex {
    return encodeFunctionData({ abi: erc20Abi, functionName, args: [gate, 1n] })
  }

  function unsigned(): Hex {
    return serializeTransaction(unsignedOf({}))
  }

  it('is not sent where its nonce is taken by another, and says so', async () => {
    const first = await user.sign(transaction({ data: approve(gate, 5n) }))
    const { txHash } = (await submit(first)).data
    expect(await user.mined(txHash)).toBe('success')
    const count = Number(await venue.chain.rpc.call<Hex>('eth_getTransactionCount', [user.address, 'latest']))
    const second = await user.sign(transaction({ data: approve(gate, 6n) }), user.account, { nonce: count - 1 })
    const refused = await submit(second)
    expect(failure(refused)).toEqual([400, 40001, 'transaction_refused'])
    expect(refused.msg).toMatch(/nonce/)
    expect(await allowance(user)).toBe(5n)
  })

  it('is neither built nor sent by a key that may only read', async () => {
    const reader = await keyOf(venue.api, user.account, { permissions: ['read'] })
    const raw = await user.sign(transaction({ data: approve(gate, 7n) }))
    for (const [path, body] of [
      ['approve/prepare', { quote: 'USDC' }],
      ['approve/submit', { signedTransaction: raw }],
    ] as const) {
      expect(failure(await signed(venue.api, reader, 'POST', path, body))).toEqual([403, 40301, 'permission_missing'])
    }
    expect(await allowance(user)).toBe(5n)
  })
})
