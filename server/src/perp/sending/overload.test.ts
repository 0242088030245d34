import { erc20Abi, maxUint256 } from 'viem'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import type { Hex } from '../../chain/types.ts'
import { PERPETUAL_EXPIRY } from '../listing/catalogue.ts'
import { type AccessVenue, startAccessVenue } from '../testing/access-venue.ts'
import { type PerpApi, servePerp } from '../testing/api.ts'

// More sends than there is room for: what is let in is stored once, what is turned away has left nothing.

const SENDS = 40

let venue: AccessVenue
let api: PerpApi
let user: Hex
beforeAll(async () => {
  venue = await startAccessVenue()
  const keyed = await venue.user(0)
  await keyed.enable()
  user = keyed.address
  const btc = await venue.chain.instrument('BTC/USDC')
  const { quote } = await venue.chain.readInstrument(btc, 'getSetting', [])
  const account = venue.chain.accounts.users[0]
  if (!account) throw new Error('there is no account')
  await venue.chain.send(account, quote, erc20Abi, 'approve', [venue.chain.contract('Gate'), maxUint256])
  const sendLimits = { atOnce: 1, atOnceOfKey: 1, waiting: 2, waitingOfKey: 2, waitMs: 600_000 }
  api = await servePerp(venue.chain, { sql: venue.database.sql, sendLimits })
})
afterAll(async () => {
  await api?.close()
  await venue?.stop()
})

async function storedSends(): Promise<number> {
  const [row] = await venue.database.sql<{ sends: number }[]>`select count(*)::int as sends from perp_sends`
  return row?.sends ?? 0
}

const order = {
  instrument: 'BTC/USDC',
  expiry: PERPETUAL_EXPIRY,
  size: '0.01',
  side: 2,
  leverage: '5',
  slippageBps: 500,
}
const send = (nth: number) => api.post('order/market', order, user, { 'Idempotency-Key': `send-${nth}` })

describe('more sends than there is room for', () => {
  it('are turned away before anything is done, and all that are let in are stored once', async () => {
    const before = await storedSends()
    const answers = await Promise.all(Array.from({ length: SENDS }, (_, nth) => send(nth)))
    const accepted = answers.flatMap(({ code }, nth) => (code === 0 ? [nth] : []))
    const away = answers.filter(({ code }) => code !== 0)
    expect(accepted.length).toBeGreaterThan(0)
    expect(away.length).toBeGreaterThan(0)
    for (const { status, code, reason } of away)
      expect([status, code, reason]).toEqual([500, 50001, 'sends_overloaded'])
    expect(await storedSends()).toBe(before + accepted.length)

    // Whoever was let in is answered as before; whoever was turned away is let in later, under the same key.
    const [first = 0] = accepted
    const again = await send(first)
    expect([again.code, again.replayed, again.data.sendId]).toEqual([0, true, answers[first]?.data.sendId])
    const turnedAway = answers.findIndex(({ code }) => code !== 0)
    const late = await send(turnedAway)
    expect([late.msg, late.code, late.replayed]).toEqual(['', 0, false])
    expect(await storedSends()).toBe(before + accepted.length + 1)
  })
})
