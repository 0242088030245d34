/** Actions turned into ones that the protocol should refuse. */
import type { Scene } from './generate-scene.ts'
import type { Action } from './world.ts'

/** The largest amount that a packed argument holds. */
const MOST_RAW = 2n ** 96n - 1n

/** The action with one thing wrong; kinds without a fault to make stay as they are. */
export function spoil({ random, context, base }: Scene, action: Action): Action {
  const { tick } = context.pair.amm
  const isStale = random.chance(30)
  if ('deadline' in action && isStale) return { ...action, deadline: base.timeSec - 1 }
  switch (action.type) {
    case 'trade':
      return { ...action, limitTick: tick + (action.size.startsWith('-') ? 1000 : -1000) }
    case 'adjust':
      return { ...action, net: `-1${'0'.repeat(24)}` }
    case 'add':
      return random.chance(50) ? { ...action, amount: '1' } : { ...action, tickDeltaUpper: 3 }
    case 'remove':
      return { ...action, limitTickUpper: tick - 1 }
    case 'place':
      return random.chance(50) ? { ...action, amount: '1' } : { ...action, tick: 2 * tick - action.tick }
    case 'batchPlace':
      return { ...action, leverage: `1${'0'.repeat(21)}` }
    case 'fill':
      return { ...action, nonce: action.nonce + 1 }
    case 'withdraw':
      return { ...action, amountRaw: MOST_RAW.toString() }
    default:
      return action
  }
}
