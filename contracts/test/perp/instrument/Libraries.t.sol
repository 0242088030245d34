// SPDX-License-Identifier: MIT
pragma solidity ^0.8.28;

import {Packed} from "src/perp/Packed.sol";
import {AddArgs, BatchArgs, CancelArgs, FillArgs, RemoveArgs, TradeArgs} from "src/perp/Packed.sol";
import {IdList, IdLists} from "src/perp/instrument/IdLists.sol";
import {TickBitmap} from "src/perp/instrument/TickBitmap.sol";
import {TestBase} from "test/TestBase.sol";
import {Words} from "test/perp/Words.sol";

contract IdListsTest is TestBase {
    using IdLists for IdList;

    IdList private list;
    uint48[] private mirror;

    /// Against a plain array with the same rule: the last one fills the hole.
    function testFuzzFollowsAPlainArray(uint48[20] calldata ids, uint8[12] calldata holes) public {
        for (uint256 i; i < ids.length; ++i) {
            list.push(ids[i]);
            mirror.push(ids[i]);
        }
        for (uint256 i; i < holes.length; ++i) {
            uint256 k = holes[i] % mirror.length;
            while (_firstIndex(mirror[k]) != k) k = _firstIndex(mirror[k]);
            list.remove(mirror[k]);
            mirror[k] = mirror[mirror.length - 1];
            mirror.pop();
            vm.assertEq(keccak256(abi.encode(list.all())), keccak256(abi.encode(mirror)));
        }
        list.push(7);
        vm.assertEq(list.length(), mirror.length + 1);
    }

    function _firstIndex(uint48 id) private view returns (uint256 i) {
        while (mirror[i] != id) ++i;
    }

    function testUpToFiveShareAWord() public {
        for (uint48 i = 1; i <= 5; ++i) {
            list.push(i);
        }
        vm.assertEq(list.words[1], 0);
        list.push(6);
        vm.assertTrue(list.words[1] != 0);
        list.remove(6);
        vm.assertEq(list.words[1], 0, "nothing stays behind");
    }
}

contract TickBitmapTest is TestBase {
    using TickBitmap for mapping(int16 => uint256);

    mapping(int16 => uint256) private bitmap;

    function testFuzzFindsTheNearest(int24 seedA, int24 seedB, int24 seedFrom) public {
        int24 a = int24(bound(int256(seedA), -322_517, 443_636));
        int24 b = int24(bound(int256(seedB), -322_517, 443_636));
        int24 from = int24(bound(int256(seedFrom), -322_517, 443_635));
        if (a == b) return;
        if (a > b) (a, b) = (b, a);
        bitmap.flip(a);
        bitmap.flip(b);
        (int24 next, bool found) = bitmap.nextRight(from);
        vm.assertEq(found, b > from);
        if (found) vm.assertEq(int256(next), a > from ? a : b);
        (next, found) = bitmap.nextLeft(from);
        vm.assertEq(found, a <= from);
        if (found) vm.assertEq(int256(next), b <= from ? b : a);
        bitmap.flip(a);
        (, found) = bitmap.nextRight(a - 1);
        vm.assertTrue(found);
        bitmap.flip(b);
        (, found) = bitmap.nextRight(from);
        vm.assertFalse(found);
    }
}

/// Decoding against words packed by hand and against the sheet's vectors.
contract PackedTest is TestBase {
    address private constant WHO = 0x1111111111111111111111111111111111111111;
    uint32 private constant PERP = type(uint32).max;

    function _pair(bytes32 a, bytes32 b) private pure returns (bytes32[2] memory) {
        return [a, b];
    }

    function trade(bytes32[2] calldata words) external pure returns (TradeArgs memory) {
        return Packed.trade(words);
    }

    function add(bytes32[2] calldata words) external pure returns (AddArgs memory) {
        return Packed.add(words);
    }

    function remove(bytes32[2] calldata words) external pure returns (RemoveArgs memory) {
        return Packed.remove(words);
    }

    function batch(bytes32[3] calldata words) external pure returns (BatchArgs memory) {
        return Packed.batch(words);
    }

    function testVectorOfDeposit() public pure {
        (address token, uint256 quantity) =
            Packed.token(0x0000000000000000000f42401111111111111111111111111111111111111111);
        vm.assertEq(token, WHO);
        vm.assertEq(quantity, 1_000_000);
    }

    function testVectorOfTrade() public view {
        TradeArgs memory args = this.trade(
            _pair(
                0x0000000000000000000000000000000000000000006553f100ffff9cffffffff,
                0xffffffffffffffffe43e9298b138000000000000000000004563918244f40000
            )
        );
        vm.assertEq(
            keccak256(abi.encode(args)), keccak256(abi.encode(TradeArgs(PERP, -100, 1_700_000_000, 5e18, -2e18)))
        );
        args = this.trade(
            _pair(
                0x0000000000000000000000000000000000000000006553f100000000ffffffff,
                0x00000000000000000000000000000000ffffffffffffffff9edb01166c440000
            )
        );
        vm.assertEq(keccak256(abi.encode(args)), keccak256(abi.encode(TradeArgs(PERP, 0, 1_700_000_000, -7e18, 0))));
    }

    function testVectorOfAdd() public view {
        AddArgs memory args = this.add(
            _pair(
                0x0000000000000000000000000000000000006553f100ffffce00003cffffffff,
                0x000000000000000000000003e80007d000000000000000056bc75e2d63100000
            )
        );
        AddArgs memory expected = AddArgs(PERP, -50, 60, 1_700_000_000, 100e18, 1000, 2000);
        vm.assertEq(keccak256(abi.encode(args)), keccak256(abi.encode(expected)));
    }

    function testVectorOfRemove() public view {
        RemoveArgs memory args = this.remove(
            _pair(
                0x0000000000000000000000000000000000006553f100ffffce00003cffffffff,
                0x0000000000000007d0fffc181111111111111111111111111111111111111111
            )
        );
        RemoveArgs memory expected = RemoveArgs(PERP, -50, 60, 1_700_000_000, WHO, -1000, 2000);
        vm.assertEq(keccak256(abi.encode(args)), keccak256(abi.encode(expected)));
    }

    function testVectorOfFill() public pure {
        FillArgs memory args = Packed.fill(0x0000000003fffffb1111111111111111111111111111111111111111ffffffff);
        vm.assertEq(keccak256(abi.encode(args)), keccak256(abi.encode(FillArgs(PERP, WHO, -5, 3))));
    }

    function testVectorOfCancel() public pure {
        CancelArgs memory args = Packed.cancel(0x6553f1007fffff7fffff7fffff7fffff7fffff7fffff00000afffffbffffffff);
        vm.assertEq(uint256(args.expiry), PERP);
        vm.assertEq(uint256(args.deadline), 1_700_000_000);
        vm.assertEq(int256(args.ticks[0]), -5);
        vm.assertEq(int256(args.ticks[1]), 10);
        for (uint256 i = 2; i < 8; ++i) {
            vm.assertEq(int256(args.ticks[i]), type(int24).max);
        }
    }

    function testVectorOfBatch() public view {
        BatchArgs memory args = this.batch(
            [
                bytes32(0x00000000000000000000000f0bb800000a07d0fffffb03e86553f100ffffffff),
                0x00007fffff00007fffff00007fffff00007fffff00007fffff00000000140fa0,
                0x00000000000000008ac7230489e80000000000000000000029a2241af62c0000
            ]
        );
        vm.assertEq(uint256(args.deadline), 1_700_000_000);
        vm.assertEq(args.size, int256(10e18));
        vm.assertEq(args.leverage, 3e18);
        int24[4] memory ticks = [int24(-5), 10, 15, 20];
        uint16[4] memory ratios = [uint16(1000), 2000, 3000, 4000];
        for (uint256 i; i < 4; ++i) {
            vm.assertEq(int256(args.ticks[i]), ticks[i]);
            vm.assertEq(uint256(args.ratios[i]), ratios[i]);
        }
        for (uint256 i = 4; i < 9; ++i) {
            vm.assertTrue(Packed.isUnused(args, i));
        }
    }

    function testVectorsOfKeys() public pure {
        vm.assertEq(uint256(Packed.orderId(-5, 3)), 281474892824579);
        vm.assertEq(uint256(Packed.rangeId(-1000, 2000)), 281458199496656);
        (int24 tick, uint24 nonce) = Packed.orderOf(281474892824579);
        vm.assertEq(int256(tick), -5);
        vm.assertEq(uint256(nonce), 3);
    }

    function testFuzzTrade(uint32 expiry, int24 tick, uint32 deadline, int128 amount, int128 size) public view {
        TradeArgs memory args = this.trade(Words.trade(expiry, size, amount, tick, deadline));
        vm.assertEq(keccak256(abi.encode(args)), keccak256(abi.encode(TradeArgs(expiry, tick, deadline, amount, size))));
    }

    function testFuzzRemove(
        uint32 expiry,
        address target,
        int24 lower,
        int24 upper,
        int24 low,
        int24 high,
        uint32 deadline
    ) public view {
        RemoveArgs memory args = this.remove(Words.remove(expiry, target, lower, upper, low, high, deadline));
        RemoveArgs memory expected = RemoveArgs(expiry, low, high, deadline, target, lower, upper);
        vm.assertEq(keccak256(abi.encode(args)), keccak256(abi.encode(expected)));
    }

    function testFuzzToken(address token, uint96 quantity) public pure {
        (address decoded, uint256 amount) = Packed.token(Words.token(token, quantity));
        vm.assertEq(decoded, token);
        vm.assertEq(amount, quantity);
    }

    function testFuzzAdd(
        uint32 expiry,
        int128 amount,
        uint24 deltaLower,
        uint24 deltaUpper,
        int24 low,
        int24 high,
        uint32 deadline
    ) public view {
        AddArgs memory args = this.add(Words.add(expiry, amount, deltaLower, deltaUpper, low, high, deadline));
        AddArgs memory expected = AddArgs(expiry, low, high, deadline, amount, deltaLower, deltaUpper);
        vm.assertEq(keccak256(abi.encode(args)), keccak256(abi.encode(expected)));
    }

    function testFuzzCancel(uint32 expiry, int24[8] memory ticks, uint32 deadline) public pure {
        int24[] memory list = new int24[](8);
        for (uint256 i; i < 8; ++i) {
            list[i] = ticks[i];
        }
        CancelArgs memory args = Packed.cancel(Words.cancel(expiry, list, deadline));
        vm.assertEq(keccak256(abi.encode(args)), keccak256(abi.encode(CancelArgs(expiry, deadline, ticks))));
    }

    function testFuzzKeys(int24 tick, uint24 nonce, int24 upper) public pure {
        (int24 decoded, uint24 generation) = Packed.orderOf(Packed.orderId(tick, nonce));
        vm.assertEq(int256(decoded), tick);
        vm.assertEq(uint256(generation), nonce);
        uint48 id = Packed.rangeId(tick, upper);
        vm.assertTrue(int24(uint24(id >> 24)) == tick && int24(uint24(id)) == upper);
    }

    function testFuzzFill(uint32 expiry, address target, int24 tick, uint24 nonce) public pure {
        FillArgs memory args = Packed.fill(Words.fill(expiry, target, tick, nonce));
        vm.assertEq(keccak256(abi.encode(args)), keccak256(abi.encode(FillArgs(expiry, target, tick, nonce))));
    }

    function testFuzzBatch(int128 size, uint128 leverage, int24[9] memory ticks, uint16[9] memory ratios) public view {
        (int24[] memory t, uint16[] memory r) = (new int24[](9), new uint16[](9));
        for (uint256 i; i < 9; ++i) {
            (t[i], r[i]) = (ticks[i], ratios[i]);
        }
        BatchArgs memory args = this.batch(Words.batch(PERP, size, leverage, t, r, 5));
        vm.assertEq(
            keccak256(abi.encode(args)), keccak256(abi.encode(BatchArgs(PERP, 5, leverage, size, ticks, ratios)))
        );
    }
}
