// SPDX-License-Identifier: MIT
pragma solidity ^0.8.28;

import {CexAccState, PriceFeeder} from "../Types.sol";

/// What Gate, Instrument and Observer ask of any market. Prices are WAD. Source: perp-protocol 1.7, 3.11.
interface IMarket {
    error DecimalsExceed();
    error GetErc20DecimalsFailed(address token);
    error GetErc20SymbolFailed(address token);
    error LengthMismatch();
    error NotGate();
    error NotSynFuturesV3Admin();
    error QuoteNotSupported();
    error WrongStatusToFetchMarkPrice();

    function getMarketType() external pure returns (string memory);
    function prepareInstrument(address instrument, bytes calldata data)
        external
        returns (bytes32 index, address base, bytes memory initData);
    function markPrice(uint32 expiry, uint8 status) external returns (uint256 mark);
    function clearStates(uint32 expiry) external;

    function getMarkPrice(address instrument, uint32 expiry, uint8 status) external view returns (uint256 mark);
    function getSpotPrice(address instrument) external view returns (uint256 spot);
    function getBenchmarkPrice(address instrument, uint32 expiry) external view returns (uint256 benchmark);
    /// Of `elapsed` seconds in which nobody acted on a perpetual, those that funding is charged for.
    function chargeableTime(uint256 elapsed) external view returns (uint256);
    function config() external view returns (address);
    function gate() external view returns (address);
    function instruments(uint256 i) external view returns (address);
    function instrumentsLength() external view returns (uint256);
    function getAllInstruments() external view returns (address[] memory);
}

/// A market whose prices come from one or two feeders with Chainlink's interface.
interface ICexMarket is IMarket {
    event SetFeeder(address indexed instrument, PriceFeeder feeder);
    event UpdateAccState(address indexed instrument, uint32 expiry, CexAccState state);

    error CexNoFeeder();
    error InvalidCexPrice(address aggregator);

    function setFeeder(address[] calldata instruments, PriceFeeder[] calldata priceFeeders) external;
    function feeders(address instrument)
        external
        view
        returns (
            uint8 ftype,
            uint64 scaler0,
            address aggregator0,
            uint24 heartBeat0,
            uint64 scaler1,
            address aggregator1,
            uint24 heartBeat1
        );
    function getAccState(address instrument, uint32 expiry) external view returns (CexAccState memory);
}

/// The part of a Chainlink aggregator this protocol reads.
interface IAggregator {
    function decimals() external view returns (uint8);
    function latestRoundData()
        external
        view
        returns (uint80 roundId, int256 answer, uint256 startedAt, uint256 updatedAt, uint80 answeredInRound);
}
