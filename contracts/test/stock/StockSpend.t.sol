// SPDX-License-Identifier: MIT
pragma solidity ^0.8.28;

import {StockFixture} from "./StockFixture.sol";
import {ICashier} from "src/stock/interfaces/ICashier.sol";
import {IStockRouter} from "src/stock/interfaces/IStockRouter.sol";

/// What each call of the router counts against a delegating user's daily amount. AAPL is at 340 USD.
contract StockSpendTest is StockFixture {
    address private half;

    function setUp() public override {
        super.setUp();
        half = deployCode("HostileTokens.sol:CashToken", abi.encode(18));
        ICashier.TokenConfig memory config = usdcConfig();
        (config.decimals, config.usdRate) = (18, 500_000);
        vm.prank(admin);
        cashier.addSupportedToken(half, config);
    }

    function test_spend_cancelsAndStockMovesAreFree() public view {
        vm.assertEq(_spend(abi.encodeCall(IStockRouter.cancelLimitOrder, (bytes32(uint256(1))))), 0);
        vm.assertEq(_spend(abi.encodeCall(IStockRouter.depositStock, (address(aapl), 1e18))), 0);
        vm.assertEq(_spend(abi.encodeCall(IStockRouter.withdrawStock, (address(aapl), 1e18))), 0);
    }

    function test_spend_cashAtItsRate() public view {
        vm.assertEq(_spend(abi.encodeCall(IStockRouter.deposit, (address(usdc), 1234567))), 1.234567e18);
        vm.assertEq(_spend(abi.encodeCall(IStockRouter.deposit, (half, 3e18))), 1.5e18);
        vm.assertEq(_spend(abi.encodeCall(IStockRouter.withdraw, (half, 7e18))), 7e18);
    }

    function test_spend_buysAtTheirNotional() public view {
        vm.assertEq(_spend(abi.encodeCall(IStockRouter.placeMarketOrder, (address(aapl), 100e18, FAR))), 100e18);
        vm.assertEq(_spend(_limit(2e18, 300e18)), 600e18);
        vm.assertEq(_spend(_limit(1, 1)), 1, "rounded up");
    }

    /// A limit below the market does not make a sell cheap, one above it makes it dear.
    function test_spend_sellsAtTheOraclesPriceAtLeast() public view {
        vm.assertEq(_spend(abi.encodeCall(IStockRouter.placeMarketOrder, (address(aapl), -2e18, FAR))), 680e18);
        vm.assertEq(_spend(_limit(-2e18, 1)), 680e18);
        vm.assertEq(_spend(_limit(-2e18, AAPL_PRICE)), 680e18);
        vm.assertEq(_spend(_limit(-2e18, 400e18)), 800e18);
        vm.assertEq(_spend(_limit(-1, 1)), 340, "a wei of stock");
    }

    function test_spend_ordersWithDepositCountBoth() public view {
        vm.assertEq(
            _spend(abi.encodeCall(IStockRouter.depositAndMarketBuy, (address(usdc), 50e6, address(aapl), 100e18, FAR))),
            150e18
        );
        vm.assertEq(
            _spend(
                abi.encodeCall(
                    IStockRouter.depositAndLimitBuy, (address(usdc), 50e6, address(aapl), 2e18, 300e18, 0, FAR)
                )
            ),
            650e18
        );
        vm.assertEq(
            _spend(abi.encodeCall(IStockRouter.depositStockAndMarketSell, (address(aapl), 5e18, -2e18, FAR))), 680e18
        );
        vm.assertEq(
            _spend(abi.encodeCall(IStockRouter.depositStockAndLimitSell, (address(aapl), 5e18, -2e18, 400e18, 0, FAR))),
            800e18
        );
    }

    /// A buy in the place of a sell sells nothing: the router refuses it, whatever it counts.
    function test_spend_aSellOfNothingIsWorthNothing() public view {
        vm.assertEq(_spend(abi.encodeCall(IStockRouter.depositStockAndMarketSell, (address(aapl), 5e18, 2e18, FAR))), 0);
    }

    function test_spend_refusesWhatItCannotTell() public {
        bytes4 unknown = bytes4(keccak256("unknown()"));
        vm.expectRevert(abi.encodeWithSelector(IStockRouter.CallNotMetered.selector, unknown));
        router.spendOf(alice, abi.encodePacked(unknown));
    }

    function _limit(int96 quantity, uint96 price) private view returns (bytes memory) {
        return abi.encodeCall(IStockRouter.placeLimitOrder, (address(aapl), quantity, price, 0, FAR));
    }

    function _spend(bytes memory data) private view returns (uint256) {
        return router.spendOf(alice, data);
    }
}
