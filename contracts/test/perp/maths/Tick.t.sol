// SPDX-License-Identifier: MIT
pragma solidity ^0.8.28;

import {MAX_SQRT_PX96, MAX_TICK, MIN_SQRT_PX96, MIN_TICK} from "src/perp/Constants.sol";
import {Tick} from "src/perp/maths/Tick.sol";
import {TestBase} from "test/TestBase.sol";

contract TickTest is TestBase {
    function toSqrt(int24 tick) external pure returns (uint160) {
        return Tick.toSqrt(tick);
    }

    function fromSqrt(uint160 sqrtPX96) external pure returns (int24) {
        return Tick.fromSqrt(sqrtPX96);
    }

    function testVectorsOfTickToSqrt() public pure {
        vm.assertEq(uint256(Tick.toSqrt(-322_517)), 7867958450021363558555);
        vm.assertEq(uint256(Tick.toSqrt(-1)), 79224201403219477170569942574);
        vm.assertEq(uint256(Tick.toSqrt(0)), 79228162514264337593543950336);
        vm.assertEq(uint256(Tick.toSqrt(1)), 79232123823359799118286999568);
        vm.assertEq(uint256(Tick.toSqrt(80_000)), 4324846105752122384442905378221);
        vm.assertEq(uint256(Tick.toSqrt(443_636)), 340275971719517849884101479065584693834);
    }

    function testVectorsOfTickToPrice() public pure {
        vm.assertEq(Tick.toPrice(-322_517), 9862);
        vm.assertEq(Tick.toPrice(-1), 999900009999000100);
        vm.assertEq(Tick.toPrice(0), 1000000000000000001);
        vm.assertEq(Tick.toPrice(1), 1000100000000000001);
        vm.assertEq(Tick.toPrice(80_000), 2979765921746221306477);
        vm.assertEq(Tick.toPrice(443_636), 18446050711097703529776342895654370895);
    }

    function testVectorsOfPriceToTick() public pure {
        vm.assertEq(uint256(Tick.priceToSqrt(3000e18)), 4339505179874779489431521786241);
        vm.assertEq(int256(Tick.fromPrice(3000e18)), 80_067);
        vm.assertEq(int256(Tick.fromPrice(1.1e18)), 953);
        vm.assertEq(int256(Tick.fromPrice(1.03e18)), 295);
        vm.assertEq(int256(Tick.fromPrice(5e18)), 16_095);
    }

    function testBounds() public {
        vm.assertEq(int256(Tick.fromSqrt(MIN_SQRT_PX96)), MIN_TICK);
        vm.assertEq(int256(Tick.fromSqrt(MAX_SQRT_PX96)), MAX_TICK);
        vm.expectRevert(Tick.TickOutOfBound.selector);
        this.toSqrt(MIN_TICK - 1);
        vm.expectRevert(Tick.TickOutOfBound.selector);
        this.toSqrt(MAX_TICK + 1);
        vm.expectRevert(Tick.SqrtPX96OutOfBound.selector);
        this.fromSqrt(MIN_SQRT_PX96 - 1);
        vm.expectRevert(Tick.SqrtPX96OutOfBound.selector);
        this.fromSqrt(MAX_SQRT_PX96 + 1);
    }

    function testFuzzTickRoundTrips(int24 seed) public pure {
        int24 tick = int24(bound(int256(seed), MIN_TICK, MAX_TICK));
        uint160 sqrtPX96 = Tick.toSqrt(tick);
        vm.assertEq(int256(Tick.fromSqrt(sqrtPX96)), tick, "through the square root");
        if (tick > MIN_TICK) vm.assertEq(int256(Tick.fromSqrt(sqrtPX96 - 1)), tick - 1, "just below");
    }

    /// The price of a tick leads back to the tick wherever neighbouring ticks have different prices.
    function testFuzzPriceRoundTrips(int24 seed) public pure {
        int24 tick = int24(bound(int256(seed), -230_000, MAX_TICK - 1));
        vm.assertEq(int256(Tick.fromPrice(Tick.toPrice(tick))), tick);
    }

    function testFuzzFromSqrtBrackets(uint160 seed) public pure {
        uint160 sqrtPX96 = uint160(bound(uint256(seed), MIN_SQRT_PX96, MAX_SQRT_PX96));
        int24 tick = Tick.fromSqrt(sqrtPX96);
        vm.assertLe(uint256(Tick.toSqrt(tick)), sqrtPX96, "not above");
        if (tick < MAX_TICK) vm.assertGt(uint256(Tick.toSqrt(tick + 1)), sqrtPX96, "next is above");
    }

    function testFuzzAlign(int24 seed, uint8 spacingSeed) public pure {
        int24 tick = int24(bound(int256(seed), MIN_TICK, MAX_TICK));
        int24 spacing = int24(uint24(bound(uint256(spacingSeed), 1, 200)));
        int24 down = Tick.alignDown(tick, spacing);
        int24 up = Tick.alignUp(tick, spacing);
        vm.assertTrue(down % spacing == 0 && up % spacing == 0, "aligned");
        vm.assertTrue(down <= tick && tick - down < spacing, "down");
        vm.assertTrue(up >= tick && up - tick < spacing, "up");
    }
}
