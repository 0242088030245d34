// SPDX-License-Identifier: MIT
pragma solidity ^0.8.28;

import {PerpFixture} from "./PerpFixture.sol";
import {Words} from "./Words.sol";
import {TaxedToken, TestToken} from "./mocks/Mocks.sol";
import {NATIVE_TOKEN, NATIVE_TOKEN_ALIAS} from "src/perp/Constants.sol";
import {FundFlow, Pending} from "src/perp/Types.sol";
import {IGate} from "src/perp/interfaces/IGate.sol";
import {IInitializeOnce} from "src/perp/interfaces/IInitializeOnce.sol";

contract GateTest is PerpFixture {
    function testDepositCreditsTheReserve() public {
        uint256 before = _reserve(alice);
        vm.prank(alice);
        vm.expectEmit(address(gate));
        emit IGate.Deposit(address(usd), alice, 7e6);
        gate.deposit(Words.token(address(usd), 7e6));
        vm.assertEq(_reserve(alice), before + 7e6);
        vm.assertEq(uint256(gate.fundFlowOf(address(usd), alice).totalIn), before + 7e6);
    }

    function testNativeMoneyIsKeptWrapped() public {
        address[3] memory spellings = [NATIVE_TOKEN, NATIVE_TOKEN_ALIAS, address(0)];
        vm.deal(alice, 10 ether);
        vm.prank(admin);
        gate.setThreshold(address(weth), type(uint256).max);
        for (uint256 i; i < 3; ++i) {
            vm.startPrank(alice);
            vm.expectEmit(address(gate));
            emit IGate.Deposit(NATIVE_TOKEN, alice, 2 ether);
            gate.deposit{value: 2 ether}(Words.token(spellings[i], 2 ether));
            vm.assertEq(gate.reserveOf(address(weth), alice), 2 ether);
            vm.expectEmit(address(gate));
            emit IGate.Withdraw(NATIVE_TOKEN, alice, 2 ether);
            gate.withdraw(Words.token(spellings[i], 2 ether));
            vm.stopPrank();
            vm.assertEq(alice.balance, 10 ether);
        }
    }

    function testWithdrawWrappedAsToken() public {
        vm.deal(alice, 1 ether);
        vm.prank(admin);
        gate.setThreshold(address(weth), type(uint256).max);
        vm.startPrank(alice);
        gate.deposit{value: 1 ether}(Words.token(NATIVE_TOKEN, 1 ether));
        gate.withdraw(Words.token(address(weth), 1 ether));
        vm.assertEq(weth.balanceOf(alice), 1 ether);
    }

    function testHandlerMovesForAUser() public {
        uint256 wallet = usd.balanceOf(alice);
        vm.startPrank(handler);
        gate.depositFor(alice, Words.token(address(usd), 5e6));
        vm.assertEq(usd.balanceOf(alice), wallet - 5e6);
        gate.withdrawFor(alice, Words.token(address(usd), 5e6));
        vm.assertEq(usd.balanceOf(alice), wallet);
        vm.stopPrank();
        vm.expectRevert(IGate.NotHandler.selector);
        gate.depositFor(alice, Words.token(address(usd), 5e6));
        vm.expectRevert(IGate.NotHandler.selector);
        gate.withdrawFor(alice, Words.token(address(usd), 5e6));
    }

    function testLargeNetOutflowWaits() public {
        vm.prank(admin);
        gate.setThreshold(address(usd), 1000e6);
        // Profit of 1500: what he brought in comes out freely, the first 1000 beyond it too.
        vm.prank(address(instrument));
        gate.gather(address(usd), alice, PERP, 1500e6);

        uint256 wallet = usd.balanceOf(alice);
        uint256 own = _reserve(alice) - 1500e6;
        vm.startPrank(alice);
        gate.withdraw(Words.token(address(usd), own + 1000e6));
        vm.assertEq(usd.balanceOf(alice), wallet + own + 1000e6);
        vm.expectEmit(address(gate));
        emit IGate.UpdatePending(address(usd), alice, Pending(uint32(block.timestamp), false, 400e6, 0));
        gate.withdraw(Words.token(address(usd), 400e6));
        vm.assertEq(_reserve(alice), 100e6);
        vm.stopPrank();

        vm.warp(block.timestamp + 1 days - 1);
        vm.expectRevert(IGate.PendingWithdrawNotMature.selector);
        gate.release(address(usd), alice);
        vm.warp(block.timestamp + 1);
        gate.release(address(usd), alice);
        vm.assertEq(usd.balanceOf(alice), wallet + own + 1400e6);
        Pending memory pending = gate.pendingOf(address(usd), alice);
        vm.assertEq(uint256(pending.exemption), 400e6);
        vm.assertEq(uint256(pending.amount) + pending.timestamp, 0);
        vm.expectRevert(IGate.PendingWithdrawNotMature.selector);
        gate.release(address(usd), alice);
    }

    /// Coins that wait come out as coins.
    function testLargeNativeOutflowWaits() public {
        vm.deal(bob, 3 ether);
        vm.prank(bob);
        gate.deposit{value: 3 ether}(Words.token(NATIVE_TOKEN, 3 ether));
        vm.startPrank(address(instrument));
        gate.scatter(address(weth), bob, PERP, 3 ether);
        gate.gather(address(weth), alice, PERP, 3 ether);
        vm.stopPrank();
        vm.prank(alice);
        vm.expectEmit(address(gate));
        emit IGate.UpdatePending(address(weth), alice, Pending(uint32(block.timestamp), true, 2 ether, 0));
        gate.withdraw(Words.token(NATIVE_TOKEN, 2 ether));
        vm.assertEq(alice.balance, 0);
        vm.warp(block.timestamp + 1 days);
        vm.expectEmit(address(gate));
        emit IGate.Withdraw(NATIVE_TOKEN, alice, 2 ether);
        gate.release(address(weth), alice);
        vm.assertEq(alice.balance, 2 ether);
        vm.assertEq(weth.balanceOf(alice), 0);
    }

    function testWithdrawNeedsReserve() public {
        uint256 reserve = _reserve(alice);
        vm.prank(alice);
        vm.expectRevert(abi.encodeWithSelector(IGate.InsufficientReserve.selector, reserve + 1, reserve));
        gate.withdraw(Words.token(address(usd), reserve + 1));
    }

    function testMsgValueMustMatch() public {
        vm.deal(alice, 2 ether);
        vm.startPrank(alice);
        vm.expectRevert(IGate.InvalidMsgValue.selector);
        gate.deposit{value: 1 ether}(Words.token(NATIVE_TOKEN, 2 ether));
        vm.expectRevert(IGate.InvalidMsgValue.selector);
        gate.deposit{value: 1}(Words.token(address(usd), 1));
        (bool ok, bytes memory reason) = address(gate).call{value: 1}("");
        vm.assertFalse(ok);
        vm.assertEq(bytes32(bytes4(reason)), bytes32(IGate.NoDirectDeposit.selector));
    }

    function testRefusesTokensThatKeepAPart() public {
        TaxedToken taxed = new TaxedToken();
        taxed.mint(alice, 100e18);
        vm.startPrank(alice);
        taxed.approve(address(gate), type(uint256).max);
        vm.expectRevert(abi.encodeWithSelector(IGate.UnsafeToken.selector, address(taxed)));
        gate.deposit(Words.token(address(taxed), 100e18));
    }

    function testBlacklistedBringsNothingInButLeaves() public {
        _trade(alice, 2e18, 1000e18);
        vm.prank(admin);
        gate.setBlacklist(alice, true);
        vm.startPrank(alice);
        vm.expectRevert(IGate.BlacklistedTrader.selector);
        gate.deposit(Words.token(address(usd), 1));
        vm.expectRevert(IGate.BlacklistedTrader.selector);
        instrument.trade(Words.trade(PERP, 1e18, 1000e18, 443_636, 0));
        instrument.trade(Words.trade(PERP, -2e18, 0, -322_517, 0));
        gate.withdraw(Words.token(address(usd), _reserve(alice)));
        vm.assertEq(_reserve(alice), 0);
    }

    function testOnlyInstrumentsMoveFunds() public {
        vm.expectRevert(IGate.NotInstrument.selector);
        gate.scatter(address(usd), alice, PERP, 1);
        vm.expectRevert(IGate.NotInstrument.selector);
        gate.gather(address(usd), alice, PERP, 1);
    }

    function testScatterNeedsReserveOrAllowance() public {
        vm.startPrank(alice);
        usd.approve(address(gate), 0);
        uint256 reserve = _reserve(alice);
        vm.expectRevert(abi.encodeWithSelector(IGate.InsufficientReserve.selector, reserve + 1, reserve));
        instrument.trade(Words.trade(PERP, 1e18, int256((reserve + 1) * 1e12), 443_636, 0));
    }

    function testAdminOnly() public {
        vm.expectRevert(IGate.NotSynFuturesV3Admin.selector);
        gate.setThreshold(address(usd), 1);
        vm.expectRevert(IGate.NotSynFuturesV3Admin.selector);
        gate.setPendingDuration(1);
        vm.expectRevert(IGate.NotSynFuturesV3Admin.selector);
        gate.setBlacklist(alice, true);
        vm.expectRevert(IGate.NotSynFuturesV3Admin.selector);
        gate.upgradeToAndCall(address(1), "");
        vm.prank(admin);
        vm.expectRevert(IGate.PendingDurationTooLong.selector);
        gate.setPendingDuration(7 days + 1);
        vm.expectRevert(IInitializeOnce.AlreadyInitialized.selector);
        gate.initialize();
    }

    function testUpgradeKeepsStorage() public {
        uint256 reserve = _reserve(alice);
        address next = deployCode("Gate.sol:Gate", abi.encode(address(weth), address(config), handler));
        vm.prank(admin);
        gate.upgradeToAndCall(next, "");
        vm.assertEq(_reserve(alice), reserve);
    }

    function testFundFlowCountsBothWays() public {
        vm.prank(alice);
        gate.withdraw(Words.token(address(usd), 3e6));
        FundFlow memory flow = gate.fundFlowOf(address(usd), alice);
        vm.assertEq(uint256(flow.totalOut), 3e6);
    }
}
