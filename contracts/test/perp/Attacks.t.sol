// SPDX-License-Identifier: MIT
pragma solidity ^0.8.28;

import {RiskFixture} from "./RiskFixture.sol";
import {Words} from "./Words.sol";
import {HookedToken, TaxedToken, TestToken} from "./mocks/Mocks.sol";
import {ReentrancyGuardTransient} from "@openzeppelin/contracts/utils/ReentrancyGuardTransient.sol";
import {MAX_TICK, MIN_TICK} from "src/perp/Constants.sol";
import {Gate} from "src/perp/Gate.sol";
import {Instrument} from "src/perp/Instrument.sol";
import {Range} from "src/perp/Types.sol";
import {IGate} from "src/perp/interfaces/IGate.sol";
import {IInstrumentErrors as Errors} from "src/perp/interfaces/IInstrumentErrors.sol";
import {ICexMarket} from "src/perp/interfaces/IMarket.sol";

/// Attacks, and what the attacker ends with: wallet, reserve, and what a position is worth at the mark. Alice and Bob are
/// the attacker's accounts. Gaps.t.sol has those with an oracle that jumps, RelayRouter.t.sol those of delegates.
contract AttacksTest is RiskFixture {
    function _wealth(address account) private view returns (int256) {
        uint256 tokens = usd.balanceOf(account) + _reserve(account);
        return int256(tokens * 1e12) + _equity(account, 3000e18);
    }

    function _attackers() private view returns (int256) {
        return _wealth(alice) + _wealth(bob);
    }

    function _close(address account) private {
        int256 size = _position(account).size;
        if (size != 0) _trade(account, -size, 0);
    }

    /// Buying before and selling after somebody's trade in one block: whatever the size, the victim's limit of 50 basis points
    /// and two fees leave the attacker with less.
    function testFuzzSandwich(uint256 sizeSeed) public {
        int256 began = _attackers();
        uint256 notional = instrument.inquire(PERP, 10e18).entryNotional;
        int24 limit = _tickOf(notional / 10 * 10_050 / 10_000);
        int256 size = int256(bound(sizeSeed, 0.5e18, 150e18));
        _trade(alice, size, 100_000e18);
        vm.prank(carol);
        (bool ok,) = address(instrument).call(_tradeCall(10e18, 5000e18, limit, 0));
        _close(alice);
        vm.assertTrue(_attackers() <= began, ok ? "less, with the victim's trade" : "less, with none");
    }

    /// While the feed is stale the attacker can do nothing at all, and what is in the reserve can leave.
    function testStaleOracle() public {
        _trade(alice, 5e18, 5000e18);
        btcFeed.setAt(3000e8, block.timestamp);
        vm.warp(block.timestamp + 3601);
        bytes memory reason = abi.encodeWithSelector(ICexMarket.InvalidCexPrice.selector, address(btcFeed));
        bytes[7] memory calls = _everyAction();
        for (uint256 i; i < calls.length; ++i) {
            _refuse(alice, reason, calls[i]);
        }
        _refuse(bob, reason, _addCall(10_000e18, 1000, 1000));
        _refuse(bob, reason, _liquidateCall(alice, 5e18, 5000e18));
        _refuse(bob, reason, _sweepCall(alice, -5e18));
        uint256 reserve = _reserve(alice);
        vm.prank(alice);
        gate.withdraw(Words.token(address(usd), reserve));
        vm.assertEq(_reserve(alice), 0);
    }

    /// A price from the future would stay fresh for ever.
    function testAFeedFromTheFuture() public {
        btcFeed.setAt(3000e8, block.timestamp + 3601);
        bytes memory reason = abi.encodeWithSelector(ICexMarket.InvalidCexPrice.selector, address(btcFeed));
        _refuse(alice, reason, _tradeCall(1e18, 1000e18, MAX_TICK, 0));
    }

    /// Positions of a wei, opened, traded and closed a hundred times: every rounding is the attacker's loss.
    function testFuzzDust(uint256 seed) public {
        int256 began = _attackers();
        _trade(alice, 1e18, 1000e18);
        _trade(alice, -1e18 + 1, 0);
        _trade(bob, -1e18, 1000e18);
        _trade(bob, 1e18 - 1, 0);
        for (uint256 i; i < 50; ++i) {
            seed = uint256(keccak256(abi.encode(seed)));
            address who = seed & 1 == 0 ? alice : bob;
            int256 size = int256(bound(seed >> 8, 1, 1000)) * (seed & 2 == 0 ? int256(1) : int256(-1));
            int256 held = _position(who).size;
            if (held == 0 || held + size == 0) continue;
            _trade(who, size, 0);
        }
        _close(alice);
        _close(bob);
        vm.assertTrue(_attackers() <= began);
    }

    /// A whole account of orders, a tick each, in the way of a trade: it goes through in one transaction, and who placed them
    /// and trades through them itself ends with less.
    function testOrderSpam() public {
        int256 began = _attackers();
        for (int24 i; i < 128; ++i) {
            _place(alice, 80_070 + i, -0.1e18, 40e18);
        }
        int256 size = observer.getBaseSizeByTick(address(instrument), PERP, 80_200);
        uint256 gas = gasleft();
        _trade(bob, size, 300_000e18);
        vm.assertLe(gas - gasleft(), 16_000_000);
        for (int24 i; i < 128; ++i) {
            _fill(alice, alice, 80_070 + i, 0);
        }
        _close(bob);
        _close(alice);
        vm.assertTrue(_attackers() <= began);
    }

    /// Two hundred accounts of the attacker, an order each at one tick: whoever trades through pays for one tick, and all of
    /// them together end with less.
    function testTwoHundredOrdersAtOneTick() public {
        address[] memory spammers = new address[](200);
        for (uint256 i; i < spammers.length; ++i) {
            spammers[i] = makeAddress(string.concat("spammer", vm.toString(i)));
            _fund(spammers[i], 1000e6);
        }
        int256 began = _wealth(bob) + int256(spammers.length) * 1000e18;
        for (uint256 i; i < spammers.length; ++i) {
            _place(spammers[i], 80_100, -0.1e18, 40e18);
        }
        int256 size = observer.getBaseSizeByTick(address(instrument), PERP, 80_101);
        uint256 gas = gasleft();
        _trade(bob, size, 100_000e18);
        vm.assertLe(gas - gasleft(), 500_000, "what one tick costs");
        for (uint256 i; i < spammers.length; ++i) {
            _fill(spammers[i], spammers[i], 80_100, 0);
        }
        _close(bob);
        int256 ended = _wealth(bob);
        for (uint256 i; i < spammers.length; ++i) {
            _close(spammers[i]);
            ended += _wealth(spammers[i]);
        }
        vm.assertTrue(ended <= began, "the attacker ends with less");
    }

    /// The attacker takes the largest account over. It gets what was left of that account by right, and no more.
    function testTakeOverOfTheLargestAccount() public {
        for (uint256 i; i < 2; ++i) {
            _trade(maker, -90e18, 100_000e18);
            _thin(carol, 90e18);
        }
        uint256 mark = 2900;
        while (_equity(carol, mark * 1e18) >= int256(mark * 1e18 * 180 / 20)) --mark;
        _mark(mark);
        int256 left = _equity(carol, mark * 1e18);
        vm.assertTrue(left > 0);
        int256 began = _wealthAt(alice, mark) + _wealthAt(bob, mark);
        _liquidate(bob, carol, 180e18, 200_000e18);
        vm.assertEq(int256(_position(bob).size), 180e18);
        int256 gain = _wealthAt(alice, mark) + _wealthAt(bob, mark) - began;
        vm.assertTrue(gain <= left && gain >= left - 1e15, "what was left of the account");
        vm.assertEq(int256(_position(carol).size), 0);
        vm.assertEq(uint256(_amm().longSocialLossIndex) + _amm().shortSocialLossIndex, 0);
    }

    /// The attacker fails with one account by more than the insurance fund holds and takes it over with the other: the fund
    /// is spent, the other side bears the rest, and the attacker has lost the margin.
    function testBadDebtAboveTheFund() public {
        int256 began = _attackers();
        _thin(alice, 10e18);
        int256 margin = _equity(alice, 3000e18);
        _trade(carol, -10e18, 10_000e18);
        _donate(carol, 1000e18);
        _mark(2400);
        int256 debt = -_equity(alice, 2400e18);
        vm.assertTrue(debt > 2 * 1000e18, "more than the fund");
        int256 other = _equity(carol, 2400e18);
        _liquidate(bob, alice, 10e18, 5000e18);
        vm.assertTrue(_amm().insuranceFund < 1e18, "the fund is spent");
        int256 borne = other - _equity(carol, 2400e18);
        vm.assertTrue(borne > 0 && borne <= debt - 999e18, "the other side bears the rest at most");
        vm.assertEq(int256(_position(alice).size), 0);
        int256 ended = _wealthAt(alice, 2400) + _wealthAt(bob, 2400);
        vm.assertTrue(ended <= began - margin, "the margin is lost");
    }

    /// With what a position is worth at `mark` whole dollars.
    function _wealthAt(address account, uint256 mark) private view returns (int256) {
        return int256((usd.balanceOf(account) + _reserve(account)) * 1e12) + _equity(account, mark * 1e18);
    }

    /// The largest account falls below its margin. Selling before its forced close and buying back after, the attacker
    /// ends with no more than the account's own remaining margin, which whoever takes it over gets by right.
    function testSandwichOfALiquidation() public {
        for (uint256 i; i < 2; ++i) {
            _trade(maker, -90e18, 100_000e18);
            _thin(carol, 90e18);
        }
        uint256 mark = 2900;
        while (_equity(carol, mark * 1e18) >= int256(mark * 1e18 * 180 / 20)) --mark;
        _mark(mark);
        int256 push = observer.getBaseSizeByTick(address(instrument), PERP, _tickOf(mark * 1e18));
        _trade(maker, push, 2_000_000e18);
        int256 cushion = _equity(carol, mark * 1e18);
        int256 began = _attackers();
        _trade(alice, -60e18, 100_000e18);
        for (uint256 i; i < 18; ++i) {
            vm.prank(bob);
            (bool ok,) = address(instrument).call(_sweepCall(carol, -10e18));
            if (!ok) break;
        }
        _close(alice);
        int256 gain = _attackers() - began;
        vm.assertTrue(gain <= cushion, "no more than what was left of the account");
        vm.assertEq(uint256(_amm().longSocialLossIndex) + _amm().shortSocialLossIndex, 0);
    }

    /// Everybody is long and is right: what they take out together is what the ranges lose, to the wei of rounding.
    function testEverybodyOnOneSide() public {
        int256 began = _attackers() + _wealth(carol) + _wealth(maker) + int256(uint256(_amm().involvedFund));
        _trade(alice, 30e18, 20_000e18);
        _trade(bob, 30e18, 20_000e18);
        _trade(carol, 30e18, 20_000e18);
        _mark(3200);
        _trade(alice, observer.getBaseSizeByTick(address(instrument), PERP, _tickOf(3200e18)), 50_000e18);
        _close(bob);
        _close(carol);
        _mark(3050);
        _close(alice);
        _mark(3000);
        (int24 lower, int24 upper) = _onlyRange();
        _remove(maker, maker, lower, upper);
        _close2(maker);
        uint256 kept = _amm().involvedFund;
        int256 ended = _attackers() + _wealth(carol) + _wealth(maker) + int256(kept);
        // What is left in the pair is fees, and what rounding to tokens cut off.
        vm.assertTrue(ended <= began && ended >= began - 10e12);
        vm.assertGe(kept + 1e12, _amm().protocolFee + _amm().insuranceFund);
    }

    function _onlyRange() private view returns (int24, int24) {
        uint48 id = _portfolio(maker).rids[0];
        return (int24(uint24(id >> 24)), int24(uint24(id)));
    }

    /// The last range is gone: what its owner is left with cannot be traded, so it ends at a resolved price.
    function _close2(address account) private {
        if (_position(account).size == 0) return;
        vm.prank(guardian);
        instrument.freeze();
        vm.prank(admin);
        instrument.resolve(3000e18);
        instrument.settle(PERP, account);
    }

    /// Being first with the least a pair may be opened with buys nothing: no rounding favours the first range, and whoever
    /// adds and removes ends with less.
    function testFirstRange() public {
        Instrument other = _launch("ETH", address(usd), 1000e18, 953);
        int256 began = _attackers();
        for (uint256 i; i < 10; ++i) {
            vm.startPrank(alice);
            (int24 lower, int24 upper, Range memory range) =
                other.add(Words.add(PERP, 1000e18, 953, 953, ANY_LOW, ANY_HIGH, 0));
            vm.assertTrue(range.liquidity > 0);
            other.remove(Words.remove(PERP, alice, lower, upper, ANY_LOW, ANY_HIGH, 0));
            vm.stopPrank();
        }
        vm.assertTrue(_attackers() <= began && _attackers() >= began - 20e12);
        // Opening a pair far from the market is impossible: it opens at the mark.
        vm.assertEq(other.getAmm(PERP).tick, _tickOf(3000e18));
    }

    /// Parameters change under open positions: nothing moves by it but what may be done next. A raised maintenance margin makes
    /// an account liquidatable (the timelock is the notice); equity is what it was.
    function testParametersUnderOpenPositions() public {
        _thin(alice, 10e18);
        uint24 nonce = _place(bob, 80_300, -1e18, 320e18);
        int256 began = _attackers();
        vm.startPrank(admin);
        instrument.setLeverage(2000, 1500);
        instrument.setFundingHour(1);
        vm.stopPrank();
        vm.assertEq(_attackers(), began);
        _refuse(alice, Errors.TradeImrUnsafe.selector, _tradeCall(1e18, 0, MAX_TICK, 0));
        _liquidate(carol, alice, 10e18, 5000e18);
        (bool done,) = _cancel(bob, 80_300);
        vm.assertTrue(done && nonce == 0);
        vm.prank(admin);
        instrument.setLeverage(300, 200);
        _trade(carol, 0, -6000e18);
        _refuse(carol, Errors.TradeImrUnsafe.selector, _tradeCall(0, -6000e18, 0, 0));
    }

    // Tokens

    /// A token that calls its sender back finds Gate locked: the margin pulled from a wallet cannot be withdrawn from the
    /// reserve a second time.
    function testReentrantToken() public {
        HookedToken hooked = new HookedToken();
        _supportQuote(address(hooked));
        hooked.mint(maker, 1e30);
        vm.prank(maker);
        hooked.approve(address(gate), type(uint256).max);
        instrument = _launch("BTC", address(hooked), 500_000e18, 2000);
        Reenterer thief = new Reenterer(gate, instrument, hooked);
        hooked.mint(address(thief), 2000e18);
        thief.deposit(1000e18);
        hooked.hook(address(thief), abi.encodeCall(Reenterer.again, ()));
        thief.trade(1e18, 1500e18);
        vm.assertEq(
            hooked.answer(), abi.encodeWithSelector(ReentrancyGuardTransient.ReentrancyGuardReentrantCall.selector)
        );
        uint256 held = gate.reserveOf(address(hooked), address(instrument));
        vm.assertEq(gate.reserveOf(address(hooked), address(thief)), 0);
        vm.assertEq(hooked.balanceOf(address(gate)), held + gate.reserveOf(address(hooked), maker));
    }

    /// A token that begins to keep a part of each transfer is refused on its way in; what instruments hold does not move
    /// by transfers, so nothing is missing inside.
    function testFeeOnTransfer() public {
        TaxedToken taxed = new TaxedToken();
        taxed.mint(alice, 1000e18);
        _supportQuote(address(taxed));
        _setFeeder(_instrumentAddress("BTC", address(taxed)), 3600);
        vm.startPrank(alice);
        taxed.approve(address(gate), type(uint256).max);
        (bool ok, bytes memory reason) = address(gate)
            .call(
                abi.encodeCall(
                    gate.launch,
                    (
                        "LINK",
                        _instrumentAddress("BTC", address(taxed)),
                        abi.encode("BTC", address(taxed)),
                        Words.add(PERP, 1000e18, 0, 2000, ANY_LOW, ANY_HIGH, 0)
                    )
                )
            );
        vm.assertFalse(ok);
        vm.assertEq(reason, abi.encodeWithSelector(IGate.UnsafeToken.selector, address(taxed)));
    }

    /// Quote tokens of no, two and eighteen decimals: in and out again, the attacker ends with less and the pair with more.
    function testOddDecimals() public {
        uint8[3] memory decimals = [0, 2, 18];
        for (uint256 i; i < 3; ++i) {
            TestToken token = new TestToken("ODD", decimals[i]);
            uint256 unit = 10 ** decimals[i];
            _supportQuote(address(token));
            _equip(token, maker, 1_000_000 * unit);
            _equip(token, alice, 10_000 * unit);
            Instrument odd = _launch("BTC", address(token), 500_000e18, 2000);
            vm.startPrank(alice);
            for (uint256 j; j < 5; ++j) {
                odd.trade(Words.trade(PERP, 1e18 + int256(j), 700e18 + 1, MAX_TICK, 0));
                odd.trade(Words.trade(PERP, -1e18 - int256(j), 0, MIN_TICK, 0));
            }
            gate.withdraw(Words.token(address(token), gate.reserveOf(address(token), alice)));
            vm.stopPrank();
            vm.assertLe(token.balanceOf(alice), 10_000 * unit);
            vm.assertEq(odd.getAmm(PERP).involvedFund % (10 ** (18 - decimals[i])), 0);
            uint256 held = gate.reserveOf(address(token), address(odd));
            vm.assertEq(held * 10 ** (18 - decimals[i]), odd.getAmm(PERP).involvedFund);
            vm.assertEq(token.balanceOf(address(gate)), held + gate.reserveOf(address(token), maker));
        }
    }

    function _equip(TestToken token, address account, uint256 quantity) private {
        token.mint(account, quantity);
        vm.startPrank(account);
        token.approve(address(gate), type(uint256).max);
        gate.deposit(Words.token(address(token), quantity));
        vm.stopPrank();
    }
}

/// A trader whose token calls it back, and who then tries to withdraw what it is paying with.
contract Reenterer {
    Gate private immutable gate;
    Instrument private immutable instrument;
    TestToken private immutable token;

    constructor(Gate gate_, Instrument instrument_, TestToken token_) {
        (gate, instrument, token) = (gate_, instrument_, token_);
        token_.approve(address(gate_), type(uint256).max);
    }

    function deposit(uint256 quantity) external {
        gate.deposit(Words.token(address(token), quantity));
    }

    function trade(int256 size, int256 amount) external {
        instrument.trade(Words.trade(type(uint32).max, size, amount, MAX_TICK, 0));
    }

    function again() external {
        gate.withdraw(Words.token(address(token), 1000e18));
    }
}
