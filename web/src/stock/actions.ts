// What a user has done: by the wallet, step by step, or by One Click in one send. Neither can happen twice by itself.
import { buildCancel, buildOrder, cancelOrder, placeOrder, previewOrder } from '@bourse/sdk/stock'
import { addressOf, sendBuilt, type Wallet } from '@bourse/sdk/wallet'
import { setup } from '../app-state.ts'
import { useAction as useActionOf } from '../lib/action.ts'
import { explain, isRevertOfEstimate, revertSelector } from '../lib/explain.ts'
import type { Message } from '../lib/message.ts'
import { sendOnce } from '../lib/send-once.ts'
import { isUnauthenticated } from '../session/watched.ts'
import { walletWords } from '../strings.ts'
import { walletClient } from '../wallet/client.ts'
import { address } from '../wallet/connection.ts'
import { follow, mined } from '../wallet/mined.ts'
import { tellOf } from '../wallet/tell.ts'
import { cancelEach } from './cancel-each.ts'
import { oneClickOn, sendByVenue } from './one-click.ts'
import { noteOwnChange } from './open-orders.ts'
import type { OrderTerms } from './order-terms.ts'
import { isPassing, type RecordKind, record } from './records.ts'
import { words } from './strings.ts'
import { type Trader, trader } from './venue.ts'

type Step = keyof typeof words.steps

/** The action of a form of the connected wallet. */
export const useAction = (form: string) =>
  useActionOf<Step>(`stock ${address.value} ${form}`, {
    first: 'building',
    done: words.sent,
    tell: tellOf(address.value),
    changed: noteOwnChange,
  })

type Built = Parameters<typeof sendBuilt>[1]

/**
 * Has the wallet sign and send what the venue built for `by`, and records its hash: at once, or as soon as the venue takes it, and
 * the one under which it is mined, if the wallet has sped it up. From the moment that it is sent nothing is told as if it were not.
 * Resolves to what is to be told where it is not recorded.
 */
export async function sendByWallet(
  kind: RecordKind,
  built: Built,
  by: Trader,
  at: (step: Step) => void,
): Promise<Message | null> {
  const tell = tellOf(by.user)
  at('confirming')
  const wallet = walletOf(by)
  const hash = await send(wallet, built)
  at('recording')
  void follow(wallet, hash, {
    sped: (other) =>
      void record(kind, other, by).catch((error: unknown) => tell('bad', words.recordForeign(explain(error)))),
    replaced: () => tell('bad', words.sentOtherwise),
  })
  const why = await record(kind, hash, by).catch((error: unknown) => {
    throw new Error(words.recordForeign(explain(error)))
  })
  if (why === null) return null
  if (isPassing(why)) return { kind: 'info', text: words.recordLater }
  return { kind: 'bad', text: isUnauthenticated(why) ? words.recordAfterSignIn : words.recordRefused(explain(why)) }
}

/** A node says of what would revert by which bytes; the venue has told what they mean. */
const send = (wallet: Wallet, built: Built) =>
  sendBuilt(wallet, built, { allowed: Object.values(setup.peek()?.contracts ?? {}) }).catch((error: unknown) => {
    const why = isRevertOfEstimate(error) && setup.peek()?.stock?.reverts[revertSelector(error) ?? '']
    throw why ? new Error(why) : error
  })

/** The wallet, still with the account that something was built for. */
export function walletOf({ user }: Trader): Wallet {
  const wallet = walletClient()
  if (addressOf(wallet) !== user) throw new Error(walletWords.wrongAccount)
  return wallet
}

const DEADLINE_SEC = 600

/** Until when the transaction of an order may be mined, by the venue's clock. */
export const deadline = (): number => Math.floor(trader().client.now() / 1000) + DEADLINE_SEC

export async function place(terms: OrderTerms, at: (step: Step) => void): Promise<Message | null> {
  const by = trader()
  const params = { ...terms, deadline: deadline() }
  if (!oneClickOn.peek()) return placeByWallet(params, by, at)
  await sendByVenue(() => sendOnce(by.client, (client, options) => placeOrder(client, params, options), at))
  return null
}

type DatedTerms = OrderTerms & { readonly deadline: number }

/** Some wallets keep to themselves with what an order would revert: the venue is asked. */
async function placeByWallet(params: DatedTerms, by: Trader, at: (step: Step) => void): Promise<Message | null> {
  try {
    return await sendByWallet('order', await buildOrder(by.client, params), by, at)
  } catch (error) {
    const why = isRevertOfEstimate(error) ? await whyReverted(params, by) : undefined
    throw why === undefined ? error : new Error(why)
  }
}

const whyReverted = (params: DatedTerms, { client, user }: Trader): Promise<string | undefined> =>
  previewOrder(client, { ...params, userAddress: user }).then(
    ({ reverts }) => reverts?.explanation,
    () => undefined,
  )

export async function cancel(orderId: string, at: (step: Step) => void): Promise<void> {
  const by = trader()
  if (oneClickOn.peek()) {
    return sendByVenue(() => sendOnce(by.client, (client, options) => cancelOrder(client, { orderId }, options), at))
  }
  const built = await buildCancel(by.client, { orderId })
  at('confirming')
  const wallet = walletOf(by)
  const hash = await send(wallet, built)
  at('recording')
  await mined(wallet, hash)
}

export const cancelAll = (orderIds: readonly string[], at: (step: Step) => void): Promise<void> =>
  cancelEach(orderIds, (orderId) => cancel(orderId, at))
