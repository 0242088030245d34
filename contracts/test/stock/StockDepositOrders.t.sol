// SPDX-License-Identifier: MIT
pragma solidity ^0.8.28;

import {StockFixture} from "./StockFixture.sol";
import {StockRouter} from "src/stock/StockRouter.sol";
import {ICashier} from "src/stock/interfaces/ICashier.sol";
import {ICompliance} from "src/stock/interfaces/ICompliance.sol";
import {IStock} from "src/stock/interfaces/IStock.sol";
import {IStockRouter} from "src/stock/interfaces/IStockRouter.sol";

/// Orders that bring their own deposit, and what the router asks of every order.
contract StockDepositOrdersTest is StockFixture {
    bytes4 private constant PAUSED = bytes4(keccak256("EnforcedPause()"));

    function setUp() public override {
        super.setUp();
        giveCash(alice, 100_000e6);
        giveStock(alice, 10e18);
    }

    // --- buys ---

    function test_marketBuy_depositsAndBuysInOneStep() public {
        (bytes32 cashId, bytes32 stockId) = (nextCashId(alice), nextOrderId(alice));
        vm.expectEmit(address(cashier));
        emit ICashier.InstantDeposit(cashId, alice, address(usdc), 1000e6, 1000e18, 0);
        vm.expectEmit(true, false, false, false, address(stock));
        emit IStock.MarketOrderPlaced(stockId, alice, address(aapl), 0, 0, 0, 0);
        vm.expectEmit(address(router));
        emit IStockRouter.DepositAndMarketBuy(cashId, stockId, alice, address(usdc), 1000e6, address(aapl), 900e18);
        (bytes32 opId, bytes32 orderId) = _marketBuy(1000e6, 900e18);
        vm.assertEq(opId, cashId);
        vm.assertEq(orderId, stockId);
        vm.assertEq(cashier.balanceWad(alice), 1000e18 - 900.99e18);
        vm.assertEq(stock.getOrder(orderId).lockedAmount, 900.99e18);
        vm.assertEq(usdc.balanceOf(alice), 99_000e6);
        vm.assertEq(usdc.balanceOf(address(router)), 0);
        vm.assertEq(usdc.balanceOf(address(cashier)), 1000e6);
    }

    function test_limitBuy_depositsAndPlacesInOneStep() public {
        (bytes32 cashId, bytes32 stockId) = (nextCashId(alice), nextOrderId(alice));
        vm.expectEmit(address(router));
        emit IStockRouter.DepositAndLimitBuy(cashId, stockId, alice, address(usdc), 1000e6, address(aapl), 2e18, 300e18);
        (bytes32 opId, bytes32 orderId) = _limitBuy(1000e6, 2e18, 300e18);
        vm.assertEq(opId, cashId);
        vm.assertEq(orderId, stockId);
        vm.assertEq(stock.getOrder(orderId).lockedAmount, 600.66e18);
        vm.assertEq(stock.getOrder(orderId).limitPrice, 300e18);
        vm.assertEq(cashier.balanceWad(alice), 399.34e18);
    }

    /// The credit, after the deposit fee, must cover the lock to the last wei; what lies in the balance does not help.
    function test_buy_depositAloneMustCoverTheLock() public {
        fund(alice, 3000e6);
        giveCash(alice, 0);
        vm.expectRevert(IStockRouter.InsufficientDepositForOrder.selector);
        _marketBuy(100.11e6, 100e18 + 1);
        _marketBuy(100.11e6, 100e18);
        vm.expectRevert(IStockRouter.InsufficientDepositForOrder.selector);
        _limitBuy(300.33e6, 1e18, 300e18 + 1);
        _limitBuy(300.33e6, 1e18, 300e18);
        vm.prank(admin);
        stock.setFeeRates(IStock.FeeRates(0, 0, 0, 0));
        vm.expectRevert(IStockRouter.InsufficientDepositForOrder.selector);
        _marketBuy(100e6, 100e18 + 1);
        _marketBuy(100e6, 100e18);
        vm.prank(admin);
        cashier.setCashFees(1000, 0);
        vm.expectRevert(IStockRouter.InsufficientDepositForOrder.selector);
        _marketBuy(100e6, 100e18);
        vm.assertEq(cashier.balanceWad(alice), 3000e18);
    }

    /// The threshold is a fifth of the credit buffer: 4,000 mUSD.
    function test_buy_depositMustBeInstant() public {
        vm.expectRevert(IStockRouter.DepositNotInstant.selector);
        _marketBuy(4000e6 + 1, 100e18);
        vm.expectRevert(IStockRouter.DepositNotInstant.selector);
        _limitBuy(4000e6 + 1, 1e18, 300e18);
        vm.assertFalse(cashier.canInstantDeposit(address(usdc), 4000e6 + 1));
        (uint128 pending,) = cashier.totalPending(address(usdc));
        vm.assertEq(pending, 0);
        vm.assertEq(usdc.balanceOf(alice), 100_000e6);
        _marketBuy(4000e6, 100e18);
    }

    function test_buy_refusals() public {
        int96[3] memory wrong = [int96(0), -1, type(int96).min];
        for (uint256 i; i < wrong.length; ++i) {
            vm.expectRevert(IStockRouter.QuantityMustBePositive.selector);
            _marketBuy(1000e6, wrong[i]);
            vm.expectRevert(IStockRouter.QuantityMustBePositive.selector);
            _limitBuy(1000e6, wrong[i], 300e18);
        }
        vm.expectRevert(IStock.PriceCannotBeZero.selector);
        _limitBuy(1000e6, 1e18, 0);
        vm.expectRevert(ICashier.AmountTooSmall.selector);
        _marketBuy(MIN_DEPOSIT - 1, 1e18);
        address unsupported = deployCode("HostileTokens.sol:CashToken", abi.encode(6));
        vm.expectRevert(ICashier.TokenNotSupported.selector);
        vm.prank(alice);
        router.depositAndMarketBuy(unsupported, 0, address(aapl), 1e18, FAR);
        vm.prank(guardian);
        cashier.setTokenPause(address(usdc), true, false);
        vm.expectRevert(ICashier.DepositPaused.selector);
        _marketBuy(1000e6, 1e18);
    }

    /// All or nothing: no deposit stays when the order is refused.
    function test_buy_refusedOrderLeavesNoDeposit() public {
        setTradable(address(aapl), false);
        vm.expectRevert(IStock.InvalidStockToken.selector);
        _marketBuy(1000e6, 900e18);
        vm.expectRevert(IStock.InvalidStockToken.selector);
        _limitBuy(1000e6, 1e18, 300e18);
        vm.expectRevert(IStock.InvalidStockToken.selector);
        _marketSell(1e18, -1e18);
        vm.assertEq(usdc.balanceOf(alice), 100_000e6);
        vm.assertEq(aapl.balanceOf(alice), 10e18);
        vm.assertEq(cashier.balanceWad(alice), 0);
        vm.assertEq(cashier.creditBufferWad(), CREDIT_CAPACITY);
        vm.assertEq(cashier.operationCounter(), 0);
    }

    // --- sells ---

    function test_marketSell_depositsAndSellsInOneStep() public {
        bytes32 expected = nextOrderId(alice);
        vm.expectEmit(address(stock));
        emit IStock.StockDeposited(address(aapl), alice, 5e18);
        vm.expectEmit(address(router));
        emit IStockRouter.DepositStockAndMarketSell(expected, alice, address(aapl), 5e18, -4e18);
        bytes32 orderId = _marketSell(5e18, -4e18);
        vm.assertEq(orderId, expected);
        vm.assertEq(stock.stockBalance(alice, address(aapl)), 1e18);
        vm.assertEq(stock.getOrder(orderId).lockedAmount, 4e18);
        vm.assertEq(aapl.balanceOf(alice), 5e18);
    }

    function test_limitSell_depositsAndPlacesInOneStep() public {
        bytes32 expected = nextOrderId(alice);
        vm.expectEmit(address(router));
        emit IStockRouter.DepositStockAndLimitSell(expected, alice, address(aapl), 4e18, -4e18, 350e18);
        bytes32 orderId = _limitSell(4e18, -4e18, 350e18);
        vm.assertEq(orderId, expected);
        vm.assertEq(stock.stockBalance(alice, address(aapl)), 0);
        vm.assertEq(stock.getOrder(orderId).limitPrice, 350e18);
    }

    function test_sell_refusals() public {
        vm.prank(alice);
        router.depositStock(address(aapl), 5e18);
        int96[3] memory wrong = [int96(0), 1, type(int96).max];
        for (uint256 i; i < wrong.length; ++i) {
            vm.expectRevert(IStockRouter.QuantityMustBeNegative.selector);
            _marketSell(1e18, wrong[i]);
            vm.expectRevert(IStockRouter.QuantityMustBeNegative.selector);
            _limitSell(1e18, wrong[i], 300e18);
        }
        // The balance would cover it; the deposit must.
        vm.expectRevert(IStockRouter.InsufficientDepositForOrder.selector);
        _marketSell(1e18, -1e18 - 1);
        vm.expectRevert(IStockRouter.InsufficientDepositForOrder.selector);
        _limitSell(1e18, -1e18 - 1, 300e18);
        vm.expectRevert(IStockRouter.InsufficientDepositForOrder.selector);
        _marketSell(5e18, type(int96).min);
        vm.expectRevert(IStock.PriceCannotBeZero.selector);
        _limitSell(1e18, -1e18, 0);
        vm.prank(guardian);
        stock.setStockPause(address(aapl), true, false);
        vm.expectRevert(IStock.StockDepositPaused.selector);
        _marketSell(1e18, -1e18);
        vm.assertEq(stock.stockBalance(alice, address(aapl)), 5e18);
    }

    // --- what every order asks ---

    /// Two words from a buy, one from a sell; none from moves and cancellations.
    function test_answers_haveTheKnownSizes() public {
        bytes[] memory calls = _calls();
        uint256[8] memory sizes = [uint256(0), 0, 32, 0, 64, 64, 32, 32];
        bytes32 orderId = _limitSell(2e18, -1e18, 350e18);
        calls[3] = abi.encodeCall(router.cancelLimitOrder, (orderId));
        for (uint256 i; i < calls.length; ++i) {
            vm.prank(alice);
            (bool done, bytes memory answer) = address(router).call(calls[i]);
            vm.assertTrue(done, "call");
            vm.assertEq(answer.length, sizes[i]);
        }
    }

    function test_orders_everyTimeInForceButDayIsRefused() public {
        for (uint256 i = 1; i <= type(uint8).max; ++i) {
            uint8 tif = uint8(i);
            bytes memory refusal = abi.encodeWithSelector(IStockRouter.TimeInForceNotSupported.selector, tif);
            _expectRefused(
                abi.encodeCall(router.placeLimitOrder, (address(aapl), 1e18, 300e18, tif, FAR)), alice, refusal
            );
            _expectRefused(
                abi.encodeCall(
                    router.depositAndLimitBuy, (address(usdc), 1000e6, address(aapl), 1e18, 300e18, tif, FAR)
                ),
                alice,
                refusal
            );
            _expectRefused(
                abi.encodeCall(router.depositStockAndLimitSell, (address(aapl), 1e18, -1e18, 300e18, tif, FAR)),
                alice,
                refusal
            );
        }
    }

    /// The deadline is the last valid second of every order.
    function test_orders_deadline() public {
        uint32 late = uint32(block.timestamp - 1);
        bytes memory refusal = abi.encodeWithSelector(IStockRouter.DeadlineExpired.selector);
        bytes[5] memory calls = [
            abi.encodeCall(router.placeLimitOrder, (address(aapl), 1e18, 300e18, 0, late)),
            abi.encodeCall(router.depositAndMarketBuy, (address(usdc), 1000e6, address(aapl), 1e18, late)),
            abi.encodeCall(router.depositAndLimitBuy, (address(usdc), 1000e6, address(aapl), 1e18, 300e18, 0, late)),
            abi.encodeCall(router.depositStockAndMarketSell, (address(aapl), 1e18, -1e18, late)),
            abi.encodeCall(router.depositStockAndLimitSell, (address(aapl), 1e18, -1e18, 300e18, 0, late))
        ];
        for (uint256 i; i < calls.length; ++i) {
            _expectRefused(calls[i], alice, refusal);
        }
        vm.prank(alice);
        router.depositAndMarketBuy(address(usdc), 1000e6, address(aapl), 1e18, late + 1);
    }

    /// All but the ways out ask for approval and stop with the router.
    function test_gates_approvalAndPause() public {
        bytes[] memory calls = _calls();
        bytes memory unapproved = abi.encodeWithSelector(ICompliance.UserNotApproved.selector);
        bytes memory paused = abi.encodeWithSelector(PAUSED);
        // Buys need approval; a sell needs the stock, and who has it may sell it.
        _expectRefused(calls[4], outsider, unapproved);
        _expectRefused(calls[5], outsider, unapproved);
        _expectRefused(calls[2], outsider, abi.encodeWithSelector(IStock.InsufficientStockBalance.selector));
        for (uint256 i; i < calls.length; ++i) {
            if (i != 0 && i < 6) continue;
            bytes4 allowance = bytes4(keccak256("ERC20InsufficientAllowance(address,uint256,uint256)"));
            vm.prank(outsider);
            (bool done, bytes memory answer) = address(router).call(calls[i]);
            vm.assertFalse(done);
            vm.assertEq(bytes32(bytes4(answer)), bytes32(allowance));
        }
        vm.prank(guardian);
        router.pause();
        for (uint256 i; i < calls.length; ++i) {
            if (i != 1 && i != 3) _expectRefused(calls[i], alice, paused);
        }
        _expectRefused(calls[1], outsider, abi.encodeWithSelector(IStock.InsufficientStockBalance.selector));
        _expectRefused(calls[3], outsider, abi.encodeWithSelector(IStock.OrderNotFound.selector));
    }

    function test_gates_notConfigured() public {
        StockRouter fresh = StockRouter(
            proxy(newRouter(forwarder), abi.encodeCall(StockRouter.initialize, (admin, address(compliance))))
        );
        bytes[] memory calls = _calls();
        for (uint256 i; i < calls.length; ++i) {
            vm.prank(alice);
            (bool done, bytes memory answer) = address(fresh).call(calls[i]);
            vm.assertFalse(done);
            vm.assertEq(bytes32(answer), bytes32(IStockRouter.RouterNotConfigured.selector));
        }
    }

    // --- forwarding ---

    /// Each of the eight, called by the forwarder, is the appended user's.
    function test_forwarder_actsForAppendedUser() public {
        bytes[] memory calls = _calls();
        vm.prank(alice);
        router.depositStock(address(aapl), 1e18);
        fund(alice, 1000e6);
        giveCash(alice, 0);
        for (uint256 i; i < calls.length; ++i) {
            if (i == 3) calls[3] = abi.encodeCall(router.cancelLimitOrder, (placeLimit(alice, 1e18, 300e18)));
            vm.prank(forwarder);
            (bool done, bytes memory answer) = address(router).call(abi.encodePacked(calls[i], alice));
            vm.assertTrue(done, "forwarded");
            if (i == 2) vm.assertEq(stock.getOrder(abi.decode(answer, (bytes32))).user, alice);
        }
        vm.assertEq(stock.stockBalance(forwarder, address(aapl)) + cashier.balanceWad(forwarder), 0);
    }

    /// Attacker ends with: nothing. What a wrong forwarder appends is ignored; it acts as itself.
    function test_attack_wrongForwarderAppendsVictim() public {
        vm.prank(alice);
        router.depositStock(address(aapl), 5e18);
        bytes32 orderId = _limitSell(1e18, -1e18, 350e18);
        bytes[] memory calls = _calls();
        calls[3] = abi.encodeCall(router.cancelLimitOrder, (orderId));
        uint256 cash = usdc.balanceOf(alice);
        for (uint256 i; i < calls.length; ++i) {
            vm.prank(outsider);
            (bool done,) = address(router).call(abi.encodePacked(calls[i], alice));
            vm.assertFalse(done, "a wrong forwarder got in");
        }
        vm.assertEq(stock.stockBalance(alice, address(aapl)), 5e18);
        vm.assertEq(usdc.balanceOf(alice), cash);
        vm.assertFalse(stock.getOrder(orderId).cancelRequested);
        vm.assertEq(aapl.balanceOf(outsider), 0);
    }

    // --- inside ---

    /// The eight functions beside `deposit`, `withdraw` and `placeMarketOrder`; 1 and 3 are the ways out.
    function _calls() private view returns (bytes[] memory calls) {
        (address cash, address share) = (address(usdc), address(aapl));
        calls = new bytes[](8);
        calls[0] = abi.encodeCall(router.depositStock, (share, 1e18));
        calls[1] = abi.encodeCall(router.withdrawStock, (share, 1e18));
        calls[2] = abi.encodeCall(router.placeLimitOrder, (share, -1, 300e18, 0, FAR));
        calls[3] = abi.encodeCall(router.cancelLimitOrder, (keccak256("none")));
        calls[4] = abi.encodeCall(router.depositAndMarketBuy, (cash, 1000e6, share, 100e18, FAR));
        calls[5] = abi.encodeCall(router.depositAndLimitBuy, (cash, 1000e6, share, 1e18, 300e18, 0, FAR));
        calls[6] = abi.encodeCall(router.depositStockAndMarketSell, (share, 2e18, -1e18, FAR));
        calls[7] = abi.encodeCall(router.depositStockAndLimitSell, (share, 2e18, -1e18, 350e18, 0, FAR));
    }

    function _expectRefused(bytes memory data, address caller, bytes memory refusal) private {
        vm.prank(caller);
        (bool done, bytes memory answer) = address(router).call(data);
        vm.assertFalse(done, "refused");
        vm.assertEq(answer, refusal);
    }

    function _marketBuy(uint96 amount, int96 usdAmount) private returns (bytes32, bytes32) {
        vm.prank(alice);
        return router.depositAndMarketBuy(address(usdc), amount, address(aapl), usdAmount, FAR);
    }

    function _limitBuy(uint96 amount, int96 quantity, uint96 price) private returns (bytes32, bytes32) {
        vm.prank(alice);
        return router.depositAndLimitBuy(address(usdc), amount, address(aapl), quantity, price, 0, FAR);
    }

    function _marketSell(uint256 amount, int96 quantity) private returns (bytes32) {
        vm.prank(alice);
        return router.depositStockAndMarketSell(address(aapl), amount, quantity, FAR);
    }

    function _limitSell(uint256 amount, int96 quantity, uint96 price) private returns (bytes32) {
        vm.prank(alice);
        return router.depositStockAndLimitSell(address(aapl), amount, quantity, price, 0, FAR);
    }
}
