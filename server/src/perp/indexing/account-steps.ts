import type { instrumentAbi } from '../../chain/abi/instrument.ts'
import type { EventArguments, TypedEvent } from '../../chain/follow/event-handlers.ts'
import type { Hex } from '../../chain/types.ts'
import { STATUS } from '../listing/states.ts'
import { combine, type Position, pricePnl, realised, type SideIndices, socialLossOf } from '../maths/position.ts'
import { type PairAccount, positionOf, setPosition } from './accounts.ts'
import type { BlockChanges } from './block-changes.ts'
import { pairOf } from './pairs.ts'
import type { PairRow } from './perp-rows.ts'

// What accounts lose, or are forgiven, without an event that says so: it follows from their stored position and the events of the same
// step, by the contract's own arithmetic (perp-protocol 3.6, 3.12, 3.13).

type StoredEvent = TypedEvent<EventArguments<typeof instrumentAbi, 'UpdatePosition'>>
type SpreadEvent = TypedEvent<EventArguments<typeof instrumentAbi, 'UpdateSocialLossInsuranceFund'>>
type JoinEvent = TypedEvent<Pick<EventArguments<typeof instrumentAbi, 'Cancel'>, 'expiry' | 'trader' | 'pic'>>

/** Whoever ends an order or a range for its owner, and gets the tip for it, WAD. */
export interface Tip {
  readonly operator: Hex
  readonly tipWad: bigint
}

/** A position with what orders and ranges have turned into, which the contract has not stored yet. */
interface Joined {
  readonly main: Position
  readonly indices: SideIndices
  readonly tip: Tip | null
}

/** A stored position, and what it was just before: funding and losses in its balance. */
interface Stored {
  readonly event: StoredEvent
  readonly main: Position
}

/** What is known of steps that have begun, over all accounts. */
export class AccountSteps {
  readonly joined = new Map<string, Joined>()
  /** The last position that was stored. */
  stored: Stored | null = null
  /** The last change of a pair's indices of social loss, and the indices before it. */
  spread: { readonly event: SpreadEvent; readonly before: SideIndices } | null = null
}

const nameOf = ({ address, args: { expiry, trader } }: JoinEvent): string => `${address} ${expiry} ${trader}`

const indicesOf = (pair: PairRow): SideIndices => ({
  longSocialLossIndex: pair.long_social_loss_index,
  shortSocialLossIndex: pair.short_social_loss_index,
  longFundingIndex: pair.long_funding_index,
  shortFundingIndex: pair.short_funding_index,
})

const accountOf = ({ address: instrument, args: { expiry, trader } }: JoinEvent): PairAccount => ({
  instrument,
  expiry,
  trader,
})

/** To be called before the pair's indices change. */
export function noteSpread(changes: BlockChanges, event: SpreadEvent): void {
  changes.steps.spread = { event, before: indicesOf(pairOf(changes, event.address, event.args.expiry)) }
}

/** Joins what an order or a range turned into to its owner's position, and charges the losses since it was taken. */
export function joinPosition(changes: BlockChanges, event: JoinEvent, tip: Tip | null): void {
  const { expiry, trader, pic } = event.args
  const pair = pairOf(changes, event.address, expiry)
  const indices = indicesOf(pair)
  changes.moveInPair(event, 'loss', { trader, amountWad: -socialLossOf(indices, pic), expiry })
  // The margin of an untouched order goes back to the reserve, unless the pair has ended.
  if (pic.size === 0n && pair.status !== STATUS.SETTLED) return
  const name = nameOf(event)
  const before = changes.steps.joined.get(name)?.main ?? positionOf(changes, accountOf(event))
  changes.steps.joined.set(name, { main: combine(indices, before, pic), indices, tip })
}

/** Stores a position; charges the losses since it was last stored, and tells of a debt that it ends with. */
export function storePosition(changes: BlockChanges, event: StoredEvent): void {
  const { steps } = changes
  const { expiry, trader, pic } = event.args
  const pair = pairOf(changes, event.address, expiry)
  const joined = steps.joined.get(nameOf(event))
  const indices = joined?.indices ?? indicesBefore(changes, event, pair)
  const before = positionOf(changes, accountOf(event))
  changes.moveInPair(event, 'loss', { trader, amountWad: -socialLossOf(indices, before), expiry })
  const main = joined?.main ?? realised(indices, before)
  changes.moveInPair(event, 'liquidation', { trader, amountWad: forgivenWad(pair, main, pic), expiry })
  const { operator, tipWad } = joined?.tip ?? { operator: trader, tipWad: 0n }
  changes.moveInPair(event, 'tip', { trader: operator, amountWad: tipWad, expiry })
  steps.joined.delete(nameOf(event))
  steps.stored = { event, main }
  setPosition(changes, event, accountOf(event), pic)
}

/**
 * The indices that a position is measured by. Where a pair has ended, the account's own debt may have moved them just before the
 * position is stored: it bears nothing of that.
 */
function indicesBefore({ steps: { spread } }: BlockChanges, event: StoredEvent, pair: PairRow): SideIndices {
  const isOwn =
    pair.status === STATUS.SETTLED &&
    spread?.event.transactionHash === event.transactionHash &&
    spread.event.logIndex + 1 === event.logIndex
  return isOwn ? spread.before : indicesOf(pair)
}

/** The debt with which an account ends: closed by what joined it, or at the price at which the pair has ended. */
function forgivenWad(pair: PairRow, main: Position, left: Position): bigint {
  if (left.size !== 0n || left.balance !== 0n) return 0n
  if (main.size !== 0n && pair.status !== STATUS.SETTLED) return 0n
  const equity = main.balance + pricePnl(main, pair.mark_wad)
  return equity < 0n ? -equity : 0n
}

/** What was taken off an account's position just now, by a forced close or its settlement, and the event that stored the rest. */
export function takenPart({ steps: { stored } }: BlockChanges, trader: Hex): { part: Position; event: StoredEvent } {
  if (stored?.event.args.trader !== trader) throw new Error(`nothing has been taken off the position of ${trader}`)
  const { event, main } = stored
  const { pic: rest } = event.args
  const [balance, size] = [main.balance - rest.balance, main.size - rest.size]
  return { part: { ...main, balance, size, entryNotional: main.entryNotional - rest.entryNotional }, event }
}
