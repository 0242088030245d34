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
    function fetchOnChainContext(address instrument, uint32 expiry, address trader, int256 signedSize)
        external
        view
        returns (OnChainContext memory context);
    function getAllInstrumentList() external view returns (address[] memory instrumentList);
    function getBaseSizeByQuote(address instrument, uint32 expiry, uint256 notional, bool long)
        external
        view
        returns (int256);
    function getBaseSizeByTick(address instrument, uint32 expiry, int24 destTick) external view returns (int256);
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
    function getPearls(address instrument, uint32 expiry, int24[] calldata tids) external view returns (Pearl[] memory);
    function getPortfolio(address instrument, uint32 expiry, address trader)
        external
        view
        returns (Portfolio memory portfolio, BlockInfo memory blockInfo);
    function getPriceData(address[] calldata instruments, uint32[] calldata expiries)
        external
        view
        returns (PriceData[] memory prices, BlockInfo memory blockInfo);
    function getQuoteStates(address trader, address[] calldata quotes)
        external
        view
        returns (QuoteState[] memory states, BlockInfo memory blockInfo);
    function getRecords(address instrument, uint32 expiry, int24[] calldata tids, uint24[] calldata nonces)
        external
        view
        returns (Record[] memory);
    function getTickBitmaps(address instrument, uint32 expiry, int16[] calldata tbids)
        external
        view
        returns (uint256[] memory);
    function inquireByBase(address instrument, uint32 expiry, int256 signedSize)
        external
        view
        returns (Quotation memory quotation, BlockInfo memory blockInfo);
    function inquireByQuote(address instrument, uint32 expiry, uint256 notional, bool long)
        external
        view
        returns (int256 size, Quotation memory quotation, BlockInfo memory blockInfo);
    function inquireByTick(address instrument, uint32 expiry, int24 tick)
        external
        view
        returns (int256 size, Quotation memory quotation, BlockInfo memory blockInfo);
    function inspectMaxReserveDexV2Pair(address base, address quote)
        external
        view
        returns (address maxReservePair, uint112 reserve0, uint112 reserve1);
    function liquidityDetails(address instrument, uint32 expiry, uint24 tickDelta)
        external
        view
        returns (CurveState memory amm, int24[] memory tids, MinimalPearl[] memory pearls, BlockInfo memory blockInfo);
}

/// The parts of a constant-product exchange, and of a market that lists its factories, which Observer reads.
interface IDexV2Market {
    function getDexV2Factories() external view returns (address[] memory);
}

interface IDexV2Factory {
    function getPair(address tokenA, address tokenB) external view returns (address pair);
}

interface IDexV2Pair {
    function token0() external view returns (address);
    function getReserves() external view returns (uint112 reserve0, uint112 reserve1, uint32 blockTimestampLast);
}
