// What a trader does: by One Click in one send, or by the wallet, which signs the transaction that the venue built. One intent
// has one Idempotency-Key, and neither way can do it twice by itself.
import {
  addLiquidity,
  adjustLeverage,
  type BuildActionParams,
  buildAction,
  cancelOrder,
  cancelOrders,
  closePosition,
  deposit,
  fillOrder,
  type KeepOrdersParams,
  keepOrders,
  moveMargin,
  placeLimitOrder,
  placeMarketOrder,
  prepareApproval,
  removeLiquidity,
  withdraw,
} from '@bourse/sdk/perp'
import { sendBuilt } from '@bourse/sdk/wallet'
import { type Action, useAction } from '../lib/action.ts'
import { sendUntilMined, storeOnce } from '../lib/send-once.ts'
import type { SendState } from '../lib/send-state.ts'
import { walletClient } from '../wallet/client.ts'
import { address } from '../wallet/connection.ts'
import { knownContracts } from '../wallet/contracts.ts'
import { mined } from '../wallet/mined.ts'
import { tellOf } from '../wallet/tell.ts'
import { changes, noteChange } from './account-changes.ts'
import { sendApproval } from './approval.ts'
import { oneClickOn, sendByVenue } from './one-click.ts'
import { words } from './strings.ts'
import { noteTransaction, trader } from './venue.ts'

export type Step = keyof typeof words.steps
type At = (step: Step) => void

/** Something that a trader does, with a name for the messages. */
export type Intent = Extract<
  BuildActionParams,
  {
    action:
      | 'market'
      | 'limit'
      | 'cancel'
      | 'batch-cancel'
      | 'fill'
      | 'close'
      | 'adjust'
      | 'margin'
      | 'add-liquidity'
      | 'remove-liquidity'
      | 'deposit'
      | 'withdraw'
  }
>

export type Doing = Action<Step>

/** What a form of the connected wallet does. */
export const useDoing = (form: string, changed: () => void = noteChange): Doing =>
  useAction<Step>(`perp ${address.value} ${form}`, {
    first: 'building',
    done: words.done,
    tell: tellOf(address.value),
    changed,
  })

/** The same of a form that performs an intent and does nothing else. */
export const useTrade = (form: string): Doing => useDoing(form, noteTransaction)

/** Does it, and waits until the chain has it. Throws with the reason when it did not happen, or when that is not known. */
export async function perform(intent: Intent, at: At): Promise<void> {
  const { client } = trader()
  // A deposit takes from the wallet itself: One Click sends it like all else, once Gate is approved.
  if (oneClickOn.peek()) {
    return sendByVenue(() => sendUntilMined(client, (by, options) => sendOf(by, intent, options), at, changes))
  }
  await byWallet(await buildAction(client, intent), at)
}

/** What was asked to be kept is kept once the venue has answered: nothing of it is sent yet. */
const KEPT: SendState = { status: 'Confirmed', failure: null, failureMessage: null }

/** Has the venue keep orders for a position. By One Click alone: the venue sends them when nobody is there to sign. */
export async function keep(params: KeepOrdersParams, at: At): Promise<void> {
  const { client } = trader()
  const send = (by: Client, options: Options) => keepOrders(by, params, options).then(() => KEPT)
  await sendByVenue(() => storeOnce(client, send, at), words.keepNeedsOneClick)
}

/** Lets Gate take this much of a quote token from the wallet. */
export async function approve(quote: string, amount: string, at: At): Promise<void> {
  const { client } = trader()
  await sendApproval(
    amount,
    (one) => prepareApproval(client, { quote, amount: one }),
    (built) => byWallet(built, at),
  )
}

async function byWallet(built: Parameters<typeof sendBuilt>[1], at: At): Promise<void> {
  at('confirming')
  const wallet = walletClient()
  const hash = await sendBuilt(wallet, built, { allowed: [...knownContracts().keys()] })
  at('mining')
  await mined(wallet, hash)
}

type Client = ReturnType<typeof trader>['client']
type Options = { readonly idempotencyKey: string }

/** `client` is the one that it began with: a repetition by another wallet's would be that wallet's own trade. */
function sendOf(client: Client, intent: Intent, options: Options): Promise<SendState> {
  const { action, params } = intent
  switch (action) {
    case 'market':
      return placeMarketOrder(client, params, options)
    case 'limit':
      return placeLimitOrder(client, params, options)
    case 'cancel':
      return cancelOrder(client, params, options)
    case 'batch-cancel':
      return cancelOrders(client, params, options)
    case 'fill':
      return fillOrder(client, params, options)
    case 'close':
      return closePosition(client, params, options)
    case 'adjust':
      return adjustLeverage(client, params, options)
    case 'margin':
      return moveMargin(client, params, options)
    case 'add-liquidity':
      return addLiquidity(client, params, options)
    case 'remove-liquidity':
      return removeLiquidity(client, params, options)
    case 'deposit':
      return deposit(client, params, options) as Promise<SendState>
    case 'withdraw':
      return withdraw(client, params, options) as Promise<SendState>
  }
}
