// SPDX-License-Identifier: MIT
pragma solidity ^0.8.28;

import {PerpHandlerBase} from "./PerpHandlerBase.sol";
import {PerpSlots} from "./PerpSlots.sol";
import {MAX_TICK, MIN_TICK, SETTLING_DURATION} from "src/perp/Constants.sol";
import {Packed} from "src/perp/Packed.sol";
import {Amm, Condition, Order, Pending, Portfolio, Range, Status} from "src/perp/Types.sol";
import {IInstrumentErrors} from "src/perp/interfaces/IInstrumentErrors.sol";
import {Tick} from "src/perp/maths/Tick.sol";
import {Wad} from "src/perp/maths/Wad.sol";
import {Words} from "test/perp/Words.sol";

/// Drives a perpetual and a dated pair of one instrument through what a market and its operator do to them: gaps, thin margins,
/// accounts that fail, halts, expiry, withdrawals that wait.
contract PerpStressHandler is PerpHandlerBase {
    enum Kind {
        GAP,
        THIN,
        THIN_DATED,
        LIQUIDATE,
        SWEEP,
        SOCIAL_LOSS,
        CHEAT,
        EDGE,
        TAKEN,
        FILL,
        RANGE,
        RANGE_OUT,
        FREEZE,
        CLOSED,
        PAUSE,
        PENDING,
        RELEASE,
        SETTLING,
        SETTLED,
        SETTLE,
        DELETED
    }

    // The mark stays where the first range reaches.
    uint256 private constant LOWEST = 2150e8;
    uint256 private constant HIGHEST = 4200e8;
    int256 private constant AMPLE = 500_000e18;

    mapping(Kind => uint256) public happened;
    /// The dated pair that is open, and pairs that were deleted.
    uint32 public dated;

    function setUp() public override {
        super.setUp();
        vm.prank(admin);
        config.disableLiquidatorWhitelist();
        _openDated();
    }

    function _openDated() private {
        dated = uint32((block.timestamp - 32 hours) / 1 weeks * 1 weeks + 32 hours + 1 weeks);
        if (dated < block.timestamp + 1 days) dated += 1 weeks;
        vm.prank(maker);
        instrument.add(Words.add(dated, 300_000e18, 0, 4000, ANY_LOW, ANY_HIGH, 0));
        operations++;
    }

    function _happen(Kind kind) private {
        happened[kind]++;
        // Time may have passed for the other pair alone.
        try instrument.update(PERP) {}
        catch (bytes memory reason) {
            _expected(reason);
        }
        _done(Action.UPDATE);
    }

    // The market

    /// The oracle jumps by up to three tenths; mostly the curve follows, sometimes it stays behind.
    function gap(uint256 jumpSeed, uint256 timeSeed) external counted {
        (, int256 answer,,,) = btcFeed.latestRoundData();
        uint256 next = uint256(answer) * bound(jumpSeed, 70, 143) / 100;
        if (next < LOWEST || next > HIGHEST) next = uint256(answer) * uint256(answer) / next;
        btcFeed.set(int256(bound(next, LOWEST, HIGHEST)));
        vm.warp(block.timestamp + bound(timeSeed, 0, 30 minutes));
        _happen(Kind.GAP);
        if (timeSeed % 4 != 0) _arbitrage();
    }

    /// The whale brings the curves to the mark. It never fails itself: the market would stand still for the rest of its life.
    function _arbitrage() private {
        _support(PERP);
        _arbitrageOf(PERP, market.getSpotPrice(address(instrument)));
        uint8 status = instrument.getAmm(dated).status;
        if (status == uint8(Status.TRADING)) {
            _support(dated);
            _arbitrageOf(dated, market.getMarkPrice(address(instrument), dated, status));
        }
    }

    function _support(uint32 expiry) private {
        vm.prank(whale);
        try instrument.trade(Words.trade(expiry, 0, 4 * AMPLE, 0, 0)) {
            _done(Action.ADJUST);
        } catch (bytes memory reason) {
            _expected(reason);
        }
    }

    function _arbitrageOf(uint32 expiry, uint256 mark) private {
        int24 target = Tick.fromPrice(mark);
        if (target == instrument.getAmm(expiry).tick) return;
        _tryTrade(expiry, whale, observer.getBaseSizeByTick(address(instrument), expiry, target), AMPLE);
    }

    function _tryTrade(uint32 expiry, address trader, int256 size, int256 amount) private returns (bool done) {
        if (size == 0) return false;
        vm.prank(trader);
        try instrument.trade(Words.trade(expiry, size, amount, size > 0 ? MAX_TICK : MIN_TICK, 0)) {
            _done(Action.TRADE);
            done = true;
        } catch (bytes memory reason) {
            _expected(reason);
        }
    }

    // Thin accounts, and what becomes of them

    /// A position on the least margin there is.
    function thin(uint256 who, int256 sizeSeed, bool ofDated) external counted {
        uint32 expiry = ofDated ? dated : PERP;
        int256 size = bound(sizeSeed, -20e18, 20e18);
        try this.openThin(expiry, _actor(who), size) {
            _happen(ofDated ? Kind.THIN_DATED : Kind.THIN);
        } catch (bytes memory reason) {
            _expected(reason);
        }
    }

    function openThin(uint32 expiry, address trader, int256 size) external {
        int256 amount = int256(instrument.inquire(expiry, size).minAmount);
        vm.prank(trader);
        instrument.trade(Words.trade(expiry, size, amount, size > 0 ? MAX_TICK : MIN_TICK, 0));
    }

    /// Whoever is below the maintenance margin is taken over by the whale or closed against the curve, whole or in part.
    function enforce(uint256 partSeed) external counted {
        if (partSeed % 3 == 1) _emptyFunds();
        for (uint256 i; i < 5; ++i) {
            _enforce(PERP, actors[i], partSeed, partSeed % 2 == i % 2);
            _enforce(dated, actors[i], partSeed, partSeed % 2 != i % 2);
        }
    }

    /// The owner takes the insurance, so that losses reach accounts.
    function _emptyFunds() private {
        vm.startPrank(admin);
        try instrument.recycleInsuranceFund(PERP) {} catch {}
        try instrument.recycleInsuranceFund(dated) {} catch {}
        vm.stopPrank();
    }

    function _enforce(uint32 expiry, address target, uint256 seed, bool sweeps) private {
        int256 size = instrument.getPortfolio(expiry, target).position.size;
        if (size == 0) return;
        if (seed % 3 == 0) size = size * int256(bound(seed, 1, 99)) / 100;
        if (size == 0) return;
        Amm memory before = instrument.getAmm(expiry);
        vm.prank(whale);
        (bool done, bytes memory reason) = address(instrument)
            .call(
                sweeps
                    ? abi.encodeCall(instrument.sweep, (expiry, target, -size))
                    : abi.encodeCall(instrument.liquidate, (expiry, target, size, uint256(AMPLE)))
            );
        if (!done) return _expected(reason);
        _happen(sweeps ? Kind.SWEEP : Kind.LIQUIDATE);
        Amm memory amm = instrument.getAmm(expiry);
        if (
            amm.longSocialLossIndex != before.longSocialLossIndex
                || amm.shortSocialLossIndex != before.shortSocialLossIndex
        ) _happen(Kind.SOCIAL_LOSS);
    }

    /// A loss of one side that the fund gets, as a crash would have left it: everything that carries an index is worth less by it.
    function cheat(uint256 lossSeed, bool ofLongs, bool ofDated) external counted {
        uint32 expiry = ofDated ? dated : PERP;
        Amm memory amm = instrument.getAmm(expiry);
        if (amm.status == uint8(Status.SETTLED)) return;
        uint256 loss = bound(lossSeed, 1, 5e18);
        uint256 paid = Wad.mulDown(loss, ofLongs ? amm.totalLong : amm.totalShort);
        _addTo(expiry, PerpSlots.SOCIAL_LOSSES, ofLongs ? loss : loss << 128);
        _addTo(expiry, PerpSlots.INSURANCE, paid);
        if (instrument.getAmm(expiry).insuranceFund != amm.insuranceFund + paid) {
            violation = "the cheat missed its word";
        }
        _happen(Kind.CHEAT);
    }

    function _addTo(uint32 expiry, uint256 word, uint256 amount) private {
        bytes32 slot = bytes32(uint256(PerpSlots.ofPair(expiry)) + word);
        uint256 value = uint256(vm.load(address(instrument), slot));
        vm.store(address(instrument), slot, bytes32(value + amount));
    }

    // Orders and ranges

    /// A short that ends exactly where a range begins has not left it.
    function edge(uint256 marginSeed) external counted {
        vm.prank(wanderer);
        try instrument.add(
            Words.add(PERP, int256(bound(marginSeed, 500e18, 5000e18)), 953, 953, ANY_LOW, ANY_HIGH, 0)
        ) returns (
            int24 tickLower, int24 tickUpper, Range memory
        ) {
            _done(Action.ADD);
            (, int256 answer,,,) = btcFeed.latestRoundData();
            btcFeed.set(int256(Tick.toPrice(tickLower) / 1e10));
            int256 size = observer.getBaseSizeByTick(address(instrument), PERP, tickLower);
            bool done = _tryTrade(PERP, whale, size, AMPLE);
            if (done && _amm().sqrtPX96 == Tick.toSqrt(tickLower)) {
                if (_amm().tick != tickLower) violation = "a short that ends on a tick has crossed it";
                _happen(Kind.EDGE);
            }
            if (marginSeed % 2 == 0) _tryTrade(PERP, whale, -size, AMPLE);
            _removeRange(Action.REMOVE, wanderer, wanderer, Packed.rangeId(tickLower, tickUpper));
            btcFeed.set(answer);
            _arbitrage();
        } catch (bytes memory reason) {
            _expected(reason);
        }
    }

    /// An order on the least margin, which the whale takes in part or whole; somebody fills what is filled.
    function make(uint256 who, int256 sizeSeed, uint256 partSeed) external counted {
        address trader = _actor(who);
        if (_portfolio(trader).oids.length >= MOST_ORDERS) return;
        int24 tick = sizeSeed % 2 == 0 ? _tick() + 20 : _tick() - 20;
        int256 size = _orderSize(tick, uint256(sizeSeed));
        // Asks the feed, and a prank holds for one call.
        int256 margin = int256(_orderMargin(tick, size));
        vm.prank(trader);
        try instrument.place(Words.trade(PERP, size, margin, tick, 0)) returns (uint24 nonce, Order memory) {
            _know(tick, nonce);
            _done(Action.PLACE);
            int256 through = observer.getBaseSizeByTick(address(instrument), PERP, size < 0 ? tick : tick - 1);
            if (partSeed % 2 == 0) through -= -size / 2;
            if (!_tryTrade(PERP, whale, through, AMPLE)) return;
            if (_pearl(tick).nonce != nonce || _pearl(tick).taken != 0) _happen(Kind.TAKEN);
        } catch (bytes memory reason) {
            _expected(reason);
        }
    }

    /// Everything that is taken whole is claimed for its maker, and half of the rest taken back.
    function claim(uint256 whose, bool takesBack) external counted {
        address trader = _actor(whose);
        Portfolio memory p = _portfolio(trader);
        for (uint256 i; i < p.oids.length; ++i) {
            (int24 tick, uint24 nonce) = Packed.orderOf(p.oids[i]);
            if (p.ordersTaken[i] == p.orders[i].size) {
                vm.prank(whale);
                try instrument.fill(Words.fill(PERP, trader, tick, nonce)) {
                    _happen(Kind.FILL);
                } catch (bytes memory reason) {
                    if (bytes4(reason) != bytes4(keccak256("OrderNotFullyTaken()"))) _expected(reason);
                }
            } else if (takesBack) {
                int24[] memory ticks = new int24[](1);
                ticks[0] = tick;
                vm.prank(trader);
                try instrument.cancel(Words.cancel(PERP, ticks, 0)) {
                    _done(Action.CANCEL);
                } catch (bytes memory reason) {
                    _expected(reason);
                }
            }
        }
    }

    /// A range comes or goes; what the price has left is removed by a stranger, also where it is bankrupt.
    function liquidity(uint256 who, uint256 marginSeed, uint24 deltaSeed) external counted {
        address trader = _actor(who);
        uint48[] memory rids = _portfolio(trader).rids;
        for (uint256 i; i < rids.length; ++i) {
            (int24 tickLower, int24 tickUpper) = (int24(uint24(rids[i] >> 24)), int24(uint24(rids[i])));
            bool isActive = tickLower <= _tick() && _tick() < tickUpper;
            if (isActive && marginSeed % 2 == 0) continue;
            uint256 before = operations;
            _removeRange(Action.REMOVE, isActive ? trader : whale, trader, rids[i]);
            if (!isActive && operations != before) _happen(Kind.RANGE_OUT);
        }
        if (rids.length >= MOST_RANGES) return;
        int256 margin = int256(bound(marginSeed, 500e18, 5000e18));
        uint24 delta = uint24(bound(uint256(deltaSeed), 953, 1500));
        vm.prank(trader);
        try instrument.add(Words.add(PERP, margin, 0, delta, ANY_LOW, ANY_HIGH, 0)) returns (
            int24 tickLower, int24 tickUpper, Range memory range
        ) {
            _checkEdges(tickLower, tickUpper, range);
            _happen(Kind.RANGE);
        } catch (bytes memory reason) {
            _expected(reason);
        }
    }

    // Halts. What is in a reserve can leave through all of them.

    /// Frozen for days: nothing moves, and no funding is charged for it afterwards.
    function freeze(uint256 who, uint256 timeSeed) external counted {
        instrument.update(PERP);
        bytes32 indices = _fundingIndices();
        vm.prank(guardian);
        instrument.freeze();
        _checkHalted(_actor(who));
        uint256 most = dated > block.timestamp + 2 days ? 1 days : 1;
        vm.warp(block.timestamp + bound(timeSeed, 1, most));
        vm.prank(admin);
        instrument.normalize();
        if (_amm().timestamp != block.timestamp) violation = "normalize did not reset the time";
        instrument.update(PERP);
        if (_fundingIndices() != indices) violation = "frozen time was charged";
        if (instrument.condition() != uint8(Condition.NORMAL)) violation = "normalize did not open it";
        _happen(Kind.FREEZE);
    }

    function _fundingIndices() private view returns (bytes32) {
        return keccak256(abi.encode(_amm().longFundingIndex, _amm().shortFundingIndex));
    }

    /// A feed that says nothing new is a closed market.
    function close(uint256 who) external counted {
        (, int256 answer,,,) = btcFeed.latestRoundData();
        btcFeed.setAt(answer, block.timestamp - 3601);
        _checkHalted(_actor(who));
        btcFeed.set(answer);
        _happen(Kind.CLOSED);
    }

    function _checkHalted(address trader) private {
        bytes32 before = keccak256(abi.encode(_amm(), instrument.getAmm(dated), _portfolio(trader)));
        int24[] memory ticks = new int24[](1);
        ticks[0] = _tick() + 20;
        bytes[7] memory actions = [
            abi.encodeCall(instrument.trade, (Words.trade(PERP, 1e18, AMPLE, MAX_TICK, 0))),
            abi.encodeCall(instrument.trade, (Words.trade(PERP, 0, 1e18, 0, 0))),
            abi.encodeCall(instrument.place, (Words.trade(PERP, -1e18, AMPLE, _tick() + 20, 0))),
            abi.encodeCall(instrument.cancel, (Words.cancel(PERP, ticks, 0))),
            abi.encodeCall(instrument.liquidate, (PERP, actors[0], int256(1e18), uint256(AMPLE))),
            abi.encodeCall(instrument.add, (Words.add(PERP, 5000e18, 0, 1000, ANY_LOW, ANY_HIGH, 0))),
            abi.encodeCall(instrument.update, (PERP))
        ];
        for (uint256 i; i < actions.length; ++i) {
            vm.prank(trader);
            (bool done,) = address(instrument).call(actions[i]);
            if (done) violation = "an action passed in a halt";
        }
        if (before != keccak256(abi.encode(_amm(), instrument.getAmm(dated), _portfolio(trader)))) {
            violation = "a halt moved something";
        }
        uint256 wallet = usd.balanceOf(trader);
        vm.prank(trader);
        gate.withdraw(Words.token(address(usd), 1e18));
        if (usd.balanceOf(trader) != wallet + 1e18) violation = "a reserve is locked in";
    }

    /// Paused for new orders alone.
    function pause(uint256 who) external counted {
        vm.prank(guardian);
        instrument.setPlacePaused(true);
        address trader = _actor(who);
        int24 tick = _tick() + 20;
        vm.prank(trader);
        try instrument.place(Words.trade(PERP, -1e18, AMPLE, tick, 0)) returns (uint24, Order memory) {
            violation = "an order was placed in a pause";
        } catch {}
        vm.prank(admin);
        instrument.setPlacePaused(false);
        _happen(Kind.PAUSE);
    }

    // Withdrawals that wait. A wallet may always have back what it brought, so they are those of the owner, who brought nothing.

    /// Above the threshold all of it waits; nothing arrives and nothing is lost.
    function throttle(uint256 quantitySeed) external counted {
        vm.prank(admin);
        instrument.claimProtocolFee(PERP);
        uint256 reserve = _reserve(admin);
        if (reserve == 0) return;
        uint256 quantity = bound(quantitySeed, 1, reserve);
        uint256 wallet = usd.balanceOf(admin);
        uint256 waiting = gate.pendingOf(address(usd), admin).amount;
        vm.startPrank(admin);
        gate.setThreshold(address(usd), 0);
        gate.withdraw(Words.token(address(usd), quantity));
        gate.setThreshold(address(usd), type(uint256).max);
        vm.stopPrank();
        bool waits = gate.pendingOf(address(usd), admin).amount == waiting + quantity;
        if (!waits || _reserve(admin) != reserve - quantity) violation = "a withdrawal lost money";
        if (usd.balanceOf(admin) != wallet) violation = "a withdrawal did not wait";
        _happen(Kind.PENDING);
    }

    /// Not a second early, in full, and once.
    function release() external counted {
        Pending memory pending = gate.pendingOf(address(usd), admin);
        if (pending.amount == 0) return;
        uint256 due = pending.timestamp + gate.pendingDuration();
        uint256 wallet = usd.balanceOf(admin);
        if (block.timestamp < due) {
            vm.warp(due - 1);
            if (_releases(admin)) violation = "released a second early";
            vm.warp(due);
        }
        if (!_releases(admin) || usd.balanceOf(admin) != wallet + pending.amount) violation = "not released";
        if (_releases(admin)) violation = "released twice";
        _happen(Kind.RELEASE);
    }

    function _releases(address trader) private returns (bool done) {
        vm.prank(whale);
        (done,) = address(gate).call(abi.encodeCall(gate.release, (address(usd), trader)));
    }

    // The end of a dated pair

    /// The pair goes on by a step: into its last half hour, through its expiry, until everybody has been paid and it is deleted.
    function pass(uint256 timeSeed) external counted {
        Status status = Status(instrument.getAmm(dated).status);
        if (status == Status.TRADING) {
            _arbitrage();
            uint256 late = dated - bound(timeSeed, 1, SETTLING_DURATION);
            if (block.timestamp < late) vm.warp(late);
        } else if (status == Status.SETTLING && block.timestamp < dated) {
            vm.warp(bound(timeSeed, block.timestamp, uint256(dated) + 10 minutes));
        }
        if (status != Status.SETTLED) {
            instrument.update(dated);
            Status now_ = Status(instrument.getAmm(dated).status);
            if (now_ != status) _happen(now_ == Status.SETTLING ? Kind.SETTLING : Kind.SETTLED);
            return;
        }
        address[10] memory all =
            [actors[0], actors[1], actors[2], actors[3], actors[4], whale, wanderer, visitor, roundTripper, maker];
        // One account a call, so that the sums are looked at in between. Whoever is owed more than the pair holds waits for
        // those who owe it (docs/decisions/perp-settlement.md), so one of all can be settled.
        bool waits;
        for (uint256 i; i < 10; ++i) {
            address trader = all[(timeSeed % 10 + i) % 10];
            Portfolio memory p = instrument.getPortfolio(dated, trader);
            if (p.position.size == 0 && p.rids.length == 0) continue;
            if (!_settles(trader)) {
                waits = true;
                continue;
            }
            // The last account takes the pair with it where no fee and no insurance is left.
            if (_isDeleted()) _followDeleted();
            return;
        }
        if (waits) {
            violation = "nobody can be settled";
            return;
        }
        vm.startPrank(admin);
        instrument.recycleInsuranceFund(dated);
        if (!_isDeleted()) instrument.claimProtocolFee(dated);
        vm.stopPrank();
        if (!_isDeleted()) violation = "a settled pair stays";
        _followDeleted();
    }

    function _isDeleted() private view returns (bool) {
        return instrument.getAmm(dated).status == uint8(Status.DORMANT);
    }

    function _followDeleted() private {
        _happen(Kind.DELETED);
        _arbitrage();
        _openDated();
    }

    function _settles(address trader) private returns (bool done) {
        vm.prank(whale);
        try instrument.settle(dated, trader) {
            _happen(Kind.SETTLE);
            done = true;
        } catch (bytes memory reason) {
            if (bytes4(reason) != IInstrumentErrors.InvariantBroken.selector) violation = "somebody cannot be settled";
        }
    }
}
