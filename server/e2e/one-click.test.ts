import postgres from 'postgres'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { oneClickRouterAbi } from '../src/chain/abi/one-click-router.ts'
import { sleep } from '../src/lib/clock.ts'
import { type Answer, type ApiKey, eventually } from './client.ts'
import { OneClickUser, type Sent } from './one-click-user.ts'
import { startVenue, type Venue } from './venue.ts'
import { Wallet } from './wallet.ts'

type Hex = `0x${string}`

const FAR_FUTURE = 4_000_000_000
const CONFLICT = 10_002
const INVALID = 10_000

let venue: Venue
let user: OneClickUser
let unbound: ApiKey
let sql: postgres.Sql
beforeAll(async () => {
  venue = await startVenue()
  sql = postgres(venue.databaseUrl, { max: 1, onnotice: () => {} })
  user = await OneClickUser.create(venue, 0)
  unbound = await venue.createKey({ access: 'WRITABLE' })
  await user.trader.fund(100_000n)
})
afterAll(async () => {
  await sql?.end()
  await venue?.stop()
})

/** Everything that a send may store. */
async function stored(): Promise<unknown> {
  const [row] = await sql`select
    (select jsonb_agg(c order by claim_id) from stock_claims c) as claims,
    (select jsonb_agg(s order by intent_id) from submissions s) as submissions,
    (select count(*)::int from tx_intents where purpose = 'submit') as intents,
    (select jsonb_agg(r order by idempotency_key) from idempotency_records r) as records`
  return row
}

/** Expects this failure, and that nothing was stored. */
async function refused(send: () => Promise<Answer>, code: number, reason: string, message: RegExp): Promise<void> {
  const before = await stored()
  const answer = await send()
  expect([answer.body.code, answer.headers.get('x-error-reason'), answer.body.errMsg]).toEqual([
    code,
    reason,
    expect.stringMatching(message),
  ])
  expect(answer.status).toBe(code === 500 ? 503 : 400)
  expect(await stored()).toEqual(before)
}

const deposit = (amount = '10') => ({ tokenAddress: user.trader.contract('USDC'), tokenAmount: amount })
const marketBuy = (notional: string) => ({
  stockAddress: user.trader.contract('aAAPL'),
  side: 'Buy',
  type: 'Market',
  notional,
  deadline: FAR_FUTURE,
})
const limitOrder = (side: 'Buy' | 'Sell', quantity: string, price: string) => ({
  stockAddress: user.trader.contract('aAAPL'),
  side,
  type: 'Limit',
  quantity,
  price,
  timeInForce: 'DAY',
  deadline: FAR_FUTURE,
})

describe('before One Click is enabled', () => {
  it('the status is disabled, and a payload is prepared without changing anything', async () => {
    const before = await stored()
    const router = user.trader.contract('OneClickRouter')
    const pool = user.trader.contract('OperatorPool')
    expect(await user.status()).toMatchObject({ status: 'disabled', delegatee: pool, delegatedTo: null, nonce: 0 })
    expect(await user.prepare(FAR_FUTURE)).toEqual({
      delegatee: pool,
      nonce: 0,
      deadline: FAR_FUTURE,
      signPayload: {
        domain: { name: 'OneClickRouter', version: '1', chainId: 31_337, verifyingContract: router },
        primaryType: 'Delegate',
        types: {
          Delegate: [
            { name: 'user', type: 'address' },
            { name: 'delegatee', type: 'address' },
            { name: 'nonce', type: 'uint64' },
            { name: 'deadline', type: 'uint32' },
          ],
        },
        message: { user: user.trader.address.toLowerCase(), delegatee: pool, nonce: 0, deadline: FAR_FUTURE },
      },
    })
    expect(await stored()).toEqual(before)
    expect((await user.status()).nonce).toBe(0)
  })

  it('every send is refused', async () => {
    const stock = { tokenAddress: user.trader.contract('aAAPL'), tokenAmount: '1' }
    const sends: Record<string, object> = {
      'orders/send': marketBuy('10'),
      'orders/with-deposit/send': {
        ...marketBuy('10'),
        depositAmount: '100',
        depositTokenAddress: user.trader.contract('USDC'),
      },
      'cash/deposits/send': deposit(),
      'cash/withdrawals/send': deposit(),
      'stock/deposits/send': stock,
      'stock/withdrawals/send': stock,
    }
    for (const [path, body] of Object.entries(sends)) {
      await refused(() => user.post(path, body), CONFLICT, 'delegation_not_enabled', /has not enabled One Click/)
    }
  })

  it('a signature of another wallet is refused, and so is one over other terms', async () => {
    const { signPayload } = await user.prepare(FAR_FUTURE)
    const stranger = new Wallet(venue.rpcUrl, venue.accounts[9]?.privateKey as Hex)
    const enable = (signature: Hex, deadline = FAR_FUTURE) => user.post('1ct/enable', { signature, deadline })
    const wrong = 'delegation_signature_invalid'
    const theirs = await stranger.account.signTypedData?.(signPayload)
    await refused(() => enable(theirs as Hex), INVALID, wrong, /must be one of 0x.*, the bound user/)
    const mine = await user.sign(signPayload)
    await refused(() => enable(mine, FAR_FUTURE - 1), INVALID, wrong, /must be one of/)
    await refused(() => enable('0x1234'), INVALID, wrong, /must be 65 bytes long .*, got 2/)
    const other = await user.sign({ ...signPayload, message: { ...signPayload.message, nonce: 7 } })
    await refused(() => enable(other), INVALID, wrong, /must be one of/)
    expect(await user.status()).toMatchObject({ status: 'disabled', nonce: 0 })
  })

  it('an expired deadline is refused, when preparing and when enabling', async () => {
    const past = Math.floor(Date.now() / 1000) - 1
    const expired = 'delegation_deadline_expired'
    await refused(() => user.post('1ct/prepare', { deadline: past }), INVALID, expired, /must be in the future/)
    await refused(() => user.post('1ct/prepare', { deadline: 2 ** 32 }), INVALID, expired, /at most 4294967295/)
    const { signPayload } = await user.prepare(FAR_FUTURE)
    const signature = await user.sign({ ...signPayload, message: { ...signPayload.message, deadline: past } })
    const enable = () => user.post('1ct/enable', { signature, deadline: past })
    await refused(enable, INVALID, expired, /must be in the future/)
    expect(await user.status()).toMatchObject({ status: 'disabled', nonce: 0 })
  })

  it('a key that is bound to no wallet is refused everywhere', async () => {
    const client = venue.client.as(unbound)
    const calls = [
      () => client.get('/api/v1/1ct/status'),
      () => client.post('/api/v1/1ct/prepare', { deadline: FAR_FUTURE }),
      () => client.post('/api/v1/1ct/enable', { signature: `0x${'11'.repeat(65)}`, deadline: FAR_FUTURE }),
      () => client.post('/api/v1/1ct/disable', {}),
      () => client.post('/api/v1/cash/deposits/send', deposit()),
      () => client.post('/api/v1/orders/send', marketBuy('10')),
    ]
    for (const call of calls) await refused(call, CONFLICT, 'key_not_bound', /bound to no wallet/)
  })

  it('disabling does nothing and says so', async () => {
    expect(await user.disable()).toEqual({ status: 'disabled', txHash: null })
  })
})

describe('with One Click enabled', () => {
  beforeAll(async () => {
    await user.enable()
  })

  it('the status says so, from the router and from the index', async () => {
    const pool = user.trader.contract('OperatorPool')
    const status = await eventually(
      () => user.status(),
      ({ txHash }) => txHash !== null,
    )
    expect(status).toMatchObject({ status: 'enable', delegatee: pool, delegatedTo: pool, nonce: 1 })
    const receipt = await user.trader.wallet.chain.getTransactionReceipt({ hash: status.txHash as Hex })
    expect(receipt.status).toBe('success')
  })

  it('the signature that enabled it does so once', async () => {
    const { signature, deadline } = user.enabledBy
    const again = () => user.post('1ct/enable', { signature, deadline })
    await refused(again, INVALID, 'delegation_signature_invalid', /must be one of/)
  })

  it('deposits cash from the wallet; the operation is recorded for the key, and for no other', async () => {
    const before = await user.trader.wallet.balanceOf(user.trader.contract('USDC'))
    const sent = await user.send('cash/deposits/send', deposit('5000'))
    expect(sent).toMatchObject({ operationType: 'deposit', orderId: null, failure: null })
    const detail = await user.untilCash('deposits', sent)
    expect(detail).toMatchObject({ operationStatus: 'success', mapping: { id: sent.id, status: 'confirmed' } })
    expect(before - (await user.trader.wallet.balanceOf(user.trader.contract('USDC')))).toBe(5_000_000_000n)

    const record = { txHash: detail.txHash }
    expect(await user.data(user.post('cash/deposits/tx', record))).toMatchObject({ id: sent.id, status: 'confirmed' })
    const sibling = venue.client.as(await venue.createKey({ access: 'WRITABLE', user: user.trader.address }))
    const theirs = () => sibling.post('/api/v1/cash/deposits/tx', record)
    await refused(theirs, CONFLICT, 'transaction_of_other_key', /recorded by another API key/)
  })

  it('places a market order that fills', async () => {
    const sent = await user.send('orders/send', { ...marketBuy('2000'), userAddress: user.trader.address })
    expect(sent.operationType).toBe('trade')
    const order = await user.untilOrder(sent, ({ historyOrder }) => historyOrder !== null)
    expect(order.orderStatus).toBe('Filled')
    expect(order.historyOrder?.filledQuantity).toBeGreaterThan(2)
  })

  it('moves stock to the wallet and back', async () => {
    const token = user.trader.contract('aAAPL')
    const move = { tokenAddress: token, tokenAmount: '2' }
    const out = await user.send('stock/withdrawals/send', { ...move, userAddress: user.trader.address })
    await user.untilMined(out)
    expect(await user.trader.wallet.balanceOf(token)).toBe(2n * 10n ** 18n)

    const back = () => user.post('stock/deposits/send', move)
    await refused(back, CONFLICT, 'allowance_too_low', /has not approved the spender 0x.* for 2 aAAPL: approved are 0/)
    await user.trader.wallet.approve(token, user.trader.contract('StockRouter'), 10n ** 18n)
    await refused(back, CONFLICT, 'allowance_too_low', /approved are 1/)
    await user.trader.wallet.approve(token, user.trader.contract('StockRouter'), 2n ** 255n)
    const sent = await user.send('stock/deposits/send', { ...move, tokenAmount: '1' })
    await user.untilMined(sent)
    expect(await user.trader.wallet.balanceOf(token)).toBe(10n ** 18n)
    const { rows } = await user.data<{ rows: { mapping: { id: string } }[] }>(user.get('stock/deposits'))
    expect(rows.map(({ mapping }) => mapping.id)).toEqual([sent.id])
  })

  it('places a limit order, cancels it, and does not cancel twice', async () => {
    const sent = await user.send('orders/send', { ...limitOrder('Buy', '1', '1'), clientOrderId: 'my-limit-1' })
    const { orderId } = await user.untilOrder(sent, ({ openOrder }) => openOrder !== null)
    const path = `/api/v1/orders/${orderId}/send`
    const withBody = () => user.client.send('DELETE', path, '{"gasLimit":500000}')
    await refused(withBody, INVALID, 'request_invalid', /DELETE takes no body/)
    const cancel = await user.cancel(orderId, '?gasLimit=600000')
    expect(cancel.operationType).toBe('trade')
    const { txHash } = await user.untilMined(cancel)
    expect((await user.trader.wallet.chain.getTransaction({ hash: txHash as Hex })).gas).toBe(600_000n)
    const order = await user.untilOrder(sent, ({ historyOrder }) => historyOrder !== null)
    expect(order).toMatchObject({ orderStatus: 'Canceled', historyOrder: { cancelTxHash: txHash } })
    const again = () => user.client.send('DELETE', path)
    await refused(again, CONFLICT, 'order_not_open', /no longer open/)
  })

  it('finds an order by the client’s own id, which is taken once', async () => {
    const list = await user.data<{ total: number; rows: { mapping: object }[] }>(
      user.get('orders?clientOrderId=my-limit-1'),
    )
    expect(list).toMatchObject({ total: 1, rows: [{ mapping: { clientOrderId: 'my-limit-1' } }] })
    expect(await user.data(user.get('orders?clientOrderId=other'))).toMatchObject({ total: 0, rows: [] })
    const again = () => user.post('orders/send', { ...limitOrder('Buy', '2', '1'), clientOrderId: 'my-limit-1' })
    await refused(again, CONFLICT, 'client_order_id_taken', /my-limit-1 already/)
  })

  it('deposits and buys in one transaction', async () => {
    const body = { ...limitOrder('Buy', '1', '1'), depositTokenAddress: deposit().tokenAddress, depositAmount: '200' }
    const sent = await user.send('orders/with-deposit/send', body)
    const order = await user.untilOrder(sent, ({ openOrder }) => openOrder !== null)
    expect(order.orderId).not.toBeNull()
    const { rows } = await user.data<{ rows: { depositOperation: { amount: number } }[] }>(user.get('cash/deposits'))
    expect(rows[0]?.depositOperation.amount).toBe(200)
  })

  it('deposits stock and sells it in one transaction', async () => {
    const body = { ...limitOrder('Sell', '1', '100000'), depositAmount: '1' }
    const sent = await user.send('orders/with-deposit/send', body)
    await user.untilOrder(sent, ({ openOrder }) => openOrder !== null)
    expect(await user.trader.wallet.balanceOf(user.trader.contract('aAAPL'))).toBe(0n)
  })

  it('withdraws cash to the wallet of the user, and to no other', async () => {
    const before = await user.trader.wallet.balanceOf(user.trader.contract('USDC'))
    const sent = await user.send('cash/withdrawals/send', deposit('100'))
    await user.untilCash('withdrawals', sent)
    const received = (await user.trader.wallet.balanceOf(user.trader.contract('USDC'))) - before
    expect(received).toBe(99_790_000n)
    const other = { ...deposit('1'), userAddress: venue.accounts[1]?.address }
    const steal = () => user.post('cash/withdrawals/send', other)
    await refused(steal, CONFLICT, 'user_not_bound', /userAddress must be 0x/)
    const named = () => user.post('cash/deposits/send', { ...deposit(), userAddress: user.trader.address })
    await refused(named, INVALID, 'request_invalid', /unknown field userAddress/)
  })

  it('a transaction that would revert is named and not stored', async () => {
    const tooMuch = () => user.post('cash/withdrawals/send', deposit('1000000'))
    await refused(tooMuch, 10_002, 'would_revert', /would revert: InsufficientBalanceWad/)
    const tooMany = () =>
      user.post('stock/withdrawals/send', { ...deposit('100000'), tokenAddress: marketBuy('1').stockAddress })
    await refused(tooMany, 10_002, 'would_revert', /would revert: InsufficientStockBalance/)
    const starved = () => user.post('cash/deposits/send', { ...deposit(), gasLimit: 60_000 })
    await refused(starved, INVALID, 'gas_limit_too_low', /does not succeed within gasLimit 60000/)
    const tiny = () => user.post('cash/deposits/send', { ...deposit(), gasLimit: 20_999 })
    await refused(tiny, INVALID, 'request_invalid', /gasLimit must be at least 21000/)
  })

  it('without an allowance a deposit is refused', async () => {
    const usdc = user.trader.contract('USDC')
    await user.trader.wallet.approve(usdc, user.trader.contract('StockRouter'), 0n)
    const body = { ...limitOrder('Buy', '1', '1'), depositTokenAddress: usdc, depositAmount: '200' }
    const low = 'allowance_too_low'
    await refused(() => user.post('cash/deposits/send', deposit()), CONFLICT, low, /has not approved the spender/)
    await refused(() => user.post('orders/with-deposit/send', body), CONFLICT, low, /for 200 USDC: approved are 0/)
    await user.trader.wallet.approve(usdc, user.trader.contract('StockRouter'), 2n ** 255n)
  })
})

describe('an Idempotency-Key', () => {
  const withKey = (key: string, body: object) =>
    user.client.send<Sent>('POST', '/api/v1/cash/deposits/send', JSON.stringify(body), (headers) => {
      headers['idempotency-key'] = key
    })

  /** As a client that is told that its turn did not come: nothing was stored then. */
  async function untilTaken(key: string, body: object): ReturnType<typeof withKey> {
    const answer = await withKey(key, body)
    if (answer.headers.get('x-error-reason') !== 'sends_overloaded') return answer
    await sleep(500)
    return untilTaken(key, body)
  }

  it('makes one transaction of 50 parallel sends, and answers each with it', async () => {
    const before = await user.trader.wallet.balanceOf(user.trader.contract('USDC'))
    const answers = await Promise.all(Array.from({ length: 50 }, () => untilTaken('fifty', deposit('7'))))
    expect(answers.map(({ body }) => body.errMsg)).toEqual(answers.map(() => ''))
    expect(new Set(answers.map(({ body }) => body.data.id)).size).toBe(1)
    expect(answers.filter(({ headers }) => headers.get('idempotent-replayed') === 'true')).toHaveLength(49)
    await eventually(
      async () => (await withKey('fifty', deposit('7'))).body.data.status,
      (status) => status === 'Confirmed',
    )
    expect(before - (await user.trader.wallet.balanceOf(user.trader.contract('USDC')))).toBe(7_000_000n)
  })

  it('refuses another request, and gives the first answer again when the same could no longer be done', async () => {
    const before = await stored()
    const other = await withKey('fifty', deposit('8'))
    expect([other.status, other.headers.get('x-error-reason')]).toEqual([422, 'idempotency_key_reused'])
    expect((await withKey('x'.repeat(256), deposit())).body.errMsg).toMatch(/1 to 255 visible ASCII/)

    await user.trader.wallet.approve(user.trader.contract('USDC'), user.trader.contract('StockRouter'), 0n)
    const replay = await withKey('fifty', deposit('7'))
    expect(replay.body.data).toMatchObject({ status: 'Confirmed', operationId: expect.stringMatching(/^0x/) })
    const asked = await user.client.get('/api/v1/sends/byIdempotencyKey?idempotencyKey=fifty')
    expect(asked.body.data).toEqual(replay.body.data)
    expect((await withKey('new', deposit('7'))).headers.get('x-error-reason')).toBe('allowance_too_low')
    await user.trader.wallet.approve(user.trader.contract('USDC'), user.trader.contract('StockRouter'), 2n ** 255n)
    expect(await stored()).toEqual(before)
    expect((await withKey('new', deposit('7'))).body.code).toBe(200)
  })
})

describe('a contract wallet', () => {
  // Answers every call with one word: the value of ERC-1271 that accepts, and another one.
  const answering = (word: string) => `0x63${word}60e01b5f5260205ff3` as Hex
  const wallet = `0x${'c0de'.repeat(10)}` as const

  it('is asked by ERC-1271', async () => {
    const client = venue.client.as(await venue.createKey({ access: 'WRITABLE', user: wallet }))
    const enable = () => client.post('/api/v1/1ct/enable', { signature: '0x01', deadline: FAR_FUTURE })
    await user.trader.wallet.chain.request({
      method: 'anvil_setCode',
      params: [wallet, answering('deadbeef')],
    } as never)
    await refused(enable, INVALID, 'delegation_signature_invalid', /contract wallet 0xc0de.* does not accept it/)
    await user.trader.wallet.chain.request({
      method: 'anvil_setCode',
      params: [wallet, answering('1626ba7e')],
    } as never)
    expect((await enable()).body.code).toBe(200)
    await eventually(
      async () => (await client.get<{ status: string }>('/api/v1/1ct/status')).body.data.status,
      (status) => status === 'enable',
    )
  })
})

describe('the end of a delegation', () => {
  it('by the API: later sends fail, and the old signature does not bring it back', async () => {
    await user.disableAndWait()
    await refused(() => user.post('cash/deposits/send', deposit()), CONFLICT, 'delegation_not_enabled', /not enabled/)
    const { signature, deadline } = user.enabledBy
    const again = () => user.post('1ct/enable', { signature, deadline })
    await refused(again, INVALID, 'delegation_signature_invalid', /must be one of/)
  })

  it('by the user’s own transaction: the status follows the chain, and sends are refused', async () => {
    await user.enable()
    await user.trader.wallet.call(user.trader.contract('OneClickRouter'), oneClickRouterAbi, 'undelegate', [])
    expect(await user.status()).toMatchObject({ status: 'disabled', delegatedTo: null })
    await refused(() => user.post('cash/deposits/send', deposit()), CONFLICT, 'delegation_not_enabled', /not enabled/)
  })
})

describe('many sends of several users at once', () => {
  it('100 requests: each is mined once', async () => {
    const users = await Promise.all([2, 3, 4, 5].map((account) => OneClickUser.create(venue, account)))
    await Promise.all(
      users.map(async (one) => {
        await one.trader.fund(1000n)
        await one.enable()
      }),
    )
    const balances = () => Promise.all(users.map(({ trader }) => trader.wallet.balanceOf(trader.contract('USDC'))))
    const before = await balances()
    const sent = await Promise.all(
      Array.from({ length: 100 }, (_, index) =>
        (users[index % users.length] as OneClickUser).send('cash/deposits/send', deposit('1')),
      ),
    )
    expect(new Set(sent.map(({ id }) => id)).size).toBe(100)
    const lists = await Promise.all(users.map((one) => one.untilDeposits(25)))
    const after = await balances()
    expect(before.map((balance, index) => balance - (after[index] ?? 0n))).toEqual(users.map(() => 25_000_000n))
    expect(new Set(lists.flat().map(({ txHash }) => txHash)).size).toBe(100)
    expect(new Set(lists.flat().map(({ mapping }) => mapping.id))).toEqual(new Set(sent.map(({ id }) => id)))
  })
})
