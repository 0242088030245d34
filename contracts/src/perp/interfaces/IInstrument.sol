// SPDX-License-Identifier: MIT
pragma solidity ^0.8.28;

import {Amm, Order, Pearl, Portfolio, PositionCache, Quotation, QuoteParam, Range, Record, Setting} from "../Types.sol";

/// Events of an Instrument. Amounts, sizes and prices are WAD. Source: perp-protocol 1.5, 1.8.
interface IInstrumentEvents {
    event Add(uint32 indexed expiry, address indexed trader, int24 tickLower, int24 tickUpper, Range range);
    event Adjust(uint32 indexed expiry, address indexed trader, int256 net);
    event Cancel(
        uint32 indexed expiry, address indexed trader, int24 tick, uint32 nonce, uint256 fee, PositionCache pic
    );
    event Fill(
        uint32 indexed expiry,
        address indexed trader,
        int24 tick,
        uint32 nonce,
        uint256 fee,
        PositionCache pic,
        address operator,
        uint256 tip
    );
    event FundingFee(address indexed trader, int256 funding);
    event Place(uint32 indexed expiry, address indexed trader, int24 tick, uint32 nonce, Order order);
    event Remove(
        uint32 indexed expiry,
        address indexed trader,
        int24 tickLower,
        int24 tickUpper,
        uint256 fee,
        PositionCache pic,
        address operator,
        uint256 tip
    );
    event Trade(
        uint32 indexed expiry,
        address indexed trader,
        int256 size,
        uint256 amount,
        int256 takenSize,
        uint256 takenValue,
        uint256 entryNotional,
        uint16 feeRatio,
        uint160 sqrtPX96,
        uint256 mark
    );
    event UpdateAmmStatus(uint32 indexed expiry, uint8 status, uint160 sqrtPX96, uint256 mark);
    event UpdateCondition(uint32 timestamp, uint8 condition);
    event UpdateFeeState(uint32 indexed expiry, uint128 feeIndex, uint128 protocolFee);
    event UpdateFundingHour(uint8 fundingHour);
    event UpdateFundingIndex(uint256 fundingIndex);
    event UpdateMarginRatio(uint16 initialMarginRatio, uint16 maintenanceMarginRatio);
    event UpdateParam(QuoteParam param);
    event UpdatePosition(uint32 indexed expiry, address indexed trader, PositionCache pic);
    event UpdateSocialLossInsuranceFund(
        uint32 indexed expiry, uint128 longSocialLossIndex, uint128 shortSocialLossIndex, uint128 insuranceFund
    );
}

/// One market of a base and a quote; every expiry of it is a pair. Arguments are packed as perp-protocol 1.2 says
/// (`Packed`); all amounts, sizes and prices are WAD, deadlines and expiries Unix seconds (a deadline of 0: none).
/// Actions on a pair revert `Locked` when reentered, `BadInstrumentCondition` unless the instrument is normal
/// (`settle`: while it is frozen), `Timeout` after their deadline, `NotTradeable` where the pair must be live,
/// `CrazySpot` for a mark that the curve cannot express, and as the market's prices do. What is for the owner of Config
/// reverts `NotSynFuturesV3Admin` for anybody else.
interface IInstrument is IInstrumentEvents {
    /// Makes this an instrument of the caller: called once, by the proxy's constructor, so that the sender is the Gate
    /// which deploys it. `data`: (symbol, market, quote, decimals of the quote), ABI-encoded. Reverts
    /// `AlreadyInitialized`.
    function initialize(bytes calldata data) external;

    /// Adds the first range, that of the launcher `target`, which opens the pair; `args` as in `add`. Gate only.
    /// Reverts `NotGate`, and as `add`.
    function init(address target, bytes32[2] calldata args)
        external
        returns (int24 tickLower, int24 tickUpper, Range memory range);

    /// Trades `size` (positive long) against the curve and the resting orders, and moves margin `amount` in (positive)
    /// or out; with size 0 only the latter. `args`: packed `TradeArgs`; its tick bounds the average price. Returns the
    /// position after it. Reverts `TradeSlippage`, `TradeOutOfLiquidity`, `TradeTrivial`, `TradeImrUnsafe`,
    /// `TradeMmrUnsafe`, `CrazyDeviation`, `ForbidNegativeAdjust`.
    function trade(bytes32[2] calldata args) external returns (PositionCache memory);

    /// `trade` for `to`, with the user's own money. Handler only. Reverts `NotHandler`, and as `trade`.
    function tradeFor(address to, bytes32[2] calldata args) external returns (PositionCache memory);

    /// Rests a limit order of `size` (positive buy) at a tick on its own side of the price, with a margin of `amount`.
    /// `args`: packed `TradeArgs`. `nonce` is the generation of orders at the tick, which `fill` asks for. Reverts
    /// `PlacePaused`, `OrderWrongSide`, `OrderTooFar`, `OrderTrivial`, `OrderImrUnsafe`, `OrderOccupied`,
    /// `FairDeviation`.
    function place(bytes32[2] calldata args) external returns (uint24 nonce, Order memory order);

    /// `place` for `to`, with the user's own money. Handler only. Reverts `NotHandler`, and as `place`.
    function placeFor(address to, bytes32[2] calldata args) external returns (uint24 nonce, Order memory order);

    /// Places two to nine orders that share `size` by ratio (basis points, 10,000 together), each margined at
    /// `leverage` (WAD). `args`: packed `BatchArgs`. Reverts `OrderTrivial` for other counts or sums, and as `place`.
    function batchPlace(bytes32[3] calldata args) external returns (uint24[] memory nonces, Order[] memory orders);

    /// `batchPlace` for `to`, with the user's own money. Handler only. Reverts `NotHandler`, and as `batchPlace`.
    function batchPlaceFor(address to, bytes32[3] calldata args)
        external
        returns (uint24[] memory nonces, Order[] memory orders);

    /// Cancels up to eight orders of the caller (`arg`: packed `CancelArgs`); a tick without one is skipped and
    /// reported so. What was taken of an order joins the position, untouched margin goes back to Gate. Open while
    /// placing is paused.
    function cancel(bytes32 arg) external returns (bool[8] memory succees, PositionCache[8] memory pics);

    /// `cancel` of orders of `to`. Handler only. Reverts `NotHandler`, and as `cancel`.
    function cancelFor(address to, bytes32 arg) external returns (bool[8] memory succees, PositionCache[8] memory pics);

    /// Turns a fully taken order into its owner's position. Anybody may call; another than the owner earns the tip,
    /// from the order's margin. `arg`: packed `FillArgs`. Reverts `OrderNotExist`, `OrderNotFullyTaken`.
    function fill(bytes32 arg) external returns (PositionCache memory pic, uint256 tip);

    /// Adds a range of the caller around the price, with a margin of `amount`; the first one of a pair opens it at the
    /// mark. `args`: packed `AddArgs`; distances in ticks, and the price's tick must lie within the limits. Reverts
    /// `AddTraderIneligible`, `AddSlippage`, `AddInvalidTickDelta`, `AddTrivial`, `InitTrivial`, `RangeOccupied`,
    /// `FairDeviation`.
    function add(bytes32[2] calldata args) external returns (int24 tickLower, int24 tickUpper, Range memory range);

    /// `add` for `to`, with the user's own money. Handler only. Reverts `NotHandler`, and as `add`.
    function addFor(address to, bytes32[2] calldata args)
        external
        returns (int24 tickLower, int24 tickUpper, Range memory range);

    /// Removes a range (`args`: packed `RemoveArgs`), which joins its owner's position. The owner at any time, anybody
    /// once the price has left the range, who then earns the tip. Returns what the range turned into, the fee it had
    /// earned and the tip. Reverts `RangeNotExist`, `RemoveSlippage`, `RemoveActiveRange`.
    function remove(bytes32[2] calldata args) external returns (PositionCache memory pic, uint256 fee, uint256 tip);

    /// `remove` as the owner, who is the target in `args`. Handler only. Reverts `NotHandler`, and as `remove`.
    function removeFor(bytes32[2] calldata args) external returns (PositionCache memory pic, uint256 fee, uint256 tip);

    /// Brings a pair to now: the funding of a perpetual, the status of a dated pair. Anybody may call. Reverts
    /// `BadAmmStatus` for a pair that is not live, `BadAmmTiming` for a dated pair before its settling window.
    function update(uint32 expiry) external;

    /// Several calls of the same sender, all or none. Returns what each returned; reverts with what the first one to
    /// fail reverts.
    function multicall(bytes[] calldata data) external returns (bytes[] memory results);

    /// Stops every action on this instrument. Owner of Config or guardian. Reverts `BadInstrumentCondition` unless it
    /// is normal.
    function freeze() external;

    /// Ends a freeze. The frozen time is not charged as funding. Owner of Config. Reverts `BadInstrumentCondition`
    /// unless it is frozen.
    function normalize() external;

    /// Sets initial and maintenance margin in basis points; holds for open positions at once. Owner of Config. Reverts
    /// `BadInitialMarginRatio` unless it lies between the maintenance margin and 10,000, `BadMaintenanceMarginRatio`
    /// for 0.
    function setLeverage(uint16 initialMarginRatio, uint16 maintenanceMarginRatio) external;

    /// Replaces this instrument's copy of the quote's template: amounts WAD, ratios in basis points. Owner of Config.
    /// Reverts `BadMinMarginAmount`, `BadTradingFeeRatio`, `BadProtocolFeeRatio`, `BadTip`.
    function setQuoteParam(QuoteParam calldata param) external;

    /// Sets the hours over which funding pays the whole gap once (0 stands for 24), for the time from now on. Owner of
    /// Config.
    function setFundingHour(uint8 newFundingHour) external;

    /// Pauses placing orders (guardian or owner of Config), or resumes it (owner). What rests can be taken, filled and
    /// cancelled all the while.
    function setPlacePaused(bool paused) external;

    /// Whether the trading fee on what makers give goes to the protocol instead of to them (`disable` true). Owner of
    /// Config.
    function setDisableOrderRebate(bool disable) external;

    /// The relay router, which alone may call the `...For` functions.
    function handler() external view returns (address);

    /// State of the instrument: 0 normal, 1 frozen, 2 resolved.
    function condition() external view returns (uint8);

    /// Expiries of the pairs that exist, in Unix seconds and no order; 2^32 - 1 is the perpetual.
    function getExpiries() external view returns (uint32[] memory);

    /// Quotes `size` (positive long) for an account without a position; size 0 quotes the pair as it stands. Reverts
    /// `NotTradeable`, `TradeOutOfLiquidity`, `CrazySpot`, and as the market does, for a stale price above all.
    function inquire(uint32 expiry, int256 size) external view returns (Quotation memory);

    // Typed readers, which Observer is built on.

    /// What the instrument is and how it is set: ratios in basis points, amounts WAD.
    function getSetting() external view returns (Setting memory);

    /// Pool state of a pair; all zero when it does not exist.
    function getAmm(uint32 expiry) external view returns (Amm memory);

    /// What a trader holds in a pair as it is stored: position, orders with what was taken of them, ranges. Funding and
    /// losses since the entry are not charged in it yet.
    function getPortfolio(uint32 expiry, address trader) external view returns (Portfolio memory);

    /// Liquidity and resting orders at these ticks.
    function getPearls(uint32 expiry, int24[] calldata ticks) external view returns (Pearl[] memory);

    /// Finished generations of orders at (`ticks[i]`, `nonces[i]`), as far as their makers have not claimed.
    function getRecords(uint32 expiry, int24[] calldata ticks, uint24[] calldata nonces)
        external
        view
        returns (Record[] memory);

    /// Words of the bitmap of ticks that hold liquidity edges or orders: bit i of word w is tick 256 * w + i.
    function getTickBitmaps(uint32 expiry, int16[] calldata words) external view returns (uint256[] memory);
}
