// SPDX-License-Identifier: MIT
pragma solidity ^0.8.28;

import {StockFixture} from "./StockFixture.sol";
import {IStock} from "src/stock/interfaces/IStock.sol";
import {IStockOracle} from "src/stock/interfaces/IStockOracle.sol";

/// What users and keeper pay, as whole transactions: every call below is one (`isolate`), so the figures hold the 21,000
/// of a transaction, its calldata and every cold access, through the real proxies.
contract StockGasTest is StockFixture {
    uint256 private constant PLACE_LIMIT = 110_000;
    /// A limit order takes one slot more.
    uint256 private constant PLACE_LIMIT_LIMIT = PLACE_LIMIT + 23_000;
    uint256 private constant DEPOSIT_LIMIT = 110_000;
    /// Above the aim of a deposit by new slots, 17,100 each where a used one is written: a user's first mUSD; the operation
    /// of a queued deposit and the token's first reserve. docs/decisions/stock-gas.md
    uint256 private constant FIRST_DEPOSIT_LIMIT = 118_500;
    uint256 private constant QUEUED_DEPOSIT_LIMIT = 133_000;
    uint256 private constant SETTLE_LIMIT = 60_000;
    /// With the slot of a user's first holding of the stock.
    uint256 private constant SETTLE_FIRST_BUY_LIMIT = 75_500;
    /// Beside a slot that is used for the first time, a buy asks the register whether its user may hold the stock.
    uint256 private constant APPROVAL_CHECK = 5_000;
    uint256 private constant BATCH = 10;

    function setUp() public override {
        super.setUp();
        // A venue in use: nothing measured below is the first of its kind but where the name says so.
        fund(bob, 3000e6);
        place(bob, 100e18);
        vm.prank(alice);
        usdc.approve(address(router), type(uint256).max);
        usdc.mint(alice, 100_000e6);
    }

    /// forge-config: default.isolate = true
    function test_deposits() public {
        vm.prank(alice);
        router.deposit(address(usdc), 1000e6);
        _within(vm.snapshotGasLastCall("StockGas", "deposit, instant, a user's first"), FIRST_DEPOSIT_LIMIT);
        vm.prank(alice);
        router.deposit(address(usdc), 1000e6);
        _within(vm.snapshotGasLastCall("StockGas", "deposit, instant"), DEPOSIT_LIMIT);
        vm.prank(alice);
        router.deposit(address(usdc), 50_000e6);
        _within(vm.snapshotGasLastCall("StockGas", "deposit, queued"), QUEUED_DEPOSIT_LIMIT);
    }

    /// forge-config: default.isolate = true
    function test_withdrawals() public {
        fund(alice, 20_000e6);
        vm.prank(alice);
        router.withdraw(address(usdc), 1000e18);
        vm.snapshotGasLastCall("StockGas", "withdraw, instant");
        vm.prank(alice);
        bytes32 opId = router.withdraw(address(usdc), 10_000e18);
        vm.snapshotGasLastCall("StockGas", "withdraw, queued");
        vm.prank(settler);
        cashier.batchSettleWithdraw(ids(opId));
        vm.snapshotGasLastCall("StockGas", "batchSettleWithdraw, 1");
    }

    /// forge-config: default.isolate = true
    function test_placeBuyAndTakeBack() public {
        fund(alice, 1000e6);
        vm.prank(alice);
        bytes32 orderId = router.placeMarketOrder(address(aapl), 100e18, FAR);
        _within(vm.snapshotGasLastCall("StockGas", "placeMarketOrder, buy"), PLACE_LIMIT);
        vm.warp(block.timestamp + EXIT_DELAY);
        vm.prank(alice);
        stock.takeBackOrder(orderId);
        vm.snapshotGasLastCall("StockGas", "takeBackOrder, buy");
    }

    /// forge-config: default.isolate = true
    function test_placeSell() public {
        buyStock(alice, 2e18);
        vm.prank(alice);
        router.placeMarketOrder(address(aapl), -1e18, FAR);
        _within(vm.snapshotGasLastCall("StockGas", "placeMarketOrder, sell"), PLACE_LIMIT);
    }

    /// forge-config: default.isolate = true
    function test_settleTenFirstBuys() public {
        IStock.Fill[] memory list = new IStock.Fill[](BATCH);
        for (uint256 i; i < BATCH; ++i) {
            address user = _user(i);
            fund(user, 1000e6);
            list[i] = IStock.Fill(place(user, 100e18), 0, 0.29e18, AAPL_PRICE, true);
        }
        vm.prank(settler);
        stock.settleMarketOrders(address(aapl), address(usdc), list);
        _within(
            vm.snapshotGasLastCall("StockGas", "settleMarketOrders, 10 buys, each its user's first of the stock"),
            SETTLE_FIRST_BUY_LIMIT * BATCH
        );
    }

    /// forge-config: default.isolate = true
    function test_settleTenBuys() public {
        _settle(_tenBuys(), "settleMarketOrders, 10 buys");
    }

    /// forge-config: default.isolate = true
    function test_settleTenSells() public {
        IStock.Fill[] memory list = new IStock.Fill[](BATCH);
        for (uint256 i; i < BATCH; ++i) {
            buyStock(_user(i), 1e18);
            list[i] = IStock.Fill(place(_user(i), -0.5e18), 0, 0.5e18, AAPL_PRICE, true);
        }
        _settle(list, "settleMarketOrders, 10 sells");
    }

    /// forge-config: default.isolate = true
    function test_settleTenFirstParts() public {
        IStock.Fill[] memory list = _tenBuys();
        for (uint256 i; i < BATCH; ++i) {
            (list[i].quantity, list[i].last) = (0.1e18, false);
        }
        _settle(list, "settleMarketOrders, 10 first parts of buys", SETTLE_LIMIT + APPROVAL_CHECK);
        for (uint256 i; i < BATCH; ++i) {
            (list[i].filledBefore, list[i].last) = (0.1e18, true);
        }
        _settle(list, "settleMarketOrders, 10 last parts of buys");
    }

    /// forge-config: default.isolate = true
    function test_rejectTen() public {
        IStock.Fill[] memory list = _tenBuys();
        IStock.Rejection[] memory rejected = new IStock.Rejection[](BATCH);
        for (uint256 i; i < BATCH; ++i) {
            rejected[i] = IStock.Rejection(list[i].orderId, 0, 1);
        }
        vm.prank(settler);
        stock.rejectMarketOrders(rejected);
        vm.snapshotGasLastCall("StockGas", "rejectMarketOrders, 10 buys");
    }

    // --- limit orders ---

    /// forge-config: default.isolate = true
    function test_placeAndCancelLimitOrders() public {
        fund(alice, 3000e6);
        buyStock(alice, 2e18);
        vm.prank(alice);
        bytes32 orderId = router.placeLimitOrder(address(aapl), 1e18, 300e18, 0, FAR);
        _within(vm.snapshotGasLastCall("StockGas", "placeLimitOrder, buy"), PLACE_LIMIT_LIMIT);
        vm.prank(alice);
        router.placeLimitOrder(address(aapl), -1e18, 350e18, 0, FAR);
        _within(vm.snapshotGasLastCall("StockGas", "placeLimitOrder, sell"), PLACE_LIMIT_LIMIT);
        vm.prank(alice);
        router.cancelLimitOrder(orderId);
        vm.snapshotGasLastCall("StockGas", "cancelLimitOrder");
        vm.warp(block.timestamp + EXIT_DELAY);
        vm.prank(alice);
        stock.takeBackOrder(orderId);
        vm.snapshotGasLastCall("StockGas", "takeBackOrder, limit buy");
    }

    /// forge-config: default.isolate = true
    function test_settleTenLimitBuys() public {
        IStock.Fill[] memory list = _tenLimits(1e18);
        for (uint256 i; i < BATCH; ++i) {
            list[i].quantity = 0.1e18;
        }
        _settleLimits(list, "settleLimitOrders, 10 first parts of buys");
        for (uint256 i; i < BATCH; ++i) {
            (list[i].filledBefore, list[i].quantity) = (0.1e18, 0.9e18);
        }
        _settleLimits(list, "settleLimitOrders, 10 last parts of buys");
        _settleLimits(_tenLimits(1e18), "settleLimitOrders, 10 buys");
    }

    /// forge-config: default.isolate = true
    function test_settleTenLimitSells() public {
        _settleLimits(_tenLimits(-1e18), "settleLimitOrders, 10 sells");
    }

    /// forge-config: default.isolate = true
    function test_settleTenCancels() public {
        _settleCancels(_tenLimits(1e18), 0, "settleCancels, 10 buys");
        _settleCancels(_tenLimits(1e18), 0.5e18, "settleCancels, 10 buys with a last part");
        _settleCancels(_tenLimits(-1e18), 0, "settleCancels, 10 sells");
    }

    // --- stock ---

    /// forge-config: default.isolate = true
    function test_stockMoves() public {
        giveStock(alice, 10e18);
        vm.prank(alice);
        router.depositStock(address(aapl), 1e18);
        vm.snapshotGasLastCall("StockGas", "depositStock, a user's first");
        vm.prank(alice);
        router.depositStock(address(aapl), 1e18);
        vm.snapshotGasLastCall("StockGas", "depositStock");
        vm.prank(alice);
        router.withdrawStock(address(aapl), 1e18);
        vm.snapshotGasLastCall("StockGas", "withdrawStock");
    }

    /// forge-config: default.isolate = true
    function test_ordersWithDeposit() public {
        fund(alice, 1000e6);
        giveCash(alice, 10_000e6);
        giveStock(alice, 10e18);
        vm.prank(alice);
        router.depositStock(address(aapl), 1e18);
        vm.prank(alice);
        router.depositAndMarketBuy(address(usdc), 1000e6, address(aapl), 900e18, FAR);
        vm.snapshotGasLastCall("StockGas", "depositAndMarketBuy");
        vm.prank(alice);
        router.depositAndLimitBuy(address(usdc), 1000e6, address(aapl), 2e18, 300e18, 0, FAR);
        vm.snapshotGasLastCall("StockGas", "depositAndLimitBuy");
        vm.prank(alice);
        router.depositStockAndMarketSell(address(aapl), 2e18, -1e18, FAR);
        vm.snapshotGasLastCall("StockGas", "depositStockAndMarketSell");
        vm.prank(alice);
        router.depositStockAndLimitSell(address(aapl), 2e18, -1e18, 350e18, 0, FAR);
        vm.snapshotGasLastCall("StockGas", "depositStockAndLimitSell");
    }

    /// forge-config: default.isolate = true
    function test_publishTen() public {
        IStockOracle.PriceUpdate[] memory updates = new IStockOracle.PriceUpdate[](BATCH);
        for (uint256 i; i < BATCH; ++i) {
            updates[i] = IStockOracle.PriceUpdate(keccak256(abi.encode(i)), 340e8, 339e8, 341e8, 1, 2);
        }
        vm.startPrank(publisher);
        oracle.publish(updates);
        oracle.publish(updates);
        vm.snapshotGasLastCall("StockGas", "publish, 10 prices");
        vm.stopPrank();
    }

    /// forge-config: default.isolate = true
    function test_sizes() public {
        _size("StockRouter");
        _size("Cashier");
        _size("Stock");
        _size("StockSettlement");
        _size("StockToken");
        _size("StockTokenFactory");
        _size("StockOracle");
        _size("Compliance");
    }

    function _tenBuys() private returns (IStock.Fill[] memory list) {
        list = new IStock.Fill[](BATCH);
        for (uint256 i; i < BATCH; ++i) {
            buyStock(_user(i), 1e18);
            list[i] = IStock.Fill(place(_user(i), 70e18), 0, 0.2e18, AAPL_PRICE, true);
        }
    }

    /// Limit orders at the oracle's price of ten users who hold stock and mUSD, with the fills that end them.
    function _tenLimits(int96 quantity) private returns (IStock.Fill[] memory list) {
        list = new IStock.Fill[](BATCH);
        for (uint256 i; i < BATCH; ++i) {
            address user = _user(i);
            buyStock(user, 2e18);
            fund(user, 1000e6);
            list[i] = IStock.Fill(placeLimit(user, quantity, AAPL_PRICE), 0, 1e18, AAPL_PRICE, false);
        }
    }

    function _settleLimits(IStock.Fill[] memory list, string memory name) private {
        vm.prank(settler);
        uint256 applied = stock.settleLimitOrders(address(aapl), address(usdc), list);
        uint256 gas = vm.snapshotGasLastCall("StockGas", name);
        vm.assertEq(applied, BATCH);
        _within(gas, SETTLE_LIMIT * BATCH);
    }

    function _settleCancels(IStock.Fill[] memory orders, uint96 lastPart, string memory name) private {
        IStock.Cancellation[] memory list = new IStock.Cancellation[](BATCH);
        for (uint256 i; i < BATCH; ++i) {
            requestCancel(orders[i].orderId);
            list[i] = IStock.Cancellation(orders[i].orderId, 0, lastPart, AAPL_PRICE, IStock.EndCause.UserRequest, 1);
        }
        vm.prank(settler);
        uint256 closed = stock.settleCancels(address(aapl), address(usdc), list);
        uint256 gas = vm.snapshotGasLastCall("StockGas", name);
        vm.assertEq(closed, BATCH);
        _within(gas, (lastPart == 0 ? SETTLE_LIMIT : SETTLE_LIMIT + APPROVAL_CHECK) * BATCH);
    }

    function _settle(IStock.Fill[] memory list, string memory name) private {
        _settle(list, name, SETTLE_LIMIT);
    }

    function _settle(IStock.Fill[] memory list, string memory name, uint256 limit) private {
        vm.prank(settler);
        uint256 applied = stock.settleMarketOrders(address(aapl), address(usdc), list);
        uint256 gas = vm.snapshotGasLastCall("StockGas", name);
        vm.assertEq(applied, BATCH);
        _within(gas, limit * BATCH);
    }

    function _user(uint256 i) private returns (address user) {
        user = makeAddress(string.concat("user", vm.toString(i)));
        _approve(user);
    }

    function _within(uint256 gas, uint256 limit) private pure {
        vm.assertLe(gas, limit);
    }

    function _size(string memory name) private {
        uint256 size = runtimeSize(string.concat(name, ".sol:", name));
        vm.assertLe(size, 24_576);
        vm.snapshotValue("StockSize", name, size);
    }
}
