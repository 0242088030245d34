import { sleep } from '../../lib/clock.ts'
import { WAD } from '../../lib/wad.ts'
import { keyOf, keyRequest } from './key-api.ts'
import { PAIR, type SoundRequests, type StatusDesk } from './status-desk.ts'
import { addRange, trade } from './trader.ts'

const market = { ...PAIR, side: 2, size: '0.02', leverage: '5', slippageBps: 300 }
const action = () => ({ body: { action: 'market', params: market } })
const kept = { ...PAIR, side: 1, size: '0.01', slippageBps: 1000, stopLossPrice: '30000' }

/** An order of which everything was taken. */
async function takenOrder({ venue: { chain }, accounts: [, other], btc, place }: StatusDesk) {
  const oid = await place(9)
  const outcome = await trade(chain, other, btc, 3n * WAD, 100_000n * WAD)
  if (outcome !== 'success') throw new Error('nobody took the order')
  return oid
}

/** A range, as the API names it. */
async function ownRange({ venue: { chain }, accounts: [own], btc, user, indexed }: StatusDesk) {
  await addRange(chain, own, btc, 40_000n * WAD, 1500)
  await indexed()
  const [{ tickLower, tickUpper }] = (await user.get('liquidity/list')).data
  return { ...PAIR, tickLower, tickUpper, slippageBps: 300 }
}

/** What the API built at a path, signed by the wallet. */
async function signedTransaction({ user }: StatusDesk, path: string, body: Readonly<Record<string, unknown>>) {
  const { msg, data } = await user.post(path, body)
  if (!data.transaction) throw new Error(msg)
  return { body: { signedTransaction: await user.sign(data.transaction) } }
}

/** A send that leaves the position as it is, once however often it is asked for. */
async function sentUnder({ user }: StatusDesk, key: string) {
  const order = { ...PAIR, side: 2, size: '0.02', leverage: '5', price: '57500' }
  return (await user.post('order/limit', order, { 'Idempotency-Key': key })).data
}

const anotherKey = async ({ venue: { api }, user }: StatusDesk) => (await keyOf(api, user.account)).apiKey

/** What trades, keeps orders, and gives a wallet access. The last one takes One Click from the user. */
export const SOUND_SENDS: SoundRequests = {
  'POST /v4/public/trader/order/market': () => ({ body: market }),
  'POST /v4/public/trader/order/limit': () => ({
    body: { ...PAIR, side: 2, size: '0.02', leverage: '5', price: '58000' },
  }),
  'POST /v4/public/trader/order/scaled': () => ({
    body: { ...PAIR, side: 2, size: '0.1', leverage: '10', prices: ['57000', '56000'] },
  }),
  'POST /v4/public/trader/order/cancel': async ({ place }) => ({ body: { ...PAIR, oid: await place(-60) } }),
  'POST /v4/public/trader/order/batch-cancel': async ({ place }) => ({ body: { ...PAIR, oids: [await place(-80)] } }),
  'POST /v4/public/trader/order/fill': async (desk) => ({ body: { ...PAIR, oid: await takenOrder(desk) } }),
  'POST /v4/public/trader/order/build': action,
  'POST /v4/public/trader/order/preview': action,
  'POST /v4/public/trader/order/submit': (desk) => signedTransaction(desk, 'order/build', action().body),
  'POST /v4/public/trader/position/close': () => ({ body: { ...PAIR, size: '0.01', slippageBps: 300 } }),
  'POST /v4/public/trader/position/adjust': () => ({ body: { ...PAIR, leverage: '3' } }),
  'POST /v4/public/trader/position/margin': () => ({ body: { ...PAIR, amount: '10', type: 'add' } }),
  'POST /v4/public/trader/liquidity/add': () => ({
    body: { ...PAIR, amount: '2000', alphaLower: '1.2', alphaUpper: '1.2', slippageBps: 300 },
  }),
  'POST /v4/public/trader/liquidity/remove': async (desk) => ({ body: await ownRange(desk) }),

  'POST /v4/public/trader/order/kept': () => ({ body: kept }),
  'GET /v4/public/trader/order/kept': () => ({}),
  'POST /v4/public/trader/order/kept/cancel': async ({ user }) => {
    const [order] = (await user.post('order/kept', kept)).data.orders
    return { body: { keptOrderId: order.keptOrderId } }
  },

  'GET /v4/public/trader/send/byId': async (desk) => ({
    query: { sendId: (await sentUnder(desk, 'asked-for')).sendId },
  }),
  'GET /v4/public/trader/send/byIdempotencyKey': async (desk) => {
    await sentUnder(desk, 'asked-for')
    return { query: { idempotencyKey: 'asked-for' } }
  },

  'POST /v4/public/trader/api-key/create': async ({ user }) => ({ body: await keyRequest(user.account) }),
  'GET /v4/public/trader/api-key/list': () => ({}),
  'POST /v4/public/trader/api-key/update': async (desk) => ({ body: { apiKey: await anotherKey(desk), label: 'bot' } }),
  'POST /v4/public/trader/api-key/delete': async (desk) => ({ body: { apiKey: await anotherKey(desk) } }),
  'POST /v4/public/trader/approve/prepare': () => ({ body: { quote: 'USDC' } }),
  'POST /v4/public/trader/approve/submit': (desk) => signedTransaction(desk, 'approve/prepare', { quote: 'USDC' }),
  'POST /v4/public/trader/account/deposit': () => ({ body: { quote: 'USDC', amount: '10' } }),
  'POST /v4/public/trader/account/withdraw': async ({ user }) => {
    await user.post('account/deposit', { quote: 'USDC', amount: '5' })
    while ((await user.get('account/wallet-balance')).data.portfolios[0].balance === '0') await sleep(500)
    return { body: { quote: 'USDC', amount: '5' } }
  },
  'GET /v4/public/trader/account/wallet-balance': () => ({}),
  'GET /v4/public/mm/account/wallet-balance': () => ({}),
  'GET /v4/public/trader/1ct/status': () => ({}),
  'POST /v4/public/trader/1ct/prepare': () => ({ body: { deadline: 4_000_000_000 } }),
  'POST /v4/public/trader/1ct/enable': async ({ user }) => ({ body: await user.consent() }),
  'POST /v4/public/trader/1ct/disable': () => ({}),
}
