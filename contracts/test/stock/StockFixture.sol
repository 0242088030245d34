// SPDX-License-Identifier: MIT
pragma solidity ^0.8.28;

import {StockAccounts, StockVenue} from "./StockVenue.sol";
import {Cashier} from "src/stock/Cashier.sol";
import {Compliance} from "src/stock/Compliance.sol";
import {Stock} from "src/stock/Stock.sol";
import {StockOracle} from "src/stock/StockOracle.sol";
import {StockRouter} from "src/stock/StockRouter.sol";
import {StockToken} from "src/stock/StockToken.sol";
import {ICashier} from "src/stock/interfaces/ICashier.sol";
import {IStock} from "src/stock/interfaces/IStock.sol";
import {IStockOracle} from "src/stock/interfaces/IStockOracle.sol";
import {TestUSDC} from "test/tokens/TestUSDC.sol";

/// A fresh venue for every test, and what tests do with it.
abstract contract StockFixture is StockAccounts {
    StockVenue internal venue;
    Compliance internal compliance;
    StockOracle internal oracle;
    StockRouter internal router;
    Cashier internal cashier;
    Stock internal stock;
    StockToken internal aapl;
    StockToken internal tsla;
    TestUSDC internal usdc;

    function setUp() public virtual {
        venue = StockVenue(deployCode("StockVenue.sol:StockVenue", ""));
        compliance = venue.compliance();
        oracle = venue.oracle();
        router = venue.router();
        cashier = venue.cashier();
        stock = venue.stock();
        aapl = venue.aapl();
        tsla = venue.tsla();
        usdc = venue.usdc();
    }

    // --- deployment ---

    function newRouter(address trustedForwarder) internal returns (address) {
        return deployCode("StockRouter.sol:StockRouter", abi.encode(trustedForwarder));
    }

    function newCashier() internal returns (address) {
        return deployCode("Cashier.sol:Cashier", abi.encode(router));
    }

    function newStock() internal returns (address) {
        return deployCode("Stock.sol:Stock", abi.encode(router, cashier));
    }

    /// An oracle beside which no price is too bad for a user, so that a limit alone decides.
    function openBand(bool isBuy) internal {
        IStockOracle.PriceData memory data = oracle.latestPrice(AAPL_ID);
        data.price = isBuy ? type(int128).max : int128(0);
        vm.mockCall(address(oracle), abi.encodeCall(oracle.latestPrice, (AAPL_ID)), abi.encode(data));
    }

    function setTradable(address token, bool tradable) internal {
        IStock.ListingTerms memory terms = listingTerms();
        terms.tradable = tradable;
        vm.prank(admin);
        stock.updateListing(token, terms);
    }

    function _remove(address user) internal {
        address[] memory users = new address[](1);
        users[0] = user;
        vm.prank(manager);
        compliance.removeUsers(users);
    }

    function _approve(address user) internal {
        address[] memory users = new address[](1);
        users[0] = user;
        vm.prank(manager);
        compliance.addUsers(users);
    }

    // --- actions ---

    /// Publishes a price of 18 decimals at the chain's time.
    function publishPrice(bytes32 priceId, uint256 priceWad) internal {
        IStockOracle.PriceUpdate[] memory updates = new IStockOracle.PriceUpdate[](1);
        updates[0] =
            IStockOracle.PriceUpdate(priceId, int128(int256(priceWad / 1e10)), 0, 0, uint64(block.timestamp), 2);
        vm.prank(publisher);
        oracle.publish(updates);
    }

    /// Mints, approves and deposits `amount` token units for a user.
    function depositFor(address user, uint96 amount) internal returns (bytes32 opId) {
        usdc.mint(user, amount);
        vm.startPrank(user);
        usdc.approve(address(router), amount);
        opId = router.deposit(address(usdc), amount);
        vm.stopPrank();
    }

    /// Gives a user mUSD, through the queue where it must.
    function fund(address user, uint96 amount) internal {
        bytes32 opId = depositFor(user, amount);
        if (cashier.cashOperation(opId).status == ICashier.OperationStatus.Queued) {
            vm.prank(settler);
            cashier.batchSettleDeposit(ids(opId));
        }
    }

    function place(address user, int96 amount) internal returns (bytes32) {
        vm.prank(user);
        return router.placeMarketOrder(address(aapl), amount, FAR);
    }

    /// Gives a user stock at the exchange by a filled buy.
    function buyStock(address user, uint96 quantity) internal {
        uint96 notional = uint96((uint256(quantity) * AAPL_PRICE + 1e18 - 1) / 1e18);
        fund(user, uint96(uint256(notional) * 1002 / 1000 / 1e12 + MIN_DEPOSIT));
        settleOne(place(user, int96(notional)), 0, quantity, AAPL_PRICE, true);
    }

    function settleOne(bytes32 orderId, uint96 filledBefore, uint96 quantity, uint96 price, bool last)
        internal
        returns (uint256)
    {
        return settle(fills(orderId, filledBefore, quantity, price, last));
    }

    function settle(IStock.Fill[] memory list) internal returns (uint256) {
        vm.prank(settler);
        return stock.settleMarketOrders(address(aapl), address(usdc), list);
    }

    function fills(bytes32 orderId, uint96 filledBefore, uint96 quantity, uint96 price, bool last)
        internal
        pure
        returns (IStock.Fill[] memory list)
    {
        list = new IStock.Fill[](1);
        list[0] = IStock.Fill(orderId, filledBefore, quantity, price, last);
    }

    // --- limit orders ---

    function placeLimit(address user, int96 quantity, uint96 price) internal returns (bytes32) {
        vm.prank(user);
        return router.placeLimitOrder(address(aapl), quantity, price, 0, FAR);
    }

    function requestCancel(bytes32 orderId) internal {
        vm.prank(address(bytes20(orderId)));
        router.cancelLimitOrder(orderId);
    }

    function settleLimitOne(bytes32 orderId, uint96 filledBefore, uint96 quantity, uint96 price, bool last)
        internal
        returns (uint256)
    {
        return settleLimits(fills(orderId, filledBefore, quantity, price, last));
    }

    function settleLimits(IStock.Fill[] memory list) internal returns (uint256) {
        vm.prank(settler);
        return stock.settleLimitOrders(address(aapl), address(usdc), list);
    }

    function settleCancelOne(bytes32 orderId, uint96 filledBefore, uint96 quantity, uint96 price, IStock.EndCause cause)
        internal
        returns (uint256)
    {
        return settleCancels(cancellations(orderId, filledBefore, quantity, price, cause));
    }

    function settleCancels(IStock.Cancellation[] memory list) internal returns (uint256) {
        vm.prank(settler);
        return stock.settleCancels(address(aapl), address(usdc), list);
    }

    /// With reason code 7.
    function cancellations(bytes32 orderId, uint96 filledBefore, uint96 quantity, uint96 price, IStock.EndCause cause)
        internal
        pure
        returns (IStock.Cancellation[] memory list)
    {
        list = new IStock.Cancellation[](1);
        list[0] = IStock.Cancellation(orderId, filledBefore, quantity, price, cause, 7);
    }

    /// Puts stock into a user's wallet, approved for the router.
    function giveStock(address user, uint256 amount) internal {
        vm.prank(minter);
        aapl.mint(user, amount);
        vm.prank(user);
        aapl.approve(address(router), type(uint256).max);
    }

    /// Puts USDC into a user's wallet, approved for the router.
    function giveCash(address user, uint256 amount) internal {
        usdc.mint(user, amount);
        vm.prank(user);
        usdc.approve(address(router), type(uint256).max);
    }

    function pauseAll() internal {
        vm.startPrank(guardian);
        router.pause();
        stock.pause();
        cashier.pause();
        vm.stopPrank();
    }

    function assertStatus(bytes32 orderId, IStock.OrderStatus status) internal view {
        vm.assertEq(uint256(stock.getOrder(orderId).status), uint256(status), "status");
    }

    function rejections(bytes32 orderId, uint96 filledBefore, uint16 reasonCode)
        internal
        pure
        returns (IStock.Rejection[] memory list)
    {
        list = new IStock.Rejection[](1);
        list[0] = IStock.Rejection(orderId, filledBefore, reasonCode);
    }

    function ids(bytes32 id) internal pure returns (bytes32[] memory list) {
        list = new bytes32[](1);
        list[0] = id;
    }

    function roleError(address account, bytes32 role) internal pure returns (bytes memory) {
        return abi.encodeWithSignature("AccessControlUnauthorizedAccount(address,bytes32)", account, role);
    }

    // --- expectations ---

    /// The id that the Cashier gives its next operation.
    function nextStockId(address user) internal view returns (bytes32) {
        uint96 tail =
            uint96(uint256(keccak256(abi.encode(block.chainid, address(stock), user, stock.operationCounter() + 1))));
        return bytes32((uint256(uint160(user)) << 96) | tail);
    }

    function nextCashId(address user) internal view returns (bytes32) {
        return _id(address(cashier), user, uint256(cashier.operationCounter()) + 1);
    }

    /// The id that Stock gives its next order.
    function nextOrderId(address user) internal view returns (bytes32) {
        return _id(address(stock), user, uint256(stock.operationCounter()) + 1);
    }

    function _id(address source, address user, uint256 counter) private view returns (bytes32) {
        bytes32 hash = keccak256(abi.encode(block.chainid, source, user, counter));
        return bytes32((uint256(uint160(user)) << 96) | uint96(uint256(hash)));
    }

    function expectCashSkip(bytes32 opId, ICashier.SkipReason reason) internal {
        vm.expectEmit(address(cashier));
        emit ICashier.CashSettlementSkipped(opId, reason);
    }

    function expectFillSkip(IStock.Fill memory fill, IStock.SkipReason reason) internal {
        vm.expectEmit(address(stock));
        emit IStock.FillSkipped(fill.orderId, settler, reason, fill.filledBefore, fill.quantity);
    }

    function expectCancelSkip(bytes32 orderId, IStock.SkipReason reason, uint96 filledBefore) internal {
        vm.expectEmit(address(stock));
        emit IStock.CancellationSkipped(orderId, settler, reason, filledBefore);
    }
}
