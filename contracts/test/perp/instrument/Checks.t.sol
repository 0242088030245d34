// SPDX-License-Identifier: MIT
pragma solidity ^0.8.28;

import {QuoteParams} from "src/perp/QuoteParams.sol";
import {Position, PositionCache, QuoteParam} from "src/perp/Types.sol";
import {Accounts} from "src/perp/instrument/Accounts.sol";
import {Cast} from "src/perp/instrument/Cast.sol";
import {Margins} from "src/perp/instrument/Margins.sol";
import {Indices, Positions} from "src/perp/instrument/Positions.sol";
import {Prices} from "src/perp/instrument/Prices.sol";
import {Context, State, Store} from "src/perp/instrument/Store.sol";
import {IInstrumentErrors} from "src/perp/interfaces/IInstrumentErrors.sol";
import {Wad} from "src/perp/maths/Wad.sol";
import {TestBase} from "test/TestBase.sol";

contract CastTest is TestBase {
    using Cast for int256;
    using Cast for uint256;

    function toUint128(uint256 x) external pure returns (uint128) {
        return x.toUint128();
    }

    function toUint96(uint256 x) external pure returns (uint96) {
        return x.toUint96();
    }

    function toInt128(int256 x) external pure returns (int128) {
        return x.toInt128();
    }

    function toInt96(int256 x) external pure returns (int96) {
        return x.toInt96();
    }

    /// Shifting the seed makes every width about equally likely.
    function testFuzzKeepsOrRefuses(uint256 seed, uint8 shift) public {
        uint256 x = seed >> shift;
        int256 y = int256(seed) >> shift;
        _expect(x <= type(uint128).max, abi.encodeCall(this.toUint128, (x)), x);
        _expect(x <= type(uint96).max, abi.encodeCall(this.toUint96, (x)), x);
        bool fits = y >= type(int128).min && y <= type(int128).max;
        _expect(fits, abi.encodeCall(this.toInt128, (y)), uint256(y));
        fits = y >= type(int96).min && y <= type(int96).max;
        _expect(fits, abi.encodeCall(this.toInt96, (y)), uint256(y));
    }

    function testFuzzAbs(int256 x) public pure {
        if (x == type(int256).min) return;
        vm.assertEq(x.abs(), uint256(x > 0 ? x : -x));
    }

    function _expect(bool fits, bytes memory call, uint256 value) private {
        (bool ok, bytes memory data) = address(this).call(call);
        vm.assertEq(ok, fits);
        vm.assertEq(data, fits ? abi.encode(value) : abi.encodePacked(IInstrumentErrors.AddOverflow.selector));
    }
}

contract MarginsTest is TestBase {
    /// At the greatest leverage an order's margin is what the initial margin asks for, up to the wei of its rounding.
    function testFuzzOrderMargin(uint256 priceSeed, uint256 markSeed, uint256 sizeSeed, uint16 ratioSeed) public {
        State storage s = Store.load();
        s.initialMarginRatio = uint16(bound(uint256(ratioSeed), 2, 9999));
        (uint256 price, uint256 mark) = (bound(priceSeed, 1e9, 1e30), bound(markSeed, 1e9, 1e30));
        uint256 size = bound(sizeSeed, 1, 1e28);
        uint256 value = Wad.mulUp(price > mark ? price : mark, size);
        uint256 margin = Margins.ofOrder(price, mark, size, Margins.maxLeverage(s));
        vm.assertGe(margin, Wad.mulUp(value, Margins.imr(s)));
        // The greatest leverage is cut, so the margin is dearer by at most one part in 1e18 / 10000 / ratio of it.
        vm.assertLe(margin, Wad.mulUp(value, Margins.imr(s)) + margin / 1e14 + 1);
        vm.assertLe(Margins.ofOrder(price, mark, size, Margins.maxLeverage(s) / 2), 2 * margin + margin / 1e14 + 2);
    }

    function testFuzzLeastValuesAreMultiples(uint96 least, uint16 ratioSeed) public {
        State storage s = Store.load();
        (s.minMarginAmount, s.initialMarginRatio) = (least, uint16(bound(uint256(ratioSeed), 1, 9999)));
        uint256 value = Margins.minTradeValue(s);
        vm.assertLe(value * s.initialMarginRatio, uint256(least) * 10_000);
        vm.assertTrue((value + 1) * s.initialMarginRatio > uint256(least) * 10_000);
        vm.assertEq(Margins.minOrderValue(s), 2 * value);
        vm.assertEq(Margins.minRangeValue(s), 10 * value);
    }

    function testFuzzTakerFeeIsOneRounding(uint128 notional, uint16 tradingSeed, uint16 protocolSeed) public {
        State storage s = Store.load();
        s.tradingFeeRatio = uint16(bound(uint256(tradingSeed), 0, 1000));
        s.protocolFeeRatio = uint16(bound(uint256(protocolSeed), 0, 1000));
        uint256 exact = uint256(notional) * (uint256(s.tradingFeeRatio) + s.protocolFeeRatio);
        uint256 fee = Margins.takerFee(s, notional);
        vm.assertEq(fee, (exact + 9999) / 10_000);
    }
}

contract PricesTest is TestBase {
    function check(uint256 pre, uint256 post, uint256 benchmark, uint256 mmr) external pure {
        Prices.checkDeviation(pre, post, benchmark, mmr);
    }

    /// What perp-protocol 4.1 says of the deviation rule, word by word.
    function testFuzzDeviationRule(uint256 preSeed, uint256 postSeed, uint256 benchmarkSeed, uint16 mmrSeed) public {
        uint256 benchmark = bound(benchmarkSeed, 1e10, 1e30);
        uint256 pre = bound(preSeed, benchmark / 2, benchmark * 2);
        uint256 post = bound(postSeed, benchmark / 2, benchmark * 2);
        uint256 mmr = Wad.fromRatio(bound(uint256(mmrSeed), 1, 5000));
        (uint256 before, uint256 after_) = (Wad.deviation(pre, benchmark), Wad.deviation(post, benchmark));
        bool flipped = (pre >= benchmark) != (post >= benchmark);
        bool refused = (flipped && after_ > mmr) || (!flipped && after_ > before && after_ > mmr);
        (bool ok, bytes memory reason) = address(this).call(abi.encodeCall(this.check, (pre, post, benchmark, mmr)));
        vm.assertEq(ok, !refused);
        if (refused) vm.assertEq(reason, abi.encodePacked(IInstrumentErrors.CrazyDeviation.selector));
    }
}

contract QuoteParamsTest is TestBase {
    function check(QuoteParam calldata param) external pure {
        QuoteParams.check(param);
    }

    function testFuzzBounds(uint128 least, uint128 tip, uint16 trading, uint16 protocol) public {
        QuoteParam memory param = QuoteParam(least, trading, protocol, 1, tip);
        bytes4 reason;
        if (least == 0 || least > type(uint96).max) reason = QuoteParams.BadMinMarginAmount.selector;
        else if (trading > 1000) reason = QuoteParams.BadTradingFeeRatio.selector;
        else if (protocol > 1000) reason = QuoteParams.BadProtocolFeeRatio.selector;
        else if (tip > least) reason = QuoteParams.BadTip.selector;
        (bool ok, bytes memory data) = address(this).call(abi.encodeCall(this.check, (param)));
        vm.assertEq(ok, reason == 0);
        if (!ok) vm.assertEq(data, abi.encodePacked(reason));
    }

    function testEachBoundByItself() public {
        this.check(QuoteParam(type(uint96).max, 1000, 1000, 1, type(uint96).max));
        vm.expectRevert(QuoteParams.BadMinMarginAmount.selector);
        this.check(QuoteParam(uint128(type(uint96).max) + 1, 0, 0, 1, 0));
        vm.expectRevert(QuoteParams.BadTip.selector);
        this.check(QuoteParam(5, 0, 0, 1, 6));
    }
}

contract AccountsTest is TestBase {
    using Accounts for Context;

    uint32 private constant PERP = type(uint32).max;

    function _pair() private view returns (Context storage) {
        return Store.load().contexts[PERP];
    }

    function save(PositionCache memory main) external returns (uint256) {
        return _pair().save(PERP, address(1), main);
    }

    /// What is stored comes back; a flat position is paid out whole, and a bankrupt one is refused.
    function testFuzzSavesAndLoads(int128 balance, int128 size, uint128 notional, uint128 loss, int128 funding) public {
        PositionCache memory main = PositionCache(balance, size, notional, loss, funding);
        if (size == 0) (main.entryNotional, main.entrySocialLossIndex, main.entryFundingIndex) = (0, 0, 0);
        if (size == 0 && balance < 0) {
            vm.expectRevert(IInstrumentErrors.PositionBankrupt.selector);
            this.save(main);
            return;
        }
        uint256 payout = this.save(main);
        vm.assertEq(payout, size == 0 ? uint256(int256(balance)) : 0);
        PositionCache memory loaded = _pair().load(address(1));
        if (size == 0) main.balance = 0;
        vm.assertEq(keccak256(abi.encode(loaded)), keccak256(abi.encode(main)));
        Position memory other = _pair().accounts[address(2)].position;
        vm.assertEq(int256(other.size), 0, "and nobody else's changes");
    }

    /// Of what opposes, both totals and the open interest lose the same.
    function testFuzzMergeTakesWhatClosesOutOfTheTotals(int96 a, int96 b) public {
        Context storage c = _pair();
        (c.amm.totalLong, c.amm.totalShort, c.amm.openInterests) = (1e36, 2e36, 3e36);
        Indices memory none;
        PositionCache memory sum =
            c.merge(address(1), Positions.open(none, 0, a, Cast.abs(a)), Positions.open(none, 0, b, Cast.abs(b)), none);
        uint256 closed = (Cast.abs(a) + Cast.abs(b) - Cast.abs(int256(a) + b)) / 2;
        vm.assertEq(sum.size, int256(a) + b);
        vm.assertEq(uint256(c.amm.totalLong), 1e36 - closed);
        vm.assertEq(uint256(c.amm.totalShort), 2e36 - closed);
        vm.assertEq(uint256(c.amm.openInterests), 3e36 - closed);
    }
}
