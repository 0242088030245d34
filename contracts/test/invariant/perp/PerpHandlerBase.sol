// SPDX-License-Identifier: MIT
pragma solidity ^0.8.28;

import {IERC20} from "@openzeppelin/contracts/token/ERC20/IERC20.sol";
import {MAX_TICK, MIN_TICK} from "src/perp/Constants.sol";
import {Gate} from "src/perp/Gate.sol";
import {Packed} from "src/perp/Packed.sol";
import {Amm, BlockInfo, Portfolio, Quotation, Range} from "src/perp/Types.sol";
import {IInstrument} from "src/perp/interfaces/IInstrument.sol";
import {IInstrumentErrors} from "src/perp/interfaces/IInstrumentErrors.sol";
import {Curve} from "src/perp/maths/Curve.sol";
import {Tick} from "src/perp/maths/Tick.sol";
import {Wad} from "src/perp/maths/Wad.sol";
import {PerpFixture} from "test/perp/PerpFixture.sol";
import {Words} from "test/perp/Words.sol";
import {TestToken} from "test/perp/mocks/Mocks.sol";

/// The pair under test, the accounts that use it, and what the campaign watches and counts.
abstract contract PerpHandlerBase is PerpFixture {
    enum Action {
        TRADE,
        TAKE,
        ADJUST,
        PLACE,
        BATCH,
        CANCEL,
        CANCEL_TAKEN,
        FILL,
        ADD,
        REMOVE,
        REMOVE_OTHER,
        UPDATE,
        DEPOSIT,
        WITHDRAW,
        ROUND_TRIP,
        ADD_REMOVE,
        PLACE_LATE
    }

    // Few enough that the campaign spends its time on actions and not on reading lists.
    uint256 internal constant MOST_ORDERS = 8;
    uint256 internal constant MOST_RANGES = 4;

    address[5] public actors;
    address public roundTripper;
    address public visitor;
    address public whale;
    address public wanderer;
    mapping(Action => uint256) public succeeded;
    /// Operations that moved value, which bounds the dust.
    uint256 public operations;
    /// The first thing that must not happen, if any did.
    string public violation;
    /// Every generation an order was ever placed in.
    uint48[] public generations;
    mapping(uint48 => bool) internal _known;
    uint256 public lastLongSocialLoss;
    uint256 public lastShortSocialLoss;
    uint256 private lastFundingTime;
    bytes32 private lastFunding;

    function setUp() public virtual override {
        vm.warp(START);
        _deployCore();
        usd = new TestToken("USD", 18);
        _supportQuote(address(usd));
        for (uint256 i; i < 5; ++i) {
            actors[i] = makeAddress(string.concat("actor", vm.toString(i)));
            _fund(actors[i], 1e12 * 1e18);
        }
        (roundTripper, visitor) = (makeAddress("roundTripper"), makeAddress("visitor"));
        (whale, wanderer) = (makeAddress("whale"), makeAddress("wanderer"));
        _fund(whale, 1e12 * 1e18);
        _fund(wanderer, 1e12 * 1e18);
        _fund(roundTripper, 1e12 * 1e18);
        _fund(visitor, 1e12 * 1e18);
        _fund(maker, 1e12 * 1e18);
        instrument = _launch("BTC", address(usd), 300_000e18, 4000);
    }

    /// Calls made, whether they did something or not.
    uint256 public calls;

    modifier counted() {
        calls++;
        _;
    }

    // What the campaign reads

    function allGenerations() external view returns (uint48[] memory) {
        return generations;
    }

    function theInstrument() external view returns (IInstrument) {
        return IInstrument(address(instrument));
    }

    function theGate() external view returns (Gate) {
        return gate;
    }

    function theQuote() external view returns (IERC20) {
        return IERC20(address(usd));
    }

    /// Everybody who ever holds anything.
    function everyone() external view returns (address[10] memory) {
        return [actors[0], actors[1], actors[2], actors[3], actors[4], maker, roundTripper, visitor, whale, wanderer];
    }

    function initialisedTicks() external view returns (int24[] memory ticks) {
        (, ticks,,) = observer.liquidityDetails(address(instrument), PERP, type(uint24).max);
    }

    // Inside

    function _tradeQuoted(Action action, address trader, int256 size, uint256 marginSeed) internal {
        Quotation memory quotation;
        try observer.inquireByBase(address(instrument), PERP, size) returns (Quotation memory q, BlockInfo memory) {
            quotation = q;
        } catch (bytes memory reason) {
            return _expected(reason);
        }
        if (keccak256(abi.encode(instrument.inquire(PERP, size))) != keccak256(abi.encode(quotation))) {
            violation = "Observer quotes something else than the instrument";
        }
        int256 amount = int256(quotation.minAmount * bound(marginSeed, 101, 250) / 100);
        vm.prank(trader);
        try instrument.trade(Words.trade(PERP, size, amount, size > 0 ? MAX_TICK : MIN_TICK, 0)) {
            Amm memory amm = _amm();
            if (amm.sqrtPX96 != quotation.sqrtPostFairPX96 || amm.tick != quotation.postTick) {
                violation = "a trade ended elsewhere than quoted";
            }
            _done(action);
        } catch (bytes memory reason) {
            _expected(reason);
        }
    }

    function _removeRange(Action action, address operator, address target, uint48 rid) internal {
        (int24 tickLower, int24 tickUpper) = (int24(uint24(rid >> 24)), int24(uint24(rid)));
        vm.prank(operator);
        try instrument.remove(Words.remove(PERP, target, tickLower, tickUpper, ANY_LOW, ANY_HIGH, 0)) {
            _done(action);
        } catch (bytes memory reason) {
            _expected(reason);
        }
    }

    /// At either edge a new range is a position that meets the initial margin, up to dust.
    function _checkEdges(int24 tickLower, int24 tickUpper, Range memory range) internal {
        (uint160 lower, uint160 upper) = (Tick.toSqrt(tickLower), Tick.toSqrt(tickUpper));
        uint256 base = Curve.baseUp(range.liquidity, range.sqrtEntryPX96, upper);
        uint256 quote = Curve.quoteUp(range.liquidity, lower, range.sqrtEntryPX96);
        uint256 highQuote = Curve.quoteUp(range.liquidity, lower, upper);
        uint256 highNotional = Wad.mul(Tick.toPrice(tickUpper), base);
        int256 high = int256(uint256(range.balance)) - int256(highNotional) + int256(highQuote - quote);
        uint256 lowSize = Curve.baseUp(range.liquidity, lower, upper) - base;
        uint256 lowNotional = Wad.mul(Tick.toPrice(tickLower), lowSize);
        int256 low = int256(uint256(range.balance)) + int256(lowNotional) - int256(quote);
        if (high + 1e5 < int256(highNotional / 10) || low + 1e5 < int256(lowNotional / 10)) {
            violation = "a new range is not safe at its edges";
        }
    }

    function _done(Action action) internal {
        succeeded[action]++;
        operations++;
        Amm memory amm = _amm();
        if (amm.longSocialLossIndex < lastLongSocialLoss || amm.shortSocialLossIndex < lastShortSocialLoss) {
            violation = "a social loss index fell";
        }
        (lastLongSocialLoss, lastShortSocialLoss) = (amm.longSocialLossIndex, amm.shortSocialLossIndex);
        bytes32 funding = keccak256(abi.encode(amm.longFundingIndex, amm.shortFundingIndex));
        if (block.timestamp == lastFundingTime && funding != lastFunding) violation = "funding moved without time";
        (lastFundingTime, lastFunding) = (block.timestamp, funding);
    }

    /// A refusal is fine, a broken invariant or a panic is not.
    function _expected(bytes memory reason) internal {
        bytes4 selector = bytes4(reason);
        if (
            reason.length < 4 || selector == bytes4(keccak256("Panic(uint256)"))
                || selector == IInstrumentErrors.InvariantBroken.selector
                || selector == IInstrumentErrors.ReuseNonEmptyRecord.selector
                || selector == IInstrumentErrors.AddOverflow.selector
                || selector == IInstrumentErrors.OrderNotFullyTaken.selector
        ) violation = "an action failed with an error that says something is broken";
    }

    function _know(int24 tick, uint24 nonce) internal {
        uint48 id = Packed.orderId(tick, nonce);
        if (_known[id]) return;
        _known[id] = true;
        generations.push(id);
    }

    /// The first actor from `seed` on who has orders (or ranges); with none, any.
    function _holder(uint256 seed, bool ofOrders) internal view returns (address trader) {
        for (uint256 i; i < 5; ++i) {
            trader = _actor(seed % 5 + i);
            Portfolio memory p = _portfolio(trader);
            if ((ofOrders ? p.oids.length : p.rids.length) != 0) return trader;
        }
    }

    function _actor(uint256 seed) internal view returns (address) {
        return actors[seed % 5];
    }

    function _orderSize(int24 tick, uint256 valueSeed) internal view returns (int256) {
        uint256 value = bound(valueSeed, 210e18, 6000e18);
        int256 size = int256(value * 1e18 / Tick.toPrice(tick));
        return tick > _tick() ? -size : size;
    }

    function _orderMargin(int24 tick, int256 size) internal view returns (uint256) {
        (, int256 answer,,,) = btcFeed.latestRoundData();
        uint256 mark = uint256(answer) * 1e10;
        uint256 price = Tick.toPrice(tick);
        return Wad.mulUp(price > mark ? price : mark, _abs(size)) / 10 + 1;
    }

    function _abs(int256 x) internal pure returns (uint256) {
        return uint256(x < 0 ? -x : x);
    }
}
