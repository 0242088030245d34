// SPDX-License-Identifier: MIT
pragma solidity ^0.8.28;

import {AttackFixture} from "./AttackFixture.sol";
import {ICashier} from "src/stock/interfaces/ICashier.sol";
import {IStock} from "src/stock/interfaces/IStock.sol";
import {IStockOracle} from "src/stock/interfaces/IStockOracle.sol";
import {IStockRouter} from "src/stock/interfaces/IStockRouter.sol";
import {ReentrantToken} from "test/tokens/HostileTokens.sol";

/// Each test plays one attack and states what the attacker ends with. (Forged forwarding is in StockRouterTest.)
contract StockAttacksTest is AttackFixture {
    /// A cash token under the attacker's control was listed by mistake, and is an approved user itself.
    function setUp() public override {
        super.setUp();
        evil = ReentrantToken(deployCode("HostileTokens.sol:ReentrantToken", abi.encode(6)));
        vm.prank(admin);
        cashier.addSupportedToken(address(evil), usdcConfig());
        _approve(address(evil));
        evil.mint(address(evil), 100_000e6);
        _act(address(evil), abi.encodeCall(evil.approve, (address(router), type(uint256).max)));
        fund(alice, 3000e6);
        usdc.mint(address(evil), 3000e6);
        _act(address(usdc), abi.encodeCall(usdc.approve, (address(router), type(uint256).max)));
        _act(address(router), abi.encodeCall(router.deposit, (address(usdc), 2000e6)));
    }

    /// Attacker ends with: what it deposited once. Taking a queued deposit back inside a new one makes that one fail.
    function test_attack_takeBackInsideDeposit() public {
        bytes32 opId =
            abi.decode(_act(address(router), abi.encodeCall(router.deposit, (address(evil), 20_000e6))), (bytes32));
        vm.warp(block.timestamp + EXIT_DELAY);
        evil.arm(address(cashier), abi.encodeCall(cashier.takeBackDeposit, (opId)));
        vm.prank(address(evil));
        vm.expectRevert(IStockRouter.ReceivedAmountMismatch.selector);
        router.deposit(address(evil), 1000e6);
        vm.assertEq(cashier.balanceWad(address(evil)), 2000e18);
        vm.assertEq(evil.balanceOf(address(cashier)), 20_000e6);
    }

    /// Attacker ends with: one payment for one withdrawal. The second, asked for inside the first, is refused.
    function test_attack_withdrawInsideWithdrawal() public {
        evil.mint(address(cashier), 10_000e6);
        evil.arm(address(router), abi.encodeCall(router.withdraw, (address(evil), 1000e18)));
        uint256 before = evil.balanceOf(address(evil));
        _act(address(router), abi.encodeCall(router.withdraw, (address(evil), 1000e18)));
        _assertRefused(REENTRANT);
        vm.assertEq(evil.balanceOf(address(evil)), before + 997.9e6);
        vm.assertEq(cashier.balanceWad(address(evil)), 1000e18);
    }

    /// Attacker ends with: one payment. A claim repeated inside its own payment is refused.
    function test_attack_claimInsideClaim() public {
        evil.mint(address(cashier), 10_000e6);
        vm.prank(guardian);
        cashier.pause();
        bytes32 opId =
            abi.decode(_act(address(router), abi.encodeCall(router.withdraw, (address(evil), 1000e18))), (bytes32));
        vm.warp(block.timestamp + EXIT_DELAY);
        evil.arm(address(cashier), abi.encodeCall(cashier.takeBackWithdrawal, (opId)));
        uint256 before = evil.balanceOf(address(evil));
        _act(address(cashier), abi.encodeCall(cashier.claimWithdrawal, (opId)));
        _assertRefused(REENTRANT);
        vm.assertEq(evil.balanceOf(address(evil)), before + 997.9e6);
        vm.assertEq(cashier.balanceWad(address(evil)), 1000e18);
    }

    /// Attacker ends with: one payment. A withdrawal taken back while the venue pays it is refused.
    function test_attack_takeBackInsideVenuesPayment() public {
        vm.prank(guardian);
        cashier.pause();
        bytes32 opId =
            abi.decode(_act(address(router), abi.encodeCall(router.withdraw, (address(evil), 1000e18))), (bytes32));
        vm.prank(admin);
        cashier.unpause();
        evil.mint(address(cashier), 10_000e6);
        vm.warp(block.timestamp + EXIT_DELAY);
        evil.arm(address(cashier), abi.encodeCall(cashier.takeBackWithdrawal, (opId)));
        uint256 before = evil.balanceOf(address(evil));
        vm.prank(settler);
        cashier.batchSettleWithdraw(ids(opId));
        _assertRefused(REENTRANT);
        vm.assertEq(evil.balanceOf(address(evil)), before + 997.9e6);
        vm.assertEq(cashier.balanceWad(address(evil)), 1000e18);
    }

    /// Attacker ends with: what it took back once. Inside that payment nothing of its own moves.
    function test_attack_actInsideTakeBack() public {
        bytes32 opId =
            abi.decode(_act(address(router), abi.encodeCall(router.deposit, (address(evil), 20_000e6))), (bytes32));
        vm.warp(block.timestamp + EXIT_DELAY);
        evil.arm(address(router), abi.encodeCall(router.withdraw, (address(usdc), 1000e18)));
        _act(address(cashier), abi.encodeCall(cashier.takeBackDeposit, (opId)));
        _assertRefused(REENTRANT);
        vm.assertEq(cashier.balanceWad(address(evil)), 2000e18);
    }

    /// Attacker ends with: its order as it was. Inside its withdrawal, its deposit or an order with deposit the router takes nothing,
    /// not even a cancel, of which the Cashier knows nothing.
    function test_attack_cancelInsideMoves() public {
        evil.mint(address(cashier), 10_000e6);
        bytes32 own = abi.decode(
            _act(address(router), abi.encodeCall(router.placeLimitOrder, (address(aapl), 1e18, AAPL_PRICE, 0, FAR))),
            (bytes32)
        );
        bytes[3] memory moves = [
            abi.encodeCall(router.withdraw, (address(evil), 100e18)),
            abi.encodeCall(router.deposit, (address(evil), 100e6)),
            abi.encodeCall(router.depositAndMarketBuy, (address(evil), 100e6, address(aapl), 90e18, FAR))
        ];
        for (uint256 i; i < moves.length; ++i) {
            evil.arm(address(router), abi.encodeCall(router.cancelLimitOrder, (own)));
            _act(address(router), moves[i]);
            _assertRefused(REENTRANT);
        }
        vm.assertFalse(stock.getOrder(own).cancelRequested);
    }

    /// Attacker ends with: nothing. Inside a settlement neither an order nor an exit is possible.
    function test_attack_actInsideSettlement() public {
        evil.mint(address(cashier), 10_000e6);
        bytes32 own = abi.decode(
            _act(address(router), abi.encodeCall(router.placeMarketOrder, (address(aapl), 340e18, FAR))), (bytes32)
        );
        vm.warp(START + EXIT_DELAY);
        bytes32 orderId = place(alice, 340e18);
        _publishAt(START + EXIT_DELAY);
        evil.arm(address(stock), abi.encodeCall(stock.takeBackOrder, (own)));
        vm.prank(settler);
        stock.settleMarketOrders(address(aapl), address(evil), fills(orderId, 0, 0.5e18, AAPL_PRICE, false));
        _assertRefused(REENTRANT);
        evil.arm(address(router), abi.encodeCall(router.placeMarketOrder, (address(aapl), 1e18, FAR)));
        vm.prank(settler);
        stock.settleMarketOrders(address(aapl), address(evil), fills(orderId, 0.5e18, 0.5e18, AAPL_PRICE, false));
        _assertRefused(REENTRANT);
        vm.assertEq(cashier.balanceWad(address(evil)), 2000e18 - 340.374e18);
        vm.assertEq(stock.getOrder(own).lockedAmount, 340.374e18);
    }

    /// Attacker (a keeper that lost its memory, or one in bad faith) ends with: one delivery, one payment.
    function test_attack_replayedFill() public {
        bytes32 orderId = place(alice, 340e18);
        IStock.Fill[] memory list = fills(orderId, 0, 0.5e18, AAPL_PRICE, false);
        settle(list);
        uint256 cash = usdc.balanceOf(settler);
        uint256 shares = aapl.balanceOf(settler);
        for (uint256 i; i < 3; ++i) {
            expectFillSkip(list[0], IStock.SkipReason.FilledBeforeMismatch);
            vm.assertEq(settle(list), 0);
        }
        vm.assertEq(usdc.balanceOf(settler), cash);
        vm.assertEq(aapl.balanceOf(settler), shares);
        vm.assertEq(stock.stockBalance(alice, address(aapl)), 0.5e18);
    }

    /// Attacker (a stolen settler key) ends with: no more than the band leaves, and never without delivering.
    function test_attack_bandBreakingFill() public {
        bytes32 orderId = place(alice, 340e18);
        vm.expectRevert(
            abi.encodeWithSelector(IStock.FillPriceOutsideBand.selector, orderId, 340_000e18, uint256(AAPL_PRICE))
        );
        settleOne(orderId, 0, 0.001e18, 340_000e18, true);
        uint256 worth = _worth(alice);
        settleOne(orderId, 0, 0.95e18, 357e18, true);
        vm.assertGe(_worth(alice), worth * 94 / 100);
    }

    /// Attacker ends with: nothing. The user in an id is not a claim that anyone believes.
    function test_attack_forgedIds() public {
        bytes32 orderId = place(alice, 340e18);
        bytes32 opId = depositFor(alice, 50_000e6);
        vm.warp(block.timestamp + EXIT_DELAY);
        bytes32 forgedOrder = bytes32((uint256(uint160(bob)) << 96) | uint96(uint256(orderId)));
        bytes32 forgedOp = bytes32((uint256(uint160(bob)) << 96) | uint96(uint256(opId)));
        vm.startPrank(bob);
        vm.expectRevert(IStock.OrderNotFound.selector);
        stock.takeBackOrder(forgedOrder);
        vm.expectRevert(ICashier.InvalidOperationId.selector);
        cashier.takeBackDeposit(forgedOp);
        vm.stopPrank();
        vm.assertEq(cashier.balanceWad(bob), 0);
    }

    /// Attacker ends with: the loss of its gift. Tokens sent to the contracts change nobody's balance or buffer.
    function test_attack_gifts() public {
        buyStock(alice, 1e18);
        uint256 worth = _worth(alice);
        usdc.mint(address(cashier), 1_000_000e6);
        giveStock(bob, 1000e18);
        vm.prank(bob);
        aapl.transfer(address(stock), 1000e18);
        vm.assertEq(_worth(alice), worth);
        vm.assertEq(stock.stockBalance(outsider, address(aapl)), 0);
        settleOne(place(alice, -1e18), 0, 1e18, AAPL_PRICE, true);
        vm.assertEq(aapl.balanceOf(address(stock)), 1000e18);
    }

    /// A price of the chain's time; the compiler may read `block.timestamp` once for all of a test.
    function _publishAt(uint256 time) private {
        IStockOracle.PriceUpdate[] memory updates = new IStockOracle.PriceUpdate[](1);
        updates[0] = IStockOracle.PriceUpdate(AAPL_ID, 340e8, 0, 0, uint64(time), 2);
        vm.prank(publisher);
        oracle.publish(updates);
    }

    /// mUSD and stock of a user, with what an open order locks left out, at the oracle's price.
    function _worth(address user) private view returns (uint256) {
        return cashier.balanceWad(user) + stock.stockBalance(user, address(aapl)) * 340;
    }
}
