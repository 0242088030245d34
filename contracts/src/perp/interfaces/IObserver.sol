// SPDX-License-Identifier: MIT
pragma solidity ^0.8.28;

import {
    Amm,
    BlockInfo,
    CurveState,
    MinimalPearl,
    OnChainContext,
    Pearl,
    Portfolio,
    PriceData,
    Quotation,
    QuoteState,
    Record,
    Setting,
    Spacing
} from "../Types.sol";

/// Batch reader of the protocol, without state of its own. Prices, sizes and amounts are WAD; what `QuoteState` holds
/// is in token decimals. Source: perp-protocol 1.6.
interface IObserver {
    /// Everything about a pair and a trader in one call: without the account for a zero `trader`, without a quotation
    /// for a `signedSize` (positive long) of 0. With a quotation it reverts as `IInstrument.inquire`.
    function fetchOnChainContext(address instrument, uint32 expiry, address trader, int256 signedSize)
        external
        view
        returns (OnChainContext memory context);

    /// All instruments of Gate, in order of creation.
    function getAllInstrumentList() external view returns (address[] memory instrumentList);

    /// Signed size (positive when `long`) whose notional comes nearest to `notional` from below, or all there is.
    function getBaseSizeByQuote(address instrument, uint32 expiry, uint256 notional, bool long)
        external
        view
        returns (int256);

    /// Signed size that moves the price to `destTick`, or as far towards it as there is liquidity. Orders at the tick
    /// are part of it for a buy; a sell stops before them.
    function getBaseSizeByTick(address instrument, uint32 expiry, int24 destTick) external view returns (int256);

    /// Setting, pool state, prices and tick spacings of a pair. A price that its market refuses reads as 0.
    function getInstrument(address instrument, uint32 expiry)
        external
        view
        returns (
            Setting memory setting,
            Amm memory amm,
            PriceData memory priceData,
            Spacing memory spacing,
            BlockInfo memory blockInfo
        );

    /// Liquidity and resting orders of a pair at the ticks `tids`.
    function getPearls(address instrument, uint32 expiry, int24[] calldata tids) external view returns (Pearl[] memory);

    /// What a trader holds in a pair; see `IInstrument.getPortfolio`.
    function getPortfolio(address instrument, uint32 expiry, address trader)
        external
        view
        returns (Portfolio memory portfolio, BlockInfo memory blockInfo);

    /// Prices of the pairs (`instruments[i]`, `expiries[i]`); 0 for one that its market refuses. The mark of a settled
    /// pair is its settlement price. Times of feeds in Unix seconds. Reverts `LengthMismatch`.
    function getPriceData(address[] calldata instruments, uint32[] calldata expiries)
        external
        view
        returns (PriceData[] memory prices, BlockInfo memory blockInfo);

    /// Wallet, allowance and reserve of a trader for each quote, in token decimals; the native coin (zero or one of its
    /// aliases) needs no allowance. Without the trader's part for a zero `trader`.
    function getQuoteStates(address trader, address[] calldata quotes)
        external
        view
        returns (QuoteState[] memory states, BlockInfo memory blockInfo);

    /// Finished generations of orders at (`tids[i]`, `nonces[i]`) of a pair. Reverts `LengthMismatch`.
    function getRecords(address instrument, uint32 expiry, int24[] calldata tids, uint24[] calldata nonces)
        external
        view
        returns (Record[] memory);

    /// Words `tbids` of a pair's bitmap of initialised ticks; see `IInstrument.getTickBitmaps`.
    function getTickBitmaps(address instrument, uint32 expiry, int16[] calldata tbids)
        external
        view
        returns (uint256[] memory);

    /// Quotes a trade of `signedSize` (positive long). Reverts as `IInstrument.inquire`.
    function inquireByBase(address instrument, uint32 expiry, int256 signedSize)
        external
        view
        returns (Quotation memory quotation, BlockInfo memory blockInfo);

    /// Quotes a trade by notional: the size of `getBaseSizeByQuote`, and what trading it would do. Reverts as
    /// `IInstrument.inquire`.
    function inquireByQuote(address instrument, uint32 expiry, uint256 notional, bool long)
        external
        view
        returns (int256 size, Quotation memory quotation, BlockInfo memory blockInfo);

    /// Quotes a trade by the tick it is to reach: the size of `getBaseSizeByTick`, and what trading it would do.
    /// Reverts as `IInstrument.inquire`.
    function inquireByTick(address instrument, uint32 expiry, int24 tick)
        external
        view
        returns (int256 size, Quotation memory quotation, BlockInfo memory blockInfo);

    /// The pair of `base` and `quote` with the greatest quote reserve, among the factories a DEXV2 market lists, and
    /// its reserves in token decimals; zeros when there is no such market or pair.
    function inspectMaxReserveDexV2Pair(address base, address quote)
        external
        view
        returns (address maxReservePair, uint112 reserve0, uint112 reserve1);

    /// The curve, and every initialised tick within `tickDelta` ticks of the price, ascending.
    function liquidityDetails(address instrument, uint32 expiry, uint24 tickDelta)
        external
        view
        returns (CurveState memory amm, int24[] memory tids, MinimalPearl[] memory pearls, BlockInfo memory blockInfo);
}

/// The parts of a constant-product exchange, and of a market that lists its factories, which Observer reads.
interface IDexV2Market {
    /// The factories of the exchanges that the market prices from.
    function getDexV2Factories() external view returns (address[] memory);
}

interface IDexV2Factory {
    /// The pair of two tokens in any order; zero when there is none.
    function getPair(address tokenA, address tokenB) external view returns (address pair);
}

interface IDexV2Pair {
    /// The token of `reserve0`.
    function token0() external view returns (address);

    /// What the pair holds of either token, in token decimals, and since when (Unix seconds, 32 bits).
    function getReserves() external view returns (uint112 reserve0, uint112 reserve1, uint32 blockTimestampLast);
}
