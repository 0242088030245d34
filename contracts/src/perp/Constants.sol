// SPDX-License-Identifier: MIT
pragma solidity ^0.8.28;

uint256 constant WAD = 1e18;
uint256 constant Q96 = 2 ** 96;
uint256 constant RATIO_BASE = 10_000;

// The expiry of a perpetual pair.
uint32 constant PERP_EXPIRY = type(uint32).max;

int24 constant MIN_TICK = -322_517;
int24 constant MAX_TICK = 443_636;
uint160 constant MIN_SQRT_PX96 = 7_867_958_450_021_363_558_555;
uint160 constant MAX_SQRT_PX96 = 340_275_971_719_517_849_884_101_479_065_584_693_834;

// Unused tick of a packed `cancel` or `batchPlace` word.
int24 constant EMPTY_TICK = type(int24).max;

// By how much a pair may be short of a payment for rounding alone: a billionth of a base unit at the fair price, and a
// millionth of a quote unit. See docs/decisions/perp-dust.md.
uint256 constant DUST_BASE = 1e9;
uint256 constant DUST_QUOTE = 1e12;

int24 constant PEARL_SPACING = 1;
int24 constant ORDER_SPACING = 1;
int24 constant RANGE_SPACING = 50;

// A range edge lies at most this many ticks from the price (about five times the price).
uint24 constant MAX_TICK_DELTA = 16_096;

uint256 constant MIN_ORDER_MULTIPLIER = 2;
uint256 constant MIN_RANGE_MULTIPLIER = 10;

// Open orders, and open ranges, one account may hold in one pair.
uint256 constant MAX_ORDERS = 128;
uint256 constant MAX_RANGES = 128;

// Orders and ranges one `settle` ends; an account that holds more takes several calls.
uint256 constant MAX_SETTLED_ITEMS = 128;

// Liquidity that may start or end at one tick: with a full cap at every tick the active sum still fits 128 bits.
uint128 constant MAX_LIQUIDITY_PER_TICK = type(uint128).max / uint128(uint24(MAX_TICK - MIN_TICK + 1));

uint256 constant SETTLING_DURATION = 30 minutes;
uint256 constant MAX_EXPIRY_PERIOD = 13 weeks;

uint16 constant DEFAULT_INITIAL_MARGIN_RATIO = 1000;
uint16 constant DEFAULT_MAINTENANCE_MARGIN_RATIO = 500;
uint8 constant DEFAULT_FUNDING_HOURS = 24;

// A unit of the receiving side gets at most this many times what a unit of the paying side pays.
uint256 constant MOST_FUNDING_LEVERAGE = 1e6;

// A longer time without any action on a perpetual may have been its market's closing time: the market says how much of it
// funding is charged for.
uint256 constant MOST_FUNDING_SILENCE = 1 hours;

// Upper bound of trading and protocol fee, each, in basis points.
uint16 constant MAX_FEE_RATIO = 1000;

// Carry of a dated future, per day, in WAD (3 basis points).
uint256 constant DAILY_INTEREST_WAD = 3e14;

// The address that stands for the chain's native coin in packed arguments and events:
// address(uint160(uint256(keccak256("SYNFUTURES-NATIVE")) - 1)).
address constant NATIVE_TOKEN = 0x1d6B1d2AD091bec4aAe6A131C92008701531FdaF;
// Two more spellings of "native" that clients of this protocol send.
address constant NATIVE_TOKEN_ALIAS = 0xEeeeeEeeeEeEeeEeEeEeeEEEeeeeEeeeeeeeEEeE;
