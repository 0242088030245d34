// SPDX-License-Identifier: MIT
pragma solidity ^0.8.28;

import {StockToken} from "src/stock/StockToken.sol";
import {ICashier} from "src/stock/interfaces/ICashier.sol";
import {IStock} from "src/stock/interfaces/IStock.sol";
import {StockFixture} from "test/stock/StockFixture.sol";
import {CashToken} from "test/tokens/HostileTokens.sol";

/// Honest users of two stocks and two cash tokens (6 decimals at 1 USD, 18 decimals at 0.5 USD at first), and a settler in bad
/// faith: it settles whatever it likes, at any price, in any quantity, in either cash token, the right stock or the wrong one.
contract BadFaithHandler is StockFixture {
    uint96 internal constant CAP = 4e18;
    uint96 internal constant TSLA_PRICE = 250e18;

    CashToken public half;
    bytes32[] public orders;
    uint256 public time = START;
    mapping(bytes32 action => uint256) public successes;

    function setUp() public override {
        super.setUp();
        half = CashToken(deployCode("HostileTokens.sol:CashToken", abi.encode(18)));
        ICashier.TokenConfig memory config = usdcConfig();
        (config.decimals, config.usdRate, config.minAmount) = (18, 500_000, 1e18);
        (config.withdrawBuffer, config.withdrawBufferCapacity) = (20_000e18, 100_000e18);
        IStock.ListingTerms memory terms = listingTerms();
        terms.mintCapacity = CAP;
        vm.startPrank(admin);
        cashier.addSupportedToken(address(half), config);
        stock.updateListing(address(aapl), terms);
        stock.updateListing(address(tsla), terms);
        vm.stopPrank();
        half.mint(settler, 1_000_000_000e18);
        vm.prank(settler);
        half.approve(address(cashier), type(uint256).max);
    }

    // --- honest users ---

    function deposit(uint256 who, uint256 amount, bool inHalf) external {
        (address user, address token) = (_user(who), _cash(inHalf));
        if (cashier.tokenConfig(token).depositPaused) return;
        uint96 units = uint96(inHalf ? bound(amount, 1e18, 50_000e18) : bound(amount, MIN_DEPOSIT, 50_000e6));
        if (inHalf) half.mint(user, units);
        else usdc.mint(user, units);
        bytes32 opId = _nextCash(user);
        vm.startPrank(user);
        CashToken(token).approve(address(router), units);
        router.deposit(token, units);
        vm.stopPrank();
        vm.prank(settler);
        cashier.batchSettleDeposit(ids(opId));
        ++successes["deposit"];
    }

    function withdraw(uint256 who, uint256 amount, bool inHalf) external {
        address user = _user(who);
        uint256 balance = cashier.balanceWad(user);
        if (balance < 1e18) return;
        bytes32 opId = _nextCash(user);
        vm.prank(user);
        router.withdraw(_cash(inHalf), uint96(bound(amount, 1e18, balance)));
        vm.prank(settler);
        cashier.batchSettleWithdraw(ids(opId));
        ++successes["withdraw"];
    }

    function buy(uint256 who, uint256 amount, uint256 price, bool isTsla, bool isLimit) external {
        address user = _user(who);
        uint256 cash = cashier.balanceWad(user) * 9 / 10;
        if (cash < 1e18) return;
        uint256 usd = bound(amount, 1e18, cash);
        uint96 limit = uint96(bound(price, 100e18, 1000e18));
        vm.prank(user);
        orders.push(
            isLimit
                ? router.placeLimitOrder(_stock(isTsla), int96(int256(usd * 1e18 / limit)), limit, 0, FAR)
                : router.placeMarketOrder(_stock(isTsla), int96(int256(usd)), FAR)
        );
        ++successes["buy"];
    }

    function sell(uint256 who, uint256 amount, uint256 price, bool isTsla, bool isLimit) external {
        address user = _user(who);
        uint256 held = stock.stockBalance(user, _stock(isTsla));
        if (held == 0) return;
        int96 quantity = -int96(int256(bound(amount, 1, held)));
        uint96 limit = uint96(bound(price, 1, 1000e18));
        vm.prank(user);
        orders.push(
            isLimit
                ? router.placeLimitOrder(_stock(isTsla), quantity, limit, 0, FAR)
                : router.placeMarketOrder(_stock(isTsla), quantity, FAR)
        );
        ++successes["sell"];
    }

    // --- the settler in bad faith ---

    function settleAnything(uint256 which, uint256 seed, uint96 price, uint96 quantity, uint8 how) external {
        if (orders.length == 0) return;
        uint256 size = 1 + seed % 3;
        IStock.Fill[] memory list = new IStock.Fill[](size);
        (bytes32 first,) = _open(which);
        for (uint256 i; i < size; ++i) {
            bytes32 orderId = i == 0 ? first : orders[(which % orders.length + i) % orders.length];
            uint96 filled = how % 7 == 0 ? quantity : stock.getOrder(orderId).filledQuantity;
            list[i] = IStock.Fill(orderId, filled, _quantity(orderId, quantity), _price(price, how), seed % 5 == 0);
        }
        address token = how % 5 == 0 ? _stock(seed % 2 == 0) : stock.getOrder(list[0].orderId).stockToken;
        bytes memory data = stock.getOrder(list[0].orderId).isLimit
            ? abi.encodeCall(stock.settleLimitOrders, (token, _cash(how % 2 == 0), list))
            : abi.encodeCall(stock.settleMarketOrders, (token, _cash(how % 2 == 0), list));
        if (_settles(data)) ++successes["settle"];
    }

    /// Fills a buy with as much as it may cost, which is often more than may be minted.
    function settleBuy(uint256 which, bool inHalf) external {
        (bytes32 orderId, bool found) = _open(which);
        IStock.Order memory order = stock.getOrder(orderId);
        if (!found || order.amount < 0 || order.filledQuantity != 0) return;
        uint96 price = order.stockToken == address(aapl) ? AAPL_PRICE : TSLA_PRICE;
        if (order.isLimit && price > order.limitPrice) price = order.limitPrice;
        uint96 quantity = order.isLimit ? uint96(order.amount) : uint96(uint256(uint96(order.amount)) * 1e18 / price);
        IStock.Fill[] memory list = fills(orderId, 0, quantity, price, true);
        address token = order.stockToken;
        bytes memory data = order.isLimit
            ? abi.encodeCall(stock.settleLimitOrders, (token, _cash(inHalf), list))
            : abi.encodeCall(stock.settleMarketOrders, (token, _cash(inHalf), list));
        if (_settles(data)) ++successes["settle"];
    }

    /// What the settler collects leaves what is owed covered, at the rates now and at the administrator's.
    function grab(uint256 amount, bool inHalf) external {
        uint96 units = uint96(bound(amount, 1, cashier.collectible(_cash(inHalf)) + 1));
        vm.prank(settler);
        (bool done,) = address(cashier).call(abi.encodeCall(cashier.collectToken, (_cash(inHalf), units)));
        if (!done) return;
        ++successes["grab"];
        vm.assertGe(heldWad(), owedCash(), "collected at the rates now");
        uint256 atReference = _heldWad(cashier.referenceRate(address(usdc)), cashier.referenceRate(address(half)));
        vm.assertGe(atReference, owedCash(), "collected at the administrator's rates");
    }

    // --- time ---

    function timePasses(uint256 seconds_) external {
        _passTo(time + bound(seconds_, 1, 4 hours));
        ++successes["timePasses"];
    }

    // --- what the invariants read ---

    /// Stock of users and of open sells, by token.
    function owedStock(address token) external view returns (uint256 shares) {
        shares = stock.stockBalance(alice, token) + stock.stockBalance(bob, token);
        for (uint256 i; i < orders.length; ++i) {
            IStock.Order memory order = stock.getOrder(orders[i]);
            if (order.stockToken == token && order.amount < 0) shares += order.lockedAmount;
        }
    }

    function owedCash() public view returns (uint256 owedWad) {
        owedWad = cashier.balanceWad(alice) + cashier.balanceWad(bob);
        (, uint128 usdcQueued) = cashier.totalPending(address(usdc));
        (, uint128 halfQueued) = cashier.totalPending(address(half));
        owedWad += uint256(usdcQueued) + halfQueued;
        for (uint256 i; i < orders.length; ++i) {
            IStock.Order memory order = stock.getOrder(orders[i]);
            if (order.amount > 0) owedWad += order.lockedAmount;
        }
    }

    /// What the Cashier holds is worth, at the rates now.
    function heldWad() public view returns (uint256) {
        return _heldWad(cashier.tokenConfig(address(usdc)).usdRate, cashier.tokenConfig(address(half)).usdRate);
    }

    function totalOwedWad() external view returns (uint256) {
        return cashier.totalOwedWad();
    }

    function stocks() external view returns (StockToken[2] memory) {
        return [aapl, tsla];
    }

    function heldStock(address token) external view returns (uint256) {
        return StockToken(token).balanceOf(address(stock));
    }

    function mintable() external view returns (uint256) {
        return CAP + CAP * (time - START) / 1 days;
    }

    // --- inside ---

    function _heldWad(uint256 usdcRate, uint256 halfRate) private view returns (uint256) {
        return usdc.balanceOf(address(cashier)) * usdcRate * 1e6 + half.balanceOf(address(cashier)) * halfRate / 1e6;
    }

    /// Whether a call of the settler settled anything.
    function _settles(bytes memory data) internal returns (bool) {
        vm.prank(settler);
        (bool done, bytes memory answer) = address(stock).call(data);
        if (!done && bytes4(answer) == IStock.MintCapExceeded.selector) ++successes["capped"];
        return done && abi.decode(answer, (uint256)) != 0;
    }

    /// The first open order from a random place of the list on.
    function _open(uint256 which) internal view returns (bytes32 orderId, bool found) {
        uint256 count = orders.length;
        for (uint256 i; i < count; ++i) {
            orderId = orders[(which % count + i) % count];
            if (stock.getOrder(orderId).status == IStock.OrderStatus.Open) return (orderId, true);
        }
    }

    function _passTo(uint256 timestamp) internal {
        time = timestamp;
        vm.warp(time);
        publishPrice(AAPL_ID, AAPL_PRICE);
        publishPrice(keccak256("TSLA"), TSLA_PRICE);
    }

    function _price(uint96 seed, uint8 how) internal pure returns (uint96) {
        if (how % 3 == 0) return seed;
        return uint96(bound(seed, 200e18, 420e18));
    }

    function _quantity(bytes32 orderId, uint96 seed) internal view returns (uint96) {
        if (seed % 4 == 0) return seed;
        int96 amount = stock.getOrder(orderId).amount;
        uint256 most = uint256(int256(amount < 0 ? -amount : amount));
        return uint96(bound(seed, 1, most > 100e18 ? most / 500 + 1 : most));
    }

    function _user(uint256 seed) private view returns (address) {
        return seed % 2 == 0 ? alice : bob;
    }

    function _cash(bool inHalf) internal view returns (address) {
        return inHalf ? address(half) : address(usdc);
    }

    function _stock(bool isTsla) internal view returns (address) {
        return isTsla ? address(tsla) : address(aapl);
    }

    function _nextCash(address user) private view returns (bytes32) {
        return nextCashId(user);
    }
}
