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

/// One market of a base and a quote; every expiry of it is a pair. Arguments are packed as perp-protocol 1.2 says;
/// all amounts are WAD.
interface IInstrument is IInstrumentEvents {
    function initialize(bytes calldata data) external;
    function init(address target, bytes32[2] calldata args)
        external
        returns (int24 tickLower, int24 tickUpper, Range memory range);

    function trade(bytes32[2] calldata args) external returns (PositionCache memory);
    function tradeFor(address to, bytes32[2] calldata args) external returns (PositionCache memory);
    function place(bytes32[2] calldata args) external returns (uint24 nonce, Order memory order);
    function placeFor(address to, bytes32[2] calldata args) external returns (uint24 nonce, Order memory order);
    function batchPlace(bytes32[3] calldata args) external returns (uint24[] memory nonces, Order[] memory orders);
    function batchPlaceFor(address to, bytes32[3] calldata args)
        external
        returns (uint24[] memory nonces, Order[] memory orders);
    function cancel(bytes32 arg) external returns (bool[8] memory succees, PositionCache[8] memory pics);
    function cancelFor(address to, bytes32 arg) external returns (bool[8] memory succees, PositionCache[8] memory pics);
    function fill(bytes32 arg) external returns (PositionCache memory pic, uint256 tip);
    function add(bytes32[2] calldata args) external returns (int24 tickLower, int24 tickUpper, Range memory range);
    function addFor(address to, bytes32[2] calldata args)
        external
        returns (int24 tickLower, int24 tickUpper, Range memory range);
    function remove(bytes32[2] calldata args) external returns (PositionCache memory pic, uint256 fee, uint256 tip);
    function removeFor(bytes32[2] calldata args) external returns (PositionCache memory pic, uint256 fee, uint256 tip);
    function update(uint32 expiry) external;
    function multicall(bytes[] calldata data) external returns (bytes[] memory results);

    function freeze() external;
    function normalize() external;
    function setLeverage(uint16 initialMarginRatio, uint16 maintenanceMarginRatio) external;
    function setQuoteParam(QuoteParam calldata param) external;
    function setFundingHour(uint8 newFundingHour) external;
    function setPlacePaused(bool paused) external;
    function setDisableOrderRebate(bool disable) external;

    function handler() external view returns (address);
    function condition() external view returns (uint8);
    function getExpiries() external view returns (uint32[] memory);
    function inquire(uint32 expiry, int256 size) external view returns (Quotation memory);

    // Typed readers, which Observer is built on.
    function getSetting() external view returns (Setting memory);
    function getAmm(uint32 expiry) external view returns (Amm memory);
    function getPortfolio(uint32 expiry, address trader) external view returns (Portfolio memory);
    function getPearls(uint32 expiry, int24[] calldata ticks) external view returns (Pearl[] memory);
    function getRecords(uint32 expiry, int24[] calldata ticks, uint24[] calldata nonces)
        external
        view
        returns (Record[] memory);
    function getTickBitmaps(uint32 expiry, int16[] calldata words) external view returns (uint256[] memory);
}
