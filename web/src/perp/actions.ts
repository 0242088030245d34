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
  moveMargin,
  type PlaceLimitOrderResult,
  placeLimitOrder,
  placeMarketOrder,
  prepareApproval,
  removeLiquidity,
  withdraw,
} from '@bourse/sdk/perp'
import { sendBuilt, waitMined } from '@bourse/sdk/wallet'
import { type Action, makeAction, sendOnce } from '../lib/action.ts'
import { walletClient } from '../wallet/client.ts'
import { knownContracts } from '../wallet/contracts.ts'
import { oneClickOn } from './one-click.ts'
import { words } from './strings.ts'
import { noteChange, trader } from './venue.ts'

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

export const makeDoing = (): Doing => makeAction<Step>('building', words.done, noteChange)

/** Does it, and waits until the chain has it. Throws with the reason when it did not happen, or when that is not known. */
export async function perform(intent: Intent, at: At): Promise<void> {
  const { client } = trader()
  // A deposit takes from the wallet itself: One Click sends it like all else, once Gate is approved.
  if (oneClickOn.peek()) return sendOnce(async (options) => settled(await sendOf(intent, options), at), at)
  await byWallet(await buildAction(client, intent), at)
}

/** Lets Gate take this much of a quote token from the wallet. */
export async function approve(quote: string, amount: string, at: At): Promise<void> {
  const { client } = trader()
  await byWallet(await prepareApproval(client, { quote, amount }), at)
}

async function byWallet(built: Parameters<typeof sendBuilt>[1], at: At): Promise<void> {
  at('confirming')
  const wallet = walletClient()
  const hash = await sendBuilt(wallet, built, { allowed: [...knownContracts().keys()] })
  at('mining')
  await waitMined(wallet, hash)
}

type Options = { readonly idempotencyKey: string }

function sendOf(intent: Intent, options: Options): Promise<PlaceLimitOrderResult> {
  const { client } = trader()
  const { action, params } = intent
  switch (action) {
    case 'market':
      return placeMarketOrder(client, params, options)
    case 'limit':
      return placeLimitOrder(client, params, options)
    case 'cancel':
      return cancelOrder(client, params, options)
    case 'batch-cancel':
      return cancelOrders(client, params, options) as Promise<PlaceLimitOrderResult>
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
      return deposit(client, params, options) as Promise<PlaceLimitOrderResult>
    case 'withdraw':
      return withdraw(client, params, options) as Promise<PlaceLimitOrderResult>
  }
}

async function settled({ status, failure, txHash }: PlaceLimitOrderResult, at: At): Promise<void> {
  if (status === 'Failed') throw new Error(words.failedOnChain(failure))
  if (status === 'Confirmed' || txHash === null) return
  at('mining')
  // The venue may speed its transaction up under another hash: the account's own lists have the last word.
  await waitMined(walletClient(), txHash as `0x${string}`)
}
