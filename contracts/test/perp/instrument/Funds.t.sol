// SPDX-License-Identifier: MIT
pragma solidity ^0.8.28;

import {Funds} from "src/perp/instrument/Funds.sol";
import {Context, State, Store} from "src/perp/instrument/Store.sol";
import {IInstrumentErrors} from "src/perp/interfaces/IInstrumentErrors.sol";
import {Tick} from "src/perp/maths/Tick.sol";
import {TestBase} from "test/TestBase.sol";

/// Stands for Gate and counts what went through it.
contract CountingGate {
    uint256 public scattered;
    uint256 public gathered;

    function scatter(address, address, uint32, uint256 quantity) external {
        scattered += quantity;
    }

    function gather(address, address, uint32, uint256 quantity) external {
        gathered += quantity;
    }
}

/// The border between WAD and tokens: exact on the token's side, never in an account's favour on the other.
contract FundsTest is TestBase {
    uint32 private constant PERP = type(uint32).max;

    CountingGate private gate;

    function setUp() public {
        gate = new CountingGate();
        _state().gate = address(gate);
        _pair().amm.sqrtPX96 = Tick.priceToSqrt(3000e18);
    }

    function _state() private pure returns (State storage) {
        return Store.load();
    }

    function _pair() private view returns (Context storage) {
        return Store.load().contexts[PERP];
    }

    function scatter(uint256 amountWad) external {
        Funds.scatter(_state(), _pair(), PERP, address(this), amountWad);
    }

    function gather(uint256 amountWad) external {
        Funds.gather(_state(), _pair(), PERP, address(this), amountWad);
    }

    /// Whatever comes and goes, the fund is what Gate sent less what it took back, and covers what is owed.
    function testFuzzRoundsForThePair(uint8 decimalsSeed, uint96[8] calldata brought, uint256[8] calldata parts)
        public
    {
        uint8 decimals = uint8(bound(uint256(decimalsSeed), 0, 18));
        _state().decimals = decimals;
        uint256 unit = 10 ** (18 - decimals);
        uint256 owed;
        for (uint256 i; i < 8; ++i) {
            this.scatter(brought[i]);
            owed += brought[i];
            uint256 part = bound(parts[i], 0, owed);
            this.gather(part);
            owed -= part;
            uint256 fund = _pair().amm.involvedFund;
            vm.assertEq(fund, (gate.scattered() - gate.gathered()) * unit);
            vm.assertGe(fund, owed);
            vm.assertLe(fund - owed, 2 * unit * (i + 1), "and by no more than a unit a payment");
        }
    }

    /// Dust that is missing is not paid and keeps nobody in; one wei more, and something is broken.
    function testFuzzMissingDustIsBorneByTheLast(uint96 fundSeed, uint256 missingSeed, uint256 priceSeed) public {
        _state().decimals = 18;
        uint256 price = bound(priceSeed, 1e10, 1e28);
        _pair().amm.sqrtPX96 = Tick.priceToSqrt(price);
        this.scatter(fundSeed);
        uint256 most = 1e12 + (Tick.sqrtToPrice(_pair().amm.sqrtPX96) * 1e9 + 1e18 - 1) / 1e18;
        vm.expectRevert(IInstrumentErrors.InvariantBroken.selector);
        this.gather(uint256(fundSeed) + most + 1);
        this.gather(fundSeed + bound(missingSeed, 1, most));
        vm.assertEq(gate.gathered(), fundSeed);
        vm.assertEq(uint256(_pair().amm.involvedFund), 0);
    }

    function testWholeUnitsAreMissingOnlyWithinTheDust() public {
        _state().decimals = 6;
        this.scatter(5e12);
        this.gather(9e12);
        vm.assertEq(gate.gathered(), 5, "four units of a millionth: the dust at a price of 3000");
        this.scatter(5e12);
        vm.expectRevert(IInstrumentErrors.InvariantBroken.selector);
        this.gather(10e12);
    }

    function testFundBeyondItsFieldIsRefused() public {
        _state().decimals = 18;
        this.scatter(type(uint128).max);
        vm.expectRevert(IInstrumentErrors.AddOverflow.selector);
        this.scatter(1);
    }
}
