// SPDX-License-Identifier: MIT
pragma solidity ^0.8.28;

import {ICashier} from "src/stock/interfaces/ICashier.sol";
import {IStock} from "src/stock/interfaces/IStock.sol";
import {StockFixture} from "test/stock/StockFixture.sol";

/// What the handler knows of the venue beside the venue itself, and what its actions have in common.
abstract contract StockHandlerBase is StockFixture {
    struct Deployed {
        address cashier;
        address stock;
        address usdc;
        address aapl;
        address outsider;
        uint256 creditCapacity;
        uint256 withdrawCapacity;
    }

    uint256 internal constant USERS = 4;
    uint256 internal constant MAX_BATCH = 8;

    address[USERS] public users;
    bytes32[] public openOrders;
    bytes32[] public openLimits;
    bytes32[] public queuedDeposits;
    bytes32[] public queuedWithdrawals;
    mapping(bytes32 action => uint256) public successes;
    /// Of limit orders: what each locked at first, and what was filled of it.
    mapping(bytes32 orderId => uint256) public lockOf;
    mapping(bytes32 orderId => uint256) public filledOf;

    function setUp() public virtual override {
        super.setUp();
        for (uint256 i; i < USERS; ++i) {
            users[i] = makeAddress(string.concat("user", vm.toString(i)));
            _approve(users[i]);
        }
    }

    // --- what the invariants read ---

    function deployed() external view returns (Deployed memory) {
        return Deployed(
            address(cashier), address(stock), address(usdc), address(aapl), outsider, CREDIT_CAPACITY, WITHDRAW_CAPACITY
        );
    }

    function sumBalances() external view returns (uint256 cashWad, uint256 shares) {
        for (uint256 i; i < USERS; ++i) {
            cashWad += cashier.balanceWad(users[i]);
            shares += stock.stockBalance(users[i], address(aapl));
        }
    }

    /// What open orders lock. An order's money is in its lock or spent, so no lock ever grows, and what is filled of an
    /// order is what was settled for it.
    function sumLocks() external view returns (uint256 cashWad, uint256 shares) {
        (cashWad, shares) = _sumLocks(openOrders);
        for (uint256 i; i < openLimits.length; ++i) {
            IStock.Order memory order = stock.getOrder(openLimits[i]);
            vm.assertLe(order.lockedAmount, lockOf[openLimits[i]], "a lock grew");
            vm.assertEq(order.filledQuantity, filledOf[openLimits[i]], "filled is what was settled");
        }
        (uint256 limitCashWad, uint256 limitShares) = _sumLocks(openLimits);
        return (cashWad + limitCashWad, shares + limitShares);
    }

    function sumQueued() external view returns (uint256 depositTokens, uint256 withdrawalWad) {
        for (uint256 i; i < queuedDeposits.length; ++i) {
            depositTokens += cashier.cashOperation(queuedDeposits[i]).amount;
        }
        for (uint256 i; i < queuedWithdrawals.length; ++i) {
            withdrawalWad += cashier.cashOperation(queuedWithdrawals[i]).amount;
        }
    }

    // --- inside ---

    function _sumLocks(bytes32[] storage open) private view returns (uint256 cashWad, uint256 shares) {
        for (uint256 i; i < open.length; ++i) {
            IStock.Order memory order = stock.getOrder(open[i]);
            vm.assertEq(uint256(order.status), uint256(IStock.OrderStatus.Open), "an open order is open");
            if (order.amount > 0) cashWad += order.lockedAmount;
            else shares += order.lockedAmount;
        }
    }

    function _user(uint256 seed) internal view returns (address) {
        return users[seed % USERS];
    }

    /// The user's mUSD, after topping it up to `needed` at least.
    function _withCash(address user, uint256 needed) internal returns (uint256) {
        if (cashier.balanceWad(user) < needed) fund(user, 1000e6);
        return cashier.balanceWad(user);
    }

    /// The user's stock, after buying some when there is none.
    function _withStock(address user) internal returns (uint256) {
        uint256 balance = stock.stockBalance(user, address(aapl));
        if (balance != 0) return balance;
        publishPrice(AAPL_ID, AAPL_PRICE);
        fund(user, 1000e6);
        settleOne(place(user, 340e18), 0, 1e18, AAPL_PRICE, true);
        return stock.stockBalance(user, address(aapl));
    }

    /// Buffers from which any deposit of up to 2,000 USDC is instant.
    function _refillBuffers() internal {
        _setBuffers(CREDIT_CAPACITY, 1000e6);
    }

    function _setBuffers(uint256 creditWad, uint256 cash) internal {
        vm.startPrank(settler);
        cashier.adjustCreditBufferWad(int128(int256(creditWad) - int256(uint256(cashier.creditBufferWad()))));
        uint256 buffer = cashier.tokenConfig(address(usdc)).withdrawBuffer;
        cashier.adjustWithdrawBuffer(address(usdc), int128(int256(cash) - int256(buffer)));
        vm.stopPrank();
    }

    function _opened(bytes32[] storage open, bytes32 orderId) internal {
        open.push(orderId);
        lockOf[orderId] = stock.getOrder(orderId).lockedAmount;
    }

    /// Takes an order off the list when it has ended.
    function _settled(bytes32[] storage open, bytes32 orderId) internal {
        IStock.Order memory order = stock.getOrder(orderId);
        if (order.status == IStock.OrderStatus.Open) return;
        _forget(open, orderId);
        vm.assertEq(order.lockedAmount, 0, "a closed order holds nothing");
        ++successes["close"];
    }

    function _waitFor(uint256 exitAt, bool paused) internal {
        if (block.timestamp < exitAt) vm.warp(exitAt);
        if (paused) pauseAll();
    }

    function _resume(bool paused) internal {
        if (!paused) return;
        vm.startPrank(admin);
        router.unpause();
        stock.unpause();
        cashier.unpause();
        vm.stopPrank();
    }

    function _isSettled(bytes32 opId) internal view returns (bool) {
        return cashier.cashOperation(opId).status == ICashier.OperationStatus.Settled;
    }

    function _forget(bytes32[] storage list, bytes32 id) internal {
        for (uint256 i; i < list.length; ++i) {
            if (list[i] != id) continue;
            list[i] = list[list.length - 1];
            list.pop();
            return;
        }
    }

    function _mustFail(address caller, address target, bytes memory data) internal {
        vm.prank(caller);
        (bool done,) = target.call(data);
        vm.assertFalse(done, "a call that must fail went through");
    }
}
