// SPDX-License-Identifier: MIT
pragma solidity ^0.8.28;

import {StockFixture} from "./StockFixture.sol";
import {Stock} from "src/stock/Stock.sol";
import {StockConfig} from "src/stock/StockConfig.sol";
import {StockToken} from "src/stock/StockToken.sol";
import {IStock} from "src/stock/interfaces/IStock.sol";

contract StockConfigTest is StockFixture {
    function test_initialize_emitsEveryValue() public {
        address implementation = newStock();
        vm.expectEmit();
        emit IStock.OracleSet(address(0), address(oracle));
        vm.expectEmit();
        emit IStock.FeeRatesUpdated(rates());
        vm.expectEmit();
        emit IStock.ExitDelayUpdated(EXIT_DELAY);
        Stock fresh = Stock(proxy(implementation, _init(admin, address(oracle), rates(), delays())));
        vm.assertEq(fresh.oracle(), address(oracle));
        vm.assertEq(fresh.cashier(), address(cashier));
        vm.assertEq(fresh.stockRouter(), address(router));
        vm.assertEq(fresh.exitDelaySec(), EXIT_DELAY);
        vm.assertEq(keccak256(abi.encode(fresh.feeRates())), keccak256(abi.encode(rates())), "rates kept");
    }

    function test_initialize_refusals() public {
        address implementation = newStock();
        bytes4 again = bytes4(keccak256("InvalidInitialization()"));
        vm.expectRevert(again);
        Stock(implementation).initialize(admin, address(oracle), rates(), delays());
        vm.expectRevert(again);
        stock.initialize(outsider, address(oracle), rates(), delays());
        vm.expectRevert(IStock.AddressCannotBeZero.selector);
        deployCode("Stock.sol:Stock", abi.encode(address(0), cashier));
        vm.expectRevert(IStock.AddressCannotBeZero.selector);
        deployCode("Stock.sol:Stock", abi.encode(router, address(0)));
        _expectInitRevert(
            implementation, _init(address(0), address(oracle), rates(), delays()), IStock.AddressCannotBeZero.selector
        );
        _expectInitRevert(
            implementation, _init(admin, address(0), rates(), delays()), IStock.AddressCannotBeZero.selector
        );
        for (uint256 i; i < 4; ++i) {
            _expectInitRevert(
                implementation, _init(admin, address(oracle), _tooHigh(i), delays()), IStock.InvalidConfig.selector
            );
        }
        _expectInitRevert(
            implementation,
            _init(admin, address(oracle), rates(), IStock.Delays(1 hours - 1, 1 hours, 0)),
            IStock.InvalidConfig.selector
        );
        _expectInitRevert(
            implementation,
            _init(admin, address(oracle), rates(), IStock.Delays(30 days + 1, 1 hours, 0)),
            IStock.InvalidConfig.selector
        );
        IStock.Delays[3] memory wrong = [
            IStock.Delays(1 hours, 1 hours - 1, 0),
            IStock.Delays(1 hours, 30 days + 1, 0),
            IStock.Delays(1 hours, 1 hours, 20 hours + 1)
        ];
        for (uint256 i; i < wrong.length; ++i) {
            _expectInitRevert(
                implementation, _init(admin, address(oracle), rates(), wrong[i]), IStock.InvalidConfig.selector
            );
        }
    }

    function test_listStock_emitsWhatAnIndexerNeeds() public {
        StockToken nvda = venue.deployToken("NVDA");
        bytes32 priceId = keccak256("NVDA");
        vm.expectEmit(address(stock));
        emit IStock.StockListed(address(nvda), 3, priceId, "NVDA", "aNVDA", "NVDA aStock");
        vm.expectEmit(address(stock));
        emit IStock.ListingUpdated(address(nvda), _terms(10_000, 60));
        vm.prank(admin);
        stock.listStock(address(nvda), "NVDA", _terms(10_000, 60));
        vm.assertEq(stock.tokenIndex(address(nvda)), 3);
        vm.assertEq(stock.tokenAt(3), address(nvda));
        vm.assertEq(stock.tokenCount(), 3);
        IStock.Listing memory item = stock.listing(address(nvda));
        vm.assertTrue(item.terms.tradable);
        vm.assertEq(item.priceId, priceId);
        vm.assertEq(item.terms.maxDeviationPpm, 10_000);
        vm.assertEq(item.terms.maxPriceAgeSec, 60);
        vm.assertEq(stock.tokenAt(0), address(0));
        vm.assertEq(stock.tokenAt(4), address(0));
    }

    function test_listStock_refusals() public {
        StockToken nvda = venue.deployToken("NVDA");
        vm.startPrank(admin);
        vm.expectRevert(IStock.AddressCannotBeZero.selector);
        stock.listStock(address(0), "NVDA", _terms(1, 1));
        vm.expectRevert(IStock.InvalidStockToken.selector);
        stock.listStock(address(usdc), "USDC", _terms(1, 1));
        vm.expectRevert(IStock.InvalidConfig.selector);
        stock.listStock(address(nvda), "", _terms(1, 1));
        vm.expectRevert(IStock.InvalidConfig.selector);
        stock.listStock(address(nvda), "NVDA", _terms(0, 1));
        vm.expectRevert(IStock.InvalidConfig.selector);
        stock.listStock(address(nvda), "NVDA", _terms(1e6, 1));
        vm.expectRevert(IStock.InvalidConfig.selector);
        stock.listStock(address(nvda), "NVDA", _terms(1, 0));
        vm.expectRevert(IStock.StockAlreadyListed.selector);
        stock.listStock(address(aapl), "AAPL", _terms(1, 1));
        vm.expectRevert(IStock.InvalidStockToken.selector);
        stock.updateListing(address(nvda), _terms(1, 1));
        vm.expectRevert(IStock.InvalidConfig.selector);
        stock.updateListing(address(aapl), _terms(1, 0));
        vm.stopPrank();
    }

    function test_settings_emitAndHold() public {
        vm.startPrank(admin);
        vm.expectEmit(address(stock));
        IStock.ListingTerms memory terms = IStock.ListingTerms(false, 2, 4, 3, 5, 6);
        emit IStock.ListingUpdated(address(aapl), terms);
        stock.updateListing(address(aapl), terms);
        vm.assertEq(
            keccak256(abi.encode(stock.listing(address(aapl)).terms)), keccak256(abi.encode(terms)), "terms kept"
        );
        vm.expectEmit(address(stock));
        emit IStock.StockExitDelayUpdated(2 hours);
        stock.setStockExitDelay(2 hours);
        vm.assertEq(stock.stockExitDelaySec(), 2 hours);
        vm.expectEmit(address(stock));
        emit IStock.LateSettlementUpdated(20 hours);
        stock.setLateSettlement(20 hours);
        vm.assertEq(stock.lateSettlementSec(), 20 hours);
        IStock.FeeRates memory newRates = IStock.FeeRates(1, 2, 3, 4);
        vm.expectEmit(address(stock));
        emit IStock.FeeRatesUpdated(newRates);
        stock.setFeeRates(newRates);
        vm.assertEq(keccak256(abi.encode(stock.feeRates())), keccak256(abi.encode(newRates)), "rates kept");
        vm.expectEmit(address(stock));
        emit IStock.ExitDelayUpdated(1 hours);
        stock.setExitDelay(1 hours);
        vm.assertEq(stock.exitDelaySec(), 1 hours);
        vm.expectEmit(address(stock));
        emit IStock.OracleSet(address(oracle), bob);
        stock.setOracle(bob);
        vm.assertEq(stock.oracle(), bob);
        vm.stopPrank();
    }

    function test_settings_refusals() public {
        bytes[] memory calls = new bytes[](9);
        calls[0] = abi.encodeCall(stock.listStock, (address(aapl), "AAPL", _terms(1, 1)));
        calls[1] = abi.encodeCall(stock.updateListing, (address(aapl), _terms(1, 1)));
        calls[2] = abi.encodeCall(stock.setFeeRates, (rates()));
        calls[3] = abi.encodeCall(stock.setExitDelay, (1 days));
        calls[4] = abi.encodeCall(stock.setOracle, (outsider));
        calls[5] = abi.encodeWithSignature("unpause()");
        calls[6] = abi.encodeWithSignature("upgradeToAndCall(address,bytes)", outsider, "");
        calls[7] = abi.encodeCall(stock.setStockExitDelay, (1 days));
        calls[8] = abi.encodeCall(stock.setLateSettlement, (1 hours));
        for (uint256 i; i < calls.length; ++i) {
            _expectRefused(calls[i], bytes32(0));
        }
        _expectRefused(abi.encodeWithSignature("pause()"), stock.GUARDIAN_ROLE());
        vm.startPrank(admin);
        vm.expectRevert(IStock.InvalidConfig.selector);
        stock.setFeeRates(_tooHigh(0));
        vm.expectRevert(IStock.InvalidConfig.selector);
        stock.setExitDelay(0);
        vm.expectRevert(IStock.AddressCannotBeZero.selector);
        stock.setOracle(address(0));
        vm.stopPrank();
    }

    function test_pause_byGuardianUnpauseByAdmin() public {
        vm.prank(guardian);
        stock.pause();
        vm.assertTrue(stock.paused());
        vm.expectRevert(roleError(guardian, bytes32(0)));
        vm.prank(guardian);
        stock.unpause();
        vm.prank(admin);
        stock.unpause();
        vm.assertFalse(stock.paused());
    }

    function test_upgrade_keepsOrdersAndBalances() public {
        buyStock(alice, 1e18);
        bytes32 orderId = place(alice, -1e18);
        address nextStock = newStock();
        address nextCashier = newCashier();
        vm.startPrank(admin);
        stock.upgradeToAndCall(nextStock, "");
        cashier.upgradeToAndCall(nextCashier, "");
        vm.stopPrank();
        vm.assertEq(stock.getOrder(orderId).lockedAmount, 1e18);
        settleOne(orderId, 0, 1e18, AAPL_PRICE, true);
        vm.assertEq(uint256(stock.getOrder(orderId).status), uint256(IStock.OrderStatus.Filled));
    }

    function test_getOrders() public {
        fund(alice, 1000e6);
        bytes32[] memory list = new bytes32[](2);
        (list[0], list[1]) = (place(alice, 1e18), keccak256("none"));
        IStock.Order[] memory orders = stock.getOrders(list);
        vm.assertEq(int256(orders[0].amount), 1e18);
        vm.assertEq(uint256(orders[1].status), uint256(IStock.OrderStatus.None));
        vm.assertEq(orders[1].stockToken, address(0));
    }

    function _tooHigh(uint256 which) private pure returns (IStock.FeeRates memory) {
        uint16[4] memory values;
        values[which] = 50_001;
        return IStock.FeeRates(values[0], values[1], values[2], values[3]);
    }

    function _init(address admin_, address oracle_, IStock.FeeRates memory rates_, IStock.Delays memory delay)
        private
        pure
        returns (bytes memory)
    {
        return abi.encodeCall(StockConfig.initialize, (admin_, oracle_, rates_, delay));
    }

    function _expectInitRevert(address implementation, bytes memory data, bytes4 selector) private {
        vm.expectRevert(selector);
        proxy(implementation, data);
    }

    function _expectRefused(bytes memory data, bytes32 role) private {
        vm.prank(outsider);
        (bool done, bytes memory answer) = address(stock).call(data);
        vm.assertFalse(done);
        vm.assertEq(answer, roleError(outsider, role));
    }

    function _terms(uint32 maxDeviationPpm, uint32 maxPriceAgeSec)
        private
        pure
        returns (IStock.ListingTerms memory terms)
    {
        terms = listingTerms();
        (terms.maxDeviationPpm, terms.maxPriceAgeSec) = (maxDeviationPpm, maxPriceAgeSec);
    }
}
