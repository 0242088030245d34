// SPDX-License-Identifier: MIT
pragma solidity ^0.8.28;

import {PerpFixture} from "./PerpFixture.sol";
import {Words} from "./Words.sol";
import {Amm, Position, PositionCache, Quotation} from "src/perp/Types.sol";
import {IGate} from "src/perp/interfaces/IGate.sol";
import {IInstrumentEvents} from "src/perp/interfaces/IInstrument.sol";

contract TradeTest is PerpFixture {
    function testLaunchOpensThePairAtTheMark() public view {
        Amm memory amm = _amm();
        vm.assertEq(uint256(amm.sqrtPX96), 4339505179874779489431521786241);
        vm.assertEq(int256(amm.tick), 80_067);
        vm.assertEq(uint256(amm.status), 1);
        vm.assertEq(uint256(amm.involvedFund), 500_000e18);
        vm.assertEq(gate.reserveOf(address(usd), address(instrument)), 500_000e6);
        vm.assertEq(instrument.getSetting().symbol, "BTC-USDC-LINK");
        vm.assertEq(instrument.getExpiries().length, 1);
    }

    function testExecutesWhatItQuoted() public {
        Quotation memory quotation = instrument.inquire(PERP, 5e18);
        uint256 before = _reserve(alice);
        PositionCache memory position = _trade(alice, 5e18, 3000e18);
        Amm memory amm = _amm();
        vm.assertEq(uint256(amm.sqrtPX96), quotation.sqrtPostFairPX96);
        vm.assertEq(int256(amm.tick), quotation.postTick);
        vm.assertEq(position.entryNotional, quotation.entryNotional);
        vm.assertEq(position.balance, int256(3000e18 - quotation.fee));
        vm.assertEq(position.size, int256(5e18));
        vm.assertEq(before - _reserve(alice), 3000e6);
        vm.assertEq(uint256(amm.totalLong), 5e18);
        vm.assertEq(uint256(amm.totalShort), 0);
        vm.assertEq(amm.protocolFee + amm.feeIndex * uint256(amm.totalLiquidity) / 1e18 <= quotation.fee, true);
    }

    /// The least margin of a quotation opens the position, one token unit less does not.
    function testMinAmountIsTheLeastThatOpens() public {
        uint256 least = instrument.inquire(PERP, -2e18).minAmount;
        int256 rounded = int256((least + 1e12 - 1) / 1e12 * 1e12);
        vm.expectRevert();
        this.trade(bob, -2e18, rounded - 2e12);
        _trade(bob, -2e18, rounded);
    }

    function trade(address trader, int256 size, int256 amount) external {
        _trade(trader, size, amount);
    }

    function testClosingPaysEverythingOut() public {
        uint256 before = _reserve(alice);
        PositionCache memory opened = _trade(alice, 5e18, 3000e18);
        Quotation memory quotation = instrument.inquire(PERP, -5e18);
        PositionCache memory closed = _trade(alice, -5e18, 0);
        vm.assertEq(closed.size, int256(0));
        vm.assertEq(closed.balance, int256(0));
        int256 left =
            opened.balance - int256(opened.entryNotional) + int256(quotation.entryNotional) - int256(quotation.fee);
        vm.assertEq(_reserve(alice), before - 3000e6 + uint256(left) / 1e12);
        Position memory stored = _portfolio(alice).position;
        vm.assertEq(keccak256(abi.encode(stored)), keccak256(new bytes(160)));
        Amm memory amm = _amm();
        vm.assertEq(uint256(amm.totalLong) + amm.totalShort, 0);
    }

    function testFlipKeepsTheRemainder() public {
        _trade(alice, 2e18, 1000e18);
        PositionCache memory position = _trade(alice, -5e18, 1500e18);
        vm.assertEq(position.size, int256(-3e18));
        vm.assertEq(uint256(_amm().totalShort), 3e18);
        vm.assertEq(uint256(_amm().totalLong), 0);
    }

    function testAdjustsMarginBothWays() public {
        _trade(alice, 2e18, 1000e18);
        vm.expectEmit(address(instrument));
        emit IInstrumentEvents.Adjust(PERP, alice, 500e18);
        PositionCache memory position = _trade(alice, 0, 500e18);
        int256 withMore = position.balance;
        uint256 before = _reserve(alice);
        position = _trade(alice, 0, -300e18);
        vm.assertEq(position.balance, withMore - 300e18);
        vm.assertEq(_reserve(alice), before + 300e6);
    }

    function testReleasesMarginInsideATrade() public {
        _trade(alice, 4e18, 3000e18);
        uint256 before = _reserve(alice);
        vm.expectEmit(address(instrument));
        emit IInstrumentEvents.Adjust(PERP, alice, -1000e18);
        _trade(alice, -2e18, -1000e18);
        vm.assertEq(_reserve(alice), before + 1000e6);
    }

    /// What the reserve lacks comes out of the wallet, and counts as a deposit.
    function testPullsFromTheWallet() public {
        uint256 reserve = _reserve(alice);
        vm.startPrank(alice);
        gate.withdraw(Words.token(address(usd), reserve - 100e6));
        vm.expectEmit(address(gate));
        emit IGate.Deposit(address(usd), alice, 2900e6);
        vm.expectEmit(address(gate));
        emit IGate.Scatter(address(usd), alice, address(instrument), PERP, 3000e6);
        vm.stopPrank();
        _trade(alice, 5e18, 3000e18);
        vm.assertEq(_reserve(alice), 0);
    }

    function testFundingFlowsFromLongToShort() public {
        _trade(alice, 10e18, 20_000e18);
        _trade(bob, -4e18, 20_000e18);
        Amm memory before = _amm();
        uint256 fair = observer.fetchOnChainContext(address(instrument), PERP, address(0), 0).priceData.spotPrice;
        vm.assertEq(fair, 3000e18);
        vm.warp(START + 12 hours);
        instrument.update(PERP);
        Amm memory amm = _amm();
        vm.assertTrue(amm.longFundingIndex < before.longFundingIndex, "long pays");
        vm.assertTrue(amm.shortFundingIndex > before.shortFundingIndex, "short receives");
        uint256 paid = uint256(uint128(before.longFundingIndex - amm.longFundingIndex)) * 10;
        uint256 received = uint256(uint128(amm.shortFundingIndex - before.shortFundingIndex)) * 4;
        vm.assertApproxEqAbs(paid, received, 4);
        instrument.update(PERP);
        vm.assertEq(keccak256(abi.encode(_amm())), keccak256(abi.encode(amm)), "idempotent within a block");
    }

    function testFundingWithoutReceiverInsures() public {
        _trade(alice, 10e18, 20_000e18);
        vm.warp(START + 6 hours);
        instrument.update(PERP);
        Amm memory amm = _amm();
        vm.assertEq(uint256(amm.insuranceFund), uint256(uint128(-amm.longFundingIndex)) * 10);
    }

    function testHandlerTradesForAUser() public {
        vm.prank(handler);
        instrument.tradeFor(alice, Words.trade(PERP, 2e18, 1000e18, 443_636, 0));
        vm.assertEq(int256(_portfolio(alice).position.size), 2e18);
    }

    function testMulticallKeepsTheSender() public {
        bytes[] memory calls = new bytes[](2);
        calls[0] = abi.encodeCall(instrument.trade, (Words.trade(PERP, 2e18, 1000e18, 443_636, 0)));
        calls[1] = abi.encodeCall(instrument.place, (Words.trade(PERP, 1e18, 400e18, 79_900, 0)));
        vm.prank(alice);
        instrument.multicall(calls);
        vm.assertEq(int256(_portfolio(alice).position.size), 2e18);
        vm.assertEq(_portfolio(alice).oids.length, 1);
    }
}
