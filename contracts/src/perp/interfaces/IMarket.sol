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

    /// Name of the market type, as Config knows it.
    function getMarketType() external pure returns (string memory);

    /// Checks and names a new instrument: `index` is its CREATE2 salt, `base` its base token (zero when that is no
    /// token), `initData` what it is to be initialised with. `data` is the market type's own (`ICexMarket`: base symbol
    /// and quote, ABI-encoded). Gate only. Reverts `NotGate`, `QuoteNotSupported`.
    function prepareInstrument(address instrument, bytes calldata data)
        external
        returns (bytes32 index, address base, bytes memory initData);

    /// Mark price of the calling instrument's pair, which is in `status`. While it settles, this also moves the
    /// time-weighted average on. Reverts as `getMarkPrice`.
    function markPrice(uint32 expiry, uint8 status) external returns (uint256 mark);

    /// Forgets what is kept of a pair that the calling instrument has deleted.
    function clearStates(uint32 expiry) external;

    /// Mark price of a pair in `status`: spot for a perpetual, the benchmark for a dated pair, and in its settling
    /// window the time-weighted average. Reverts `WrongStatusToFetchMarkPrice` for a settled pair, and as
    /// `getSpotPrice`.
    function getMarkPrice(address instrument, uint32 expiry, uint8 status) external view returns (uint256 mark);

    /// Spot price of an instrument's base. Reverts when the source gives none that is fresh (`ICexMarket`:
    /// `CexNoFeeder`, `InvalidCexPrice`).
    function getSpotPrice(address instrument) external view returns (uint256 spot);

    /// Spot for a perpetual; for a dated pair spot with the carry of the days left. Reverts as `getSpotPrice`.
    function getBenchmarkPrice(address instrument, uint32 expiry) external view returns (uint256 benchmark);

    /// Of `elapsed` seconds in which nobody acted on a perpetual, those that funding is charged for.
    function chargeableTime(uint256 elapsed) external view returns (uint256);

    /// The registry, whose owner sets this market's sources.
    function config() external view returns (address);

    /// The Gate whose instruments this market prices.
    function gate() external view returns (address);

    /// The instrument with this index, from 0 in order of creation. Reverts when there is none.
    function instruments(uint256 i) external view returns (address);

    /// How many instruments this market prices.
    function instrumentsLength() external view returns (uint256);

    /// All instruments of this market, in order of creation.
    function getAllInstruments() external view returns (address[] memory);
}

/// A market whose prices come from one or two feeders with Chainlink's interface.
interface ICexMarket is IMarket {
    event SetFeeder(address indexed instrument, PriceFeeder feeder);
    event UpdateAccState(address indexed instrument, uint32 expiry, CexAccState state);

    error CexNoFeeder();
    error InvalidCexPrice(address aggregator);

    /// Sets where prices of instruments come from, which may not exist yet. A scaler of 0 is filled in from the feed's
    /// decimals; a second aggregator of 0 means that the first one's answer is the price itself, else it is their
    /// quotient. Owner of Config. Reverts `LengthMismatch`, `CexNoFeeder` (no first aggregator), `DecimalsExceed`.
    function setFeeder(address[] calldata instruments, PriceFeeder[] calldata priceFeeders) external;

    /// Where the price of an instrument comes from, as in `PriceFeeder`: scalers lift answers to WAD, heart beats are
    /// their greatest age in seconds. All zero when none is set.
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

    /// The time-weighted spot of a dated pair's settling window; all zero before the window.
    function getAccState(address instrument, uint32 expiry) external view returns (CexAccState memory);
}

/// The part of a Chainlink aggregator this protocol reads.
interface IAggregator {
    /// Decimals of the answers.
    function decimals() external view returns (uint8);

    /// The newest answer and its round; times in Unix seconds.
    function latestRoundData()
        external
        view
        returns (uint80 roundId, int256 answer, uint256 startedAt, uint256 updatedAt, uint80 answeredInRound);
}
