// SPDX-License-Identifier: MIT
pragma solidity ^0.8.28;

/// Every custom error of an Instrument, those of its libraries included. Which condition throws which error is listed
/// in docs/decisions/perp-errors.md. Source: perp-protocol 1.5, 4.1.
interface IInstrumentErrors {
    // Access and life cycle
    error AlreadyInitialized();
    error NotGate();
    error NotHandler();
    error NotSynFuturesV3Admin();
    error Locked();
    error Timeout();
    error BadInstrumentCondition();
    error BadAmmStatus();
    error BadAmmTiming();
    error NotTradeable();
    error PlacePaused();

    // Parameters
    error BadInitialMarginRatio();
    error BadMaintenanceMarginRatio();
    error BadMinMarginAmount();
    error BadTradingFeeRatio();
    error BadProtocolFeeRatio();
    error BadTip();
    error ExpiryNotAligned();
    error ExpiryExceedMaxExpiryPeriod();
    error ExpiryBelowSettlingDuration();

    // Prices
    error CrazySpot();
    error CrazyDeviation();
    error FairDeviation();
    error TickOutOfBound();
    error SqrtPX96OutOfBound();

    // Trades
    error TradeOutOfLiquidity();
    error TradeSlippage();
    error TradeTrivial();
    error TradeImrUnsafe();
    error TradeMmrUnsafe();
    error PositionBankrupt();
    error PositionNotExist();
    error ForbidNegativeAdjust();

    // Orders
    error OrderFull();
    error OrderImrUnsafe(uint256 amount, uint256 minAmount);
    error OrderNotExist();
    error OrderNotFullyTaken(int256 requested, int256 taken);
    error OrderOccupied();
    error OrderTickUnaligned();
    error OrderTooFar();
    error OrderTrivial();
    error OrderWrongSide();
    error ReuseNonEmptyRecord();

    // Ranges
    error AddInvalidTickDelta();
    error AddLiquidityExceedMax();
    error AddSlippage();
    error AddTraderIneligible();
    error AddTrivial(uint256 liquidity, uint256 minLiquidity);
    error InitTrivial(uint256 margin, uint256 minMargin);
    error RangeFull();
    error RangeNotExist();
    error RangeOccupied();
    error RemoveActiveRange();
    error RemoveSlippage();

    // Arithmetic and internal guards
    error AddOverflow();
    error DivByZero();
    error InvariantBroken();
}
