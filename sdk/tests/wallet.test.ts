import { createWalletClient, custom, decodeFunctionData, erc20Abi } from 'viem'
import { privateKeyToAccount } from 'viem/accounts'
import { parseSiweMessage } from 'viem/siwe'
import { describe, expect, it } from 'vitest'
import { createClient as createPerpClient } from '../src/perp/index.ts'
import { createClient } from '../src/stock/index.ts'
import { approve } from '../src/wallet/approval.ts'
import { createPerpKey } from '../src/wallet/perp-key.ts'
import { signIn } from '../src/wallet/sign-in.ts'
import { Replaced, Reverted, sendBuilt, TransactionRefused, waitMined } from '../src/wallet/wallet.ts'
import { fakeClock, hostile, stockAnswer } from './hostile.ts'

const NOW = 1_700_000_000_000
const account = privateKeyToAccount(`0x${'1'.repeat(64)}`)
const router = '0x5FbDB2315678afecb367f032d93F642f64180aa3'
const token = `0x${'bb'.repeat(20)}`
const hash = `0x${'cc'.repeat(32)}`

interface Call {
  readonly method: string
  readonly params?: readonly unknown[]
}

/** A wallet of a browser, of which every request is kept. */
function wallet({ chainId = 7, status = '0x1' } = {}) {
  const calls: Call[] = []
  const answers: Record<string, unknown> = {
    eth_chainId: `0x${chainId.toString(16)}`,
    eth_estimateGas: '0x64',
    eth_sendTransaction: hash,
    eth_blockNumber: '0x1',
    eth_getTransactionReceipt: { transactionHash: hash, status, blockNumber: '0x1', logs: [] },
    personal_sign: `0x${'11'.repeat(65)}`,
  }
  const request = async (call: Call) => {
    calls.push(call)
    const answer = answers[call.method] ?? null
    if (answer instanceof Error) throw answer
    return answer
  }
  const client = createWalletClient({ account: account.address, transport: custom({ request }), pollingInterval: 1 })
  return { client, answers, sent: () => calls.filter(({ method }) => method === 'eth_sendTransaction'), calls }
}

const other = `0x${'dd'.repeat(32)}` as const

/** A wallet whose user has put another transaction in the place of `hash`, which is mined and succeeded. */
function replaced(change: object) {
  const sent = { hash, from: account.address.toLowerCase(), to: router, value: '0x0', input: '0x1234', nonce: '0x5' }
  const answers: Record<string, (params: readonly unknown[]) => unknown> = {
    eth_blockNumber: () => '0x1',
    eth_getTransactionByHash: () => sent,
    eth_getBlockByNumber: () => ({ number: '0x1', transactions: [{ ...sent, hash: other, ...change }] }),
    eth_getTransactionReceipt: ([of]) =>
      of === other ? { transactionHash: other, status: '0x1', blockNumber: '0x1', logs: [] } : null,
  }
  const request = async ({ method, params = [] }: Call) => answers[method]?.(params) ?? null
  return createWalletClient({ account: account.address, transport: custom({ request }), pollingInterval: 1 })
}

describe('a transaction whose place another one takes', () => {
  it.each([
    ['cancelled', { to: account.address.toLowerCase(), input: '0x' }],
    ['replaced by another call', { input: '0x5678' }],
  ])('is not told as done when it was %s', async (_, change) => {
    const error = await waitMined(replaced(change), hash as `0x${string}`).then(
      () => null,
      (thrown) => thrown,
    )
    expect(error).toBeInstanceOf(Replaced)
    expect(error).toMatchObject({ hash, by: other })
    expect(error.message).toContain('did not happen')
  })

  it('is done when it is the same for another fee', async () => {
    expect(await waitMined(replaced({ gasPrice: '0x9' }), hash as `0x${string}`)).toBe(other)
  })
})

describe('a transaction that is waited for', () => {
  const RECEIPT = { transactionHash: hash, status: '0x1', blockNumber: '0x1', logs: [] }
  const SENT = { hash, from: account.address.toLowerCase(), to: router, value: '0x0', input: '0x', nonce: '0x5' }

  /** A wallet whose node fails at the first requests of a method, and says then that it is mined. */
  function failing(method: string, code: number, times: number) {
    let [left, asked] = [times, 0]
    const answers: Record<string, () => unknown> = {
      eth_blockNumber: () => '0x1',
      eth_getTransactionByHash: () => SENT,
      // Not mined yet at first sight.
      eth_getTransactionReceipt: () => (asked === 1 ? null : RECEIPT),
      eth_getBlockByNumber: () => ({ number: '0x1', transactions: [SENT] }),
    }
    const request = async (call: Call) => {
      if (call.method === 'eth_getTransactionReceipt') asked += 1
      if (call.method === method && left > 0 && asked > 1) {
        left -= 1
        throw Object.assign(new Error('Request exceeds defined limit.'), { code })
      }
      return answers[call.method]?.() ?? null
    }
    const client = createWalletClient({ account: account.address, transport: custom({ request }), pollingInterval: 1 })
    return { client, left: () => left }
  }

  it.each([
    ['eth_getTransactionReceipt', -32_005],
    ['eth_getTransactionReceipt', -32_603],
    ['eth_getTransactionReceipt', 4100],
  ])('is asked for again where the node fails at %s with %i', async (method, code) => {
    const { client, left } = failing(method, code, 5)
    expect(await waitMined(client, hash as `0x${string}`)).toBe(hash)
    expect(left()).toBe(0)
  })

  it('is asked for once at a time while the node does not answer, however many blocks there are', async () => {
    let [block, most, under] = [0, 0, 0]
    let isDown = true
    const request = async ({ method }: Call) => {
      if (method === 'eth_getTransactionByHash') return SENT
      if (method === 'eth_blockNumber') return `0x${(++block).toString(16)}`
      // Not mined yet at first sight.
      if (method !== 'eth_getTransactionReceipt' || block === 0) return null
      under += 1
      most = Math.max(most, under)
      await new Promise((resolve) => setTimeout(resolve, 3))
      under -= 1
      if (block > 20) isDown = false
      if (isDown) throw Object.assign(new Error('busy'), { code: -32_603 })
      return RECEIPT
    }
    const client = createWalletClient({ account: account.address, transport: custom({ request }), pollingInterval: 1 })
    expect(await waitMined(client, hash as `0x${string}`)).toBe(hash)
    expect([most, block > 20]).toEqual([1, true])
  })
})

const built = (change = {}) => ({
  chainId: 7,
  toAddress: router,
  value: '0',
  callData: '0x1234',
  method: 'deposit',
  ...change,
})

describe('what the venue built', () => {
  it('is sent as it is, to a contract that is listed', async () => {
    const { client, sent } = wallet()
    expect(await sendBuilt(client, built(), { allowed: [router.toLowerCase()] })).toBe(hash)
    expect(sent()[0]?.params?.[0]).toMatchObject({ to: router, data: '0x1234', from: account.address })
  })

  it('has the gas limit that the venue gives, else twice what the node estimates', async () => {
    const { client, sent } = wallet()
    const perp = { chainId: 7, from: account.address, to: router, value: '0', data: '0x1234', gas: '777' }
    await sendBuilt(client, built(), { allowed: [router] })
    await sendBuilt(client, { transaction: perp }, { allowed: [router] })
    const limits = sent().map(({ params }) => (params as [{ gas: string }])[0].gas)
    expect(limits.map(Number)).toEqual([200, 777])
  })

  it('names its chain: the wallet may go to another one while it asks its user', async () => {
    const { client, sent } = wallet()
    await sendBuilt(client, built(), { allowed: [router] })
    await approve(client, { chainId: 7, token, spender: router, amount: 1n })
    expect(sent().map(({ params }) => (params as [object])[0])).toMatchObject([{ chainId: '0x7' }, { chainId: '0x7' }])
  })

  it.each([-32_000, -32_601, -32_602, -32_603, -32_004, 4001])(
    'is asked for once where the wallet answers with %i, and that answer is told',
    async (code) => {
      const { client, answers, calls } = wallet()
      answers.eth_sendTransaction = Object.assign(new Error('it is known already'), { code })
      answers.wallet_sendTransaction = hash
      await expect(sendBuilt(client, built(), { allowed: [router] })).rejects.toMatchObject({
        cause: { code },
        message: expect.stringContaining('it is known already'),
      })
      const asked = calls.filter(({ method }) => /send/i.test(method)).map(({ method }) => method)
      expect(asked).toEqual(['eth_sendTransaction'])
    },
  )

  it.each([
    ['for another chain', built({ chainId: 8 }), [router]],
    ['to another contract', built(), [token]],
    ['to any contract where none is listed', built(), []],
    [
      'from another wallet',
      { transaction: { chainId: 7, from: token, to: router, value: '0', data: '0x', gas: '1' } },
      [router],
    ],
  ])('is not signed %s', async (_, one, allowed) => {
    const { client, sent } = wallet()
    await expect(sendBuilt(client, one, { allowed })).rejects.toThrow(TransactionRefused)
    expect(sent()).toEqual([])
  })
})

describe('an approval', () => {
  it('is of the exact amount, and waited for', async () => {
    const { client, sent } = wallet()
    expect(await approve(client, { chainId: 7, token, spender: router, amount: 25n })).toBe(hash)
    const [first] = sent() as unknown as { params: [{ to: string; data: `0x${string}` }] }[]
    if (!first) throw new Error('nothing was sent')
    const [{ to, data }] = first.params
    expect(to).toBe(token)
    const { functionName, args } = decodeFunctionData({ abi: erc20Abi, data })
    expect([functionName, String(args?.[0]).toLowerCase(), args?.[1]]).toEqual(['approve', router.toLowerCase(), 25n])
  })

  it('is not signed on another chain, where whoever has the same address would get the tokens', async () => {
    const { client, sent } = wallet({ chainId: 8 })
    const approval = approve(client, { chainId: 7, token, spender: router, amount: 25n })
    await expect(approval).rejects.toThrow(TransactionRefused)
    expect(sent()).toEqual([])
  })

  describe('of a token that takes no other amount over one that stands', () => {
    /** Its node finds that what is asked for would revert; `allowed` stands. */
    function strict(allowed: bigint) {
      const one = wallet()
      one.answers.eth_estimateGas = Object.assign(new Error('execution reverted'), { code: 3 })
      one.answers.eth_call = `0x${allowed.toString(16).padStart(64, '0')}`
      return one
    }
    const amountsOf = (one: ReturnType<typeof wallet>) =>
      one.sent().map(({ params }) => {
        const [{ data }] = params as [{ data: `0x${string}` }]
        return decodeFunctionData({ abi: erc20Abi, data }).args?.[1]
      })
    const approval = { chainId: 7, token, spender: router, amount: 25n }

    it('takes that one back first', async () => {
      const one = strict(10n)
      await approve(one.client, approval)
      expect(amountsOf(one)).toEqual([0n, 25n])
    })

    it('is sent as it is where none stands, and where none is wanted', async () => {
      const [none, back] = [strict(0n), strict(10n)]
      await approve(none.client, approval)
      await approve(back.client, { ...approval, amount: 0n })
      expect([amountsOf(none), amountsOf(back)]).toEqual([[25n], [0n]])
    })

    it('costs another token no further signature', async () => {
      const one = strict(10n)
      one.answers.eth_estimateGas = '0x64'
      await approve(one.client, approval)
      expect(amountsOf(one)).toEqual([25n])
    })
  })

  it('that reverts is told', async () => {
    const { client } = wallet({ status: '0x0' })
    await expect(approve(client, { chainId: 7, token, spender: router, amount: 1n })).rejects.toThrow(Reverted)
    await expect(waitMined(client, hash as `0x${string}`)).rejects.toMatchObject({ hash })
  })
})

describe('signing in', () => {
  const opened = {
    apiKey: 'k',
    apiSecret: 'the secret',
    userAddress: '0x',
    access: 'WRITABLE',
    createdAt: 1,
    expiresAt: 2,
  }

  it('signs a message of the venue’s own origin, by its clock, and keeps no secret', async () => {
    const { transport, got } = hostile(() => stockAnswer(opened))
    const { clock } = fakeClock(NOW)
    const client = createClient({
      baseUrl: 'https://venue.example/stock',
      chainId: 7,
      productType: 'B',
      transport,
      clock,
    })
    const session = await signIn(client, account, { seconds: 60 })
    const { message } = JSON.parse(got[0]?.body ?? '{}')
    expect(parseSiweMessage(message)).toMatchObject({
      domain: 'venue.example',
      uri: 'https://venue.example',
      address: account.address,
      chainId: 7,
      issuedAt: new Date(NOW),
      expirationTime: new Date(NOW + 60_000),
    })
    expect([session.signer.apiKey, session.signer.key.extractable, session.expiresAt]).toEqual(['k', false, 2])
    expect(JSON.stringify(session)).not.toContain('the secret')
    expect(got[0]?.headers['x-api-key']).toBeUndefined()
  })

  it('of perpetuals signs the text of its API', async () => {
    const data = { apiKey: 'k', apiSecret: 'the secret' }
    const { transport, got } = hostile(() => new Response(JSON.stringify({ code: 0, msg: '', data, requestId: 'r' })))
    const { clock } = fakeClock(NOW)
    const client = createPerpClient({ baseUrl: 'https://venue.example', chainId: 7, transport, clock })
    const { client: inPage, calls } = wallet()
    const key = await createPerpKey(client, inPage, { label: 'web' })
    const { nonce, address, label } = JSON.parse(got[0]?.body ?? '{}')
    const text = Buffer.from(String(calls[0]?.params?.[0]).slice(2), 'hex').toString()
    expect(text).toBe(
      [
        'Chain ID: 7',
        `Wallet Address: ${account.address.toLowerCase()}`,
        `Nonce: ${nonce}`,
        `Timestamp: ${NOW}`,
        'Sign this message to authenticate with Bourse API.',
      ].join('\n'),
    )
    expect([address, label, key.apiKey, key.key.extractable]).toEqual([
      account.address.toLowerCase(),
      'web',
      'k',
      false,
    ])
  })
})
