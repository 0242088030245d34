/** What the owner of Config may change. Source: perp-protocol 1.3 to 1.5, 3.13. */
import type { AdminAction, GateAction } from './actions.ts'
import { CONDITION, PERP_EXPIRY, STATUS } from './amm.ts'
import type { Quote } from './gate.ts'
import type { Context, Instrument, Protocol } from './instrument.ts'
import { freeze, normalize, resolve, touch } from './lifecycle.ts'
import { require } from './revert.ts'

type OfGate = Exclude<GateAction, { type: 'deposit' | 'withdraw' | 'release' }>

const RATIO_BASE = 10_000
const MOST_FEE_RATIO = 1000
const MOST_MIN_MARGIN = 2n ** 96n

/** Reverts `NotSynFuturesV3Admin`. */
export function checkAdmin(protocol: Protocol, caller: string): void {
  require(caller === protocol.admin, 'NotSynFuturesV3Admin')
}

export function changeGate(protocol: Protocol, quotes: ReadonlyMap<string, Quote>, action: OfGate): void {
  checkAdmin(protocol, action.account)
  switch (action.type) {
    case 'threshold': {
      const quote = quotes.get(action.quote)
      if (!quote) throw new RangeError(`no quote ${action.quote}`)
      quote.threshold = BigInt(action.amountRaw)
      break
    }
    case 'blacklist':
      setMember(protocol.blacklist, action.target, action.banned)
      break
    case 'liquidators':
      setMember(protocol.liquidators, action.target, action.allowed)
      break
    case 'openLiquidation':
      require(!protocol.openLiquidator, 'LiquidatorWhitelistAlreadyDisabled')
      protocol.openLiquidator = true
  }
}

function setMember(members: Set<string>, member: string, isIn: boolean): void {
  if (isIn) members.add(member)
  else members.delete(member)
}

/** `contexts` are those of all pairs of the instrument. */
export function changeInstrument(
  protocol: Protocol,
  instrument: Instrument,
  contexts: readonly Context[],
  nowSec: number,
  action: AdminAction,
): void {
  checkAdmin(protocol, action.account)
  switch (action.type) {
    case 'freeze':
      freeze({ instrument })
      break
    case 'normalize':
      normalize({ instrument, nowSec })
      break
    case 'resolve':
      resolve(contexts, instrument, BigInt(action.priceWad))
      break
    default:
      instrument.setting = changedSetting(instrument, contexts, action)
  }
}

type SettingAction = Exclude<AdminAction, { type: 'freeze' | 'normalize' | 'resolve' }>

function changedSetting(instrument: Instrument, contexts: readonly Context[], action: SettingAction) {
  const { setting } = instrument
  switch (action.type) {
    case 'leverage':
      return { ...setting, ...checkedRatios(action.initialRatio, action.maintenanceRatio) }
    case 'fundingHour':
      // Time that has passed is charged by the old period, but for what a halt makes free.
      for (const context of instrument.condition === CONDITION.NORMAL ? contexts : []) {
        const { amm } = context.pair
        if (amm.expiry === PERP_EXPIRY && amm.status === STATUS.TRADING) touch(context)
      }
      return { ...setting, fundingHour: action.hours }
    case 'placePaused':
      return { ...setting, placePaused: action.flag }
    case 'orderRebateDisabled':
      return { ...setting, disableOrderRebate: action.flag }
    case 'quoteParam':
      return { ...setting, param: checkedParam(action) }
  }
}

function checkedRatios(initialMarginRatio: number, maintenanceMarginRatio: number) {
  require(initialMarginRatio < RATIO_BASE, 'BadInitialMarginRatio')
  const isBetween = maintenanceMarginRatio > 0 && maintenanceMarginRatio < initialMarginRatio
  require(isBetween, 'BadMaintenanceMarginRatio')
  return { initialMarginRatio, maintenanceMarginRatio }
}

function checkedParam(action: Extract<AdminAction, { type: 'quoteParam' }>) {
  const [minMarginAmount, tip] = [BigInt(action.minMarginAmount), BigInt(action.tip)]
  const { tradingFeeRatio, protocolFeeRatio, qtype } = action
  require(minMarginAmount > 0n && minMarginAmount < MOST_MIN_MARGIN, 'BadMinMarginAmount')
  require(tradingFeeRatio <= MOST_FEE_RATIO, 'BadTradingFeeRatio')
  require(protocolFeeRatio <= MOST_FEE_RATIO, 'BadProtocolFeeRatio')
  require(tip <= minMarginAmount, 'BadTip')
  return { minMarginAmount, tradingFeeRatio, protocolFeeRatio, qtype, tip }
}
