/** Scenes of money that waits, of those who may not bring any, and of acting for users; on the ETH instrument. */
import type { Cast } from './markets.ts'
import type { Scenario } from './replay.ts'
import { SceneWriter } from './scene.ts'

const ETH = 1
const QUOTE = 'USDE'
const DAY_SEC = 86_400

/** Somebody's price rises by a tenth, and what that brought waits a day. */
function profitWaits(cast: Cast): Scenario {
  const scene = new SceneWriter(cast, ETH)
  const [provider, winner, pusher] = cast.traders as [string, string, string]
  scene.act(scene.range(provider, 100_000, 5000))
  scene.act(scene.trade(winner, 1, 400))
  for (const price of [3100, 3200, 3300]) {
    scene.act(scene.price(price))
    scene.act(scene.trade(pusher, 4, 6000))
  }
  scene.act(scene.trade(winner, -1, 0))
  const reserve = scene.context().quote.ledgers.get(winner)?.reserve ?? 0n
  const withdrawal = (amountRaw: bigint) =>
    ({ type: 'withdraw', account: winner, quote: QUOTE, amountRaw: amountRaw.toString() }) as const
  const release = { type: 'release', account: pusher, quote: QUOTE, target: winner } as const
  scene.refuse('PendingWithdrawNotMature', release)
  // A part is free, the rest is profit: all of a withdrawal that exceeds what was brought in waits, and starts the wait anew.
  scene.act(withdrawal(reserve / 4n))
  scene.act(withdrawal((reserve * 5n) / 8n))
  scene.refuse('PendingWithdrawNotMature', release, DAY_SEC - 1)
  scene.act(withdrawal(reserve / 16n))
  scene.refuse('PendingWithdrawNotMature', release, DAY_SEC - 1)
  scene.act(release, 1)
  scene.refuse('PendingWithdrawNotMature', release)
  scene.act(withdrawal(1n))
  scene.act({ type: 'threshold', account: cast.admin, quote: QUOTE, amountRaw: '1000000000000000000000' })
  scene.act(withdrawal(reserve - reserve / 4n - (reserve * 5n) / 8n - reserve / 16n - 1n))
  return scene.scenario()
}

/** A blacklisted trader leaves with everything and brings nothing; the handler acts for users, nobody else does. */
function strangersAndBanned(cast: Cast): Scenario {
  const scene = new SceneWriter(cast, ETH)
  const [provider, banned, stranger] = cast.traders as [string, string, string]
  const { admin, handler } = cast
  const operated = (move: object, operator: string) => ({ ...move, operator }) as Parameters<SceneWriter['act']>[0]
  scene.act(scene.range(provider, 100_000, 5000))
  const trade = scene.trade(banned, 1, 1000)
  scene.refuse('NotHandler', operated(trade, stranger))
  scene.act(operated(trade, handler))
  const tick = scene.pair().amm.tick
  const order = scene.order(banned, tick - 50, 0.2, 300)
  scene.refuse('NotHandler', operated(order, stranger))
  scene.act(operated(order, handler))
  scene.act(operated({ type: 'cancel', account: banned, ticks: [tick - 50], deadline: 0 }, handler))
  const range = scene.act(operated(scene.range(banned, 5000, 1500), handler)) as {
    tickLower: number
    tickUpper: number
  }
  scene.refuse('NotSynFuturesV3Admin', { type: 'blacklist', account: stranger, target: banned, banned: true })
  scene.act({ type: 'blacklist', account: admin, target: banned, banned: true })
  scene.refuse('BlacklistedTrader', scene.trade(banned, 1, 1000))
  scene.refuse('BlacklistedTrader', { type: 'deposit', account: banned, quote: QUOTE, amountRaw: '1' })
  scene.refuse(
    'BlacklistedTrader',
    operated({ type: 'deposit', account: banned, quote: QUOTE, amountRaw: '1' }, handler),
  )
  scene.act(operated(scene.removal(banned, banned, range.tickLower, range.tickUpper), handler))
  scene.act(scene.trade(banned, -scene.position(banned).size, 0))
  const reserve = scene.context().quote.ledgers.get(banned)?.reserve ?? 0n
  scene.act(operated({ type: 'withdraw', account: banned, quote: QUOTE, amountRaw: `${reserve}` }, handler))
  return scene.scenario()
}

/** A dust position alone on the receiving side cannot drive its funding index away; the rest of what is paid insures. */
function dustReceiver(cast: Cast): Scenario {
  const scene = new SceneWriter(cast, ETH)
  const [provider, payer, dust] = cast.traders as [string, string, string]
  scene.act(scene.range(provider, 400_000, 5000))
  scene.act(scene.trade(payer, 8, 20_000))
  scene.act(scene.trade(dust, -0.1, 400))
  scene.act(scene.trade(dust, -scene.position(dust).size - 3n, 0))
  scene.act({ type: 'update', account: dust }, 7200)
  scene.act({ type: 'freeze', account: cast.admin })
  scene.refuse('BadInstrumentCondition', { type: 'update', account: dust }, 3600)
  scene.act({ type: 'fundingHour', account: cast.admin, hours: 2 }, 3600)
  scene.act({ type: 'normalize', account: cast.admin }, 3600)
  scene.act({ type: 'update', account: dust }, 1800)
  scene.act({ type: 'recycle', account: cast.admin })
  return scene.scenario()
}

export const MONEY_SCENES: { readonly [name: string]: (cast: Cast) => Scenario } = {
  'profit waits a day': profitWaits,
  'a banned trader, a stranger and the handler': strangersAndBanned,
  'a dust position on the receiving side, and a halt': dustReceiver,
}
