/** Everything that can happen, as plain JSON: integers wider than 53 bits are decimal digits. */

/** An integer in decimal digits: WAD, or raw token units for `amountRaw`. */
export type Decimal = string

/** The block's time comes with each action; `instrument` is an index into the world's list. */
type Timed = { readonly timeSec: number }
type OfGate = Timed & { readonly account: string; readonly quote: string }
type OfInstrument = Timed & { readonly instrument: number; readonly account: string }
/** Without an expiry the perpetual is meant. */
type OfPair = OfInstrument & { readonly expiry?: number }
/** With `operator` somebody calls the function that acts for `account`. */
type ForUser = { readonly operator?: string }
type WithLimits = { readonly limitTickLower: number; readonly limitTickUpper: number; readonly deadline: number }

type PriceAction = Timed & { readonly type: 'price'; readonly instrument: number; readonly spotWad: Decimal }

export type GateAction =
  | (OfGate & ForUser & { readonly type: 'deposit' | 'withdraw'; readonly amountRaw: Decimal })
  | (OfGate & { readonly type: 'release'; readonly target: string })
  | (OfGate & { readonly type: 'threshold'; readonly amountRaw: Decimal })
  | (Timed & {
      readonly type: 'blacklist'
      readonly account: string
      readonly target: string
      readonly banned: boolean
    })
  | (Timed & {
      readonly type: 'liquidators'
      readonly account: string
      readonly target: string
      readonly allowed: boolean
    })
  | (Timed & { readonly type: 'openLiquidation'; readonly account: string })

/** What the administrator, and in part the guardian, may change of an instrument. */
export type AdminAction =
  | (OfInstrument & { readonly type: 'freeze' | 'normalize' })
  | (OfInstrument & { readonly type: 'resolve'; readonly priceWad: Decimal })
  | (OfInstrument & { readonly type: 'leverage'; readonly initialRatio: number; readonly maintenanceRatio: number })
  | (OfInstrument & { readonly type: 'fundingHour'; readonly hours: number })
  | (OfInstrument & { readonly type: 'placePaused' | 'orderRebateDisabled'; readonly flag: boolean })
  | (OfInstrument & {
      readonly type: 'quoteParam'
      readonly minMarginAmount: Decimal
      readonly tradingFeeRatio: number
      readonly protocolFeeRatio: number
      readonly qtype: number
      readonly tip: Decimal
    })

export type UserAction =
  | (OfPair & { readonly type: 'update' })
  | (OfPair &
      ForUser & {
        readonly type: 'trade'
        readonly size: Decimal
        readonly amount: Decimal
        readonly limitTick: number
        readonly deadline: number
      })
  | (OfPair & ForUser & { readonly type: 'adjust'; readonly net: Decimal; readonly deadline: number })
  | (OfPair &
      ForUser &
      WithLimits & {
        readonly type: 'add'
        readonly amount: Decimal
        readonly tickDeltaLower: number
        readonly tickDeltaUpper: number
      })
  | (OfPair &
      ForUser &
      WithLimits & {
        readonly type: 'remove'
        readonly target: string
        readonly tickLower: number
        readonly tickUpper: number
      })
  | (OfPair &
      ForUser & {
        readonly type: 'place'
        readonly tick: number
        readonly size: Decimal
        readonly amount: Decimal
        readonly deadline: number
      })
  | (OfPair &
      ForUser & {
        readonly type: 'batchPlace'
        readonly size: Decimal
        readonly leverage: Decimal
        readonly ticks: readonly number[]
        readonly ratios: readonly number[]
        readonly deadline: number
      })
  | (OfPair & ForUser & { readonly type: 'cancel'; readonly ticks: readonly number[]; readonly deadline: number })
  | (OfPair & { readonly type: 'fill'; readonly target: string; readonly tick: number; readonly nonce: number })
/** What happens to accounts that fail, pairs that end, and the two funds of a pair. */
export type RiskAction =
  | (OfPair & {
      readonly type: 'liquidate'
      readonly target: string
      readonly size: Decimal
      readonly amount: Decimal
    })
  | (OfPair & { readonly type: 'sweep'; readonly target: string; readonly size: Decimal })
  | (OfPair & { readonly type: 'settle'; readonly target: string })
  | (OfPair & { readonly type: 'donate'; readonly amount: Decimal })
  | (OfPair & { readonly type: 'claimProtocolFee' | 'recycle' })

export type Action = PriceAction | GateAction | AdminAction | UserAction | RiskAction
