// SPDX-License-Identifier: MIT
pragma solidity ^0.8.28;

import {BadFaithHandler} from "./BadFaithHandler.sol";
import {IStock} from "src/stock/interfaces/IStock.sol";

/// How orders end beside a fill: users cancel and take back, at times while everything is paused; the settler in bad faith
/// cancels, expires and rejects whatever it likes.
contract BadFaithEnds is BadFaithHandler {
    function cancel(uint256 which) external {
        (bytes32 orderId, bool found) = _open(which);
        IStock.Order memory order = stock.getOrder(orderId);
        if (!found || !order.isLimit || order.cancelRequested) return;
        requestCancel(orderId);
        ++successes["cancel"];
    }

    /// The user's own exit works after its time, whatever the settler did before, and while everything is paused.
    function takeBack(uint256 which, bool paused) external {
        // Seldom, or no order would be left for the settler.
        if (which % 4 != 0) return;
        (bytes32 orderId, bool found) = _open(which);
        if (!found) return;
        uint256 exitAt = stock.getOrder(orderId).exitAt;
        if (exitAt > time) _passTo(exitAt);
        if (paused) pauseAll();
        vm.prank(address(bytes20(orderId)));
        stock.takeBackOrder(orderId);
        if (paused) _unpauseAll();
        ++successes["takeBack"];
    }

    /// Cancels and expires orders that nobody wants to cancel, with last parts that never were.
    function endAnything(uint256 which, uint96 price, uint96 quantity, uint8 how) external {
        (bytes32 orderId, bool found) = _open(which);
        if (!found) return;
        IStock.Order memory order = stock.getOrder(orderId);
        IStock.EndCause cause = IStock.EndCause(how % 3);
        uint96 last = how % 4 == 0 ? _quantity(orderId, quantity) : 0;
        IStock.Cancellation[] memory list = new IStock.Cancellation[](1);
        list[0] = IStock.Cancellation(orderId, order.filledQuantity, last, _price(price, how), cause, 1);
        address token = how % 5 == 0 ? _stock(which % 2 == 0) : order.stockToken;
        if (_settles(abi.encodeCall(stock.settleCancels, (token, _cash(how % 2 == 0), list)))) {
            ++successes[cause == IStock.EndCause.UserRequest ? bytes32("settleCancel") : bytes32("endByBroker")];
        }
    }

    /// Settles a cancel as it was asked for, with all that is left filled at last in half of the cases.
    function settleRequestedCancel(uint256 which, bool lastPart, bool inHalf) external {
        (bytes32 orderId, bool found) = _open(which);
        IStock.Order memory order = stock.getOrder(orderId);
        if (!found || !order.cancelRequested) return;
        uint96 left = uint96(order.amount < 0 ? -order.amount : order.amount) - order.filledQuantity;
        IStock.Cancellation[] memory list = new IStock.Cancellation[](1);
        list[0] = IStock.Cancellation(
            orderId, order.filledQuantity, lastPart ? left - 1 : 0, order.limitPrice, IStock.EndCause.UserRequest, 0
        );
        if (_settles(abi.encodeCall(stock.settleCancels, (order.stockToken, _cash(inHalf), list)))) {
            ++successes["settleCancel"];
        }
    }

    function rejectAnything(uint256 which, uint96 filledBefore, uint8 how) external {
        (bytes32 orderId, bool found) = _open(which);
        if (!found) return;
        IStock.Rejection[] memory list = new IStock.Rejection[](1);
        list[0] = IStock.Rejection(orderId, how % 3 == 0 ? filledBefore : stock.getOrder(orderId).filledQuantity, how);
        vm.prank(settler);
        (bool done,) = address(stock).call(abi.encodeCall(stock.rejectMarketOrders, (list)));
        if (done && stock.getOrder(orderId).status != IStock.OrderStatus.Open) ++successes["reject"];
    }

    function _unpauseAll() private {
        vm.startPrank(admin);
        router.unpause();
        stock.unpause();
        cashier.unpause();
        vm.stopPrank();
    }
}
