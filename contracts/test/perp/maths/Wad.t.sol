// SPDX-License-Identifier: MIT
pragma solidity ^0.8.28;

import {Wad} from "src/perp/maths/Wad.sol";
import {TestBase} from "test/TestBase.sol";

contract WadTest is TestBase {
    function div(uint256 x, uint256 y) external pure returns (uint256) {
        return Wad.div(x, y);
    }

    function testRoundsToNearestHalfUp() public pure {
        vm.assertEq(Wad.mul(1, 0.5e18), 1);
        vm.assertEq(Wad.mul(1, 0.5e18 - 1), 0);
        vm.assertEq(Wad.mulUp(1, 1), 1);
        vm.assertEq(Wad.mulDown(1, 1e18 - 1), 0);
        vm.assertEq(Wad.div(1, 2e18), 1);
        vm.assertEq(Wad.divDown(1, 2e18), 0);
        vm.assertEq(Wad.divUp(1, 2e18), 1);
        vm.assertEq(Wad.frac(7, 3, 2), 11);
        vm.assertEq(Wad.fromRatio(300), 0.03e18);
    }

    function testSignedProductRoundsHalfAwayFromZero() public pure {
        vm.assertEq(Wad.mulInt(5, 0.5e18), int256(3));
        vm.assertEq(Wad.mulInt(-5, 0.5e18), int256(-3));
        vm.assertEq(Wad.mulInt(-1, 0.5e18), int256(-1));
        vm.assertEq(Wad.mulInt(-1, 0.5e18 - 1), int256(0));
    }

    function testCutProductOfTheRangeFormula() public pure {
        vm.assertEq(Wad.mulCut(-3, 1e18), int256(-2));
        vm.assertEq(Wad.mulCut(-32, 0.1e18), int256(-2));
        vm.assertEq(Wad.mulCut(-38, 0.1e18), int256(-3));
        vm.assertEq(Wad.mulCut(38, 0.1e18), int256(4));
    }

    function testDivisionByZero() public {
        vm.expectRevert(Wad.DivByZero.selector);
        this.div(1, 0);
    }

    function testFuzzDirections(uint128 x, uint128 y) public pure {
        uint256 down = Wad.mulDown(x, y);
        uint256 up = Wad.mulUp(x, y);
        uint256 near = Wad.mul(x, y);
        vm.assertTrue(near == down || near == up, "nearest is one of both");
        vm.assertEq(up - down, uint256(x) * y % 1e18 == 0 ? 0 : 1);
        vm.assertEq(near == up && up != down, uint256(x) * y % 1e18 >= 0.5e18);
        if (y == 0) return;
        vm.assertLe(Wad.divDown(x, y) * y, uint256(x) * 1e18);
        vm.assertGe(Wad.divUp(x, y) * y, uint256(x) * 1e18);
    }

    function testFuzzSignedProductMirrors(int128 x, uint64 y) public pure {
        int256 product = Wad.mulInt(x, int256(uint256(y)));
        vm.assertEq(Wad.mulInt(-int256(x), int256(uint256(y))), -product);
        uint256 magnitude = Wad.mul(uint256(x < 0 ? -int256(x) : int256(x)), y);
        vm.assertEq(uint256(product < 0 ? -product : product), magnitude);
    }
}
