// SPDX-License-Identifier: MIT
pragma solidity ^0.8.28;

// Structs and enumerations of the perpetual protocol. Field order and widths are the wire format: they appear in the
// ABI of Gate, Config, Instrument, markets and Observer.

/// State of one pair (Instrument + expiry).
enum Status {
    DORMANT,
    TRADING,
    SETTLING,
    SETTLED
}

/// State of a whole instrument.
enum Condition {
    NORMAL,
    FROZEN,
    RESOLVED
}

/// Whether a quote token may back instruments.
enum QuoteType {
    INVALID,
    STABLE,
    NONSTABLE
}

/// Which leg of a price pair is a stable coin; decides the sign of a dated future's carry.
enum FeederType {
    NONE_STABLE,
    QUOTE_STABLE,
    BASE_STABLE,
    BOTH_STABLE
}

/// Template of an instrument's parameters. Amounts in WAD, ratios in basis points.
struct QuoteParam {
    uint128 minMarginAmount;
    uint16 tradingFeeRatio;
    uint16 protocolFeeRatio;
    uint8 qtype;
    uint128 tip;
}

struct MarketInfo {
    string mtype;
    address market;
    address beacon;
}

/// Gross flows between a trader and Gate, in token decimals.
struct FundFlow {
    uint128 totalIn;
    uint128 totalOut;
}

/// A withdrawal above the threshold, waiting; amounts in token decimals.
struct Pending {
    uint32 timestamp;
    bool native;
    uint96 amount;
    uint120 exemption;
}

struct Setting {
    string symbol;
    address config;
    address gate;
    address market;
    address quote;
    uint8 decimals;
    uint16 initialMarginRatio;
    uint16 maintenanceMarginRatio;
    bool placePaused;
    uint8 fundingHour;
    bool disableOrderRebate;
    QuoteParam param;
}

/// Pool state of one pair. Everything but tick, price and time is WAD; the field order fills nine words.
struct Amm {
    uint32 expiry;
    uint32 timestamp;
    uint8 status;
    int24 tick;
    uint160 sqrtPX96;
    uint128 liquidity;
    uint128 totalLiquidity;
    uint128 totalShort;
    uint128 openInterests;
    uint128 totalLong;
    uint128 involvedFund;
    uint128 feeIndex;
    uint128 protocolFee;
    uint128 longSocialLossIndex;
    uint128 shortSocialLossIndex;
    int128 longFundingIndex;
    int128 shortFundingIndex;
    uint128 insuranceFund;
    uint128 settlementPrice;
}

/// One tick: liquidity that starts or ends there, and limit orders resting there.
struct Pearl {
    uint128 liquidityGross;
    int128 liquidityNet;
    uint24 nonce;
    int96 left;
    int96 taken;
    uint128 fee;
    uint128 entrySocialLossIndex;
    int128 entryFundingIndex;
}

/// A finished generation of orders at a tick, waiting for its makers to claim.
struct Record {
    int128 taken;
    uint128 fee;
    uint128 entrySocialLossIndex;
    int128 entryFundingIndex;
}

/// Stored position, WAD.
struct Position {
    int128 balance;
    int128 size;
    uint128 entryNotional;
    uint128 entrySocialLossIndex;
    int128 entryFundingIndex;
}

/// `Position` widened for arithmetic and events, WAD.
struct PositionCache {
    int256 balance;
    int256 size;
    uint256 entryNotional;
    uint256 entrySocialLossIndex;
    int256 entryFundingIndex;
}

struct Order {
    uint128 balance;
    int128 size;
}

struct Range {
    uint128 liquidity;
    uint128 entryFeeIndex;
    uint96 balance;
    uint160 sqrtEntryPX96;
}

/// What a trade of a given size would do; prices and amounts in WAD.
struct Quotation {
    uint256 benchmark;
    uint160 sqrtFairPX96;
    int24 tick;
    uint256 mark;
    uint256 entryNotional;
    uint256 fee;
    uint256 minAmount;
    uint160 sqrtPostFairPX96;
    int24 postTick;
}

/// Price source of a CEX-type market; `scaler` lifts an answer to WAD, `heartBeat` is its greatest age in seconds.
struct PriceFeeder {
    uint8 ftype;
    uint64 scaler0;
    address aggregator0;
    uint24 heartBeat0;
    uint64 scaler1;
    address aggregator1;
    uint24 heartBeat1;
}

/// Time-weighted spot of a dated pair's settling window, prices in WAD.
struct CexAccState {
    uint32 time;
    uint224 spot;
    uint32 initTime;
    uint224 initMark;
    uint256 accumulation;
}

struct BlockInfo {
    uint32 timestamp;
    uint32 height;
}

struct CurveState {
    uint160 sqrtPX96;
    int24 tick;
    uint256 liquidity;
}

struct MinimalPearl {
    int128 liquidityNet;
    int96 left;
}

struct Spacing {
    int24 pearl;
    int24 order;
    int24 range;
}

struct PriceData {
    address instrument;
    uint32 expiry;
    uint256 markPrice;
    uint256 spotPrice;
    uint256 benchmarkPrice;
    address feeder0;
    address feeder1;
    uint256 feeder0UpdatedAt;
    uint256 feeder1UpdatedAt;
}

struct QuoteState {
    address quote;
    uint8 decimals;
    string symbol;
    uint256 threshold;
    uint256 reserve;
    uint256 balance;
    uint256 allowance;
    FundFlow fundFlow;
    Pending pending;
}

struct Portfolio {
    uint48[] oids;
    uint48[] rids;
    Position position;
    Order[] orders;
    Range[] ranges;
    int256[] ordersTaken;
}

struct OnChainContext {
    Setting setting;
    uint8 condition;
    Amm amm;
    PriceData priceData;
    Portfolio portfolio;
    Quotation quotation;
    QuoteState quoteState;
    Spacing spacing;
    BlockInfo blockInfo;
}
