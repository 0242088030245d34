/** What flows into and out of a pair's two funds. Source: perp-protocol 3.12. */
import { STATUS } from './amm.ts'
import { log } from './events.ts'
import { type Context, payMargin, pullMargin } from './instrument.ts'
import { enter } from './lifecycle.ts'
import { repayShortfall } from './losses.ts'
import { require } from './revert.ts'
import { closeIfCleared, isCleared } from './settlement.ts'

/** Gives money (WAD) to the insurance fund of a pair that trades. */
export function donate(context: Context, donator: string, amountWad: bigint): void {
  enter(context)
  log(context, 'DonateInsuranceFund', { donator, amount: amountWad })
  pullMargin(context, donator, amountWad)
  context.pair.amm.insuranceFund += amountWad
  repayShortfall(context.pair)
}

/** Pays the protocol fee to the administrator. Reverts `BadAmmStatus`. */
export function claimProtocolFee(context: Context): void {
  checkOpen(context)
  const { amm } = context.pair
  const amountWad = amm.protocolFee
  amm.protocolFee = 0n
  log(context, 'ClaimProtocolFee', { amount: amountWad })
  payMargin(context, context.protocol.admin, amountWad)
  closeIfCleared(context)
}

/** Pays the insurance fund to the administrator; of a settled pair only when all accounts are. Reverts `BadAmmStatus`, `PairNotCleared`. */
export function recycle(context: Context): void {
  checkOpen(context)
  const { pair, protocol } = context
  const { amm } = pair
  // Whoever is not settled yet may leave a debt that it has to cover.
  require(amm.status !== STATUS.SETTLED || isCleared(pair), 'PairNotCleared', BigInt(amm.expiry))
  repayShortfall(pair)
  const amountWad = amm.insuranceFund
  amm.insuranceFund = 0n
  log(context, 'RecycleInsuranceFund', { amount: amountWad })
  payMargin(context, protocol.admin, amountWad)
  closeIfCleared(context)
}

function checkOpen({ pair }: Context): void {
  require(pair.amm.status !== STATUS.DORMANT, 'BadAmmStatus')
}
