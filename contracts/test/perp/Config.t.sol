// SPDX-License-Identifier: MIT
pragma solidity ^0.8.28;

import {PerpFixture} from "./PerpFixture.sol";
import {Config} from "src/perp/Config.sol";
import {QuoteParams} from "src/perp/QuoteParams.sol";
import {QuoteParam} from "src/perp/Types.sol";
import {IConfig} from "src/perp/interfaces/IConfig.sol";
import {IInitializeOnce} from "src/perp/interfaces/IInitializeOnce.sol";

contract ConfigTest is PerpFixture {
    function _setParam(QuoteParam memory param) private {
        (address[] memory coins, QuoteParam[] memory params) = (new address[](1), new QuoteParam[](1));
        (coins[0], params[0]) = (address(usd), param);
        vm.prank(admin);
        config.setQuoteParam(coins, params);
    }

    function testQuoteParams() public {
        QuoteParam memory param = _param();
        param.tradingFeeRatio = 7;
        vm.expectEmit(address(config));
        emit IConfig.SetQuoteParam(address(usd), param);
        _setParam(param);
        vm.assertEq(uint256(config.getQuoteParam(address(usd)).tradingFeeRatio), 7);
        vm.assertEq(uint256(instrument.getSetting().param.tradingFeeRatio), 30, "a live instrument keeps its own");
    }

    function testQuoteParamBounds() public {
        QuoteParam memory param = _param();
        param.tip = 11e18;
        vm.expectRevert(QuoteParams.BadTip.selector);
        _setParam(param);
    }

    function testMarketTypesAreForEver() public {
        vm.startPrank(admin);
        vm.expectRevert(abi.encodeWithSelector(IConfig.ResetMarketInfo.selector, "LINK"));
        config.setMarketInfo("LINK", address(1), address(2));
        vm.expectRevert(IConfig.SetMarketZeroAddress.selector);
        config.setMarketInfo("PYTH", address(0), address(2));
        vm.expectRevert(IConfig.SetMarketZeroAddress.selector);
        config.setMarketInfo("PYTH", address(1), address(0));
        config.setMarketInfo("PYTH", address(1), address(2));
        vm.assertEq(config.marketsLength(), 2);
        vm.assertEq(config.markets(1), address(1));
        vm.assertEq(config.getAllMarkets().length, 2);
        vm.assertEq(config.getMarketInfo("PYTH").beacon, address(2));
    }

    function testWhitelists() public {
        vm.assertTrue(config.isAuthorizedLp(address(usd), alice));
        vm.startPrank(admin);
        vm.expectRevert(IConfig.LpWhitelistAlreadyDisabled.selector);
        config.enableLpWhitelistForQuote(address(usd), false);
        config.enableLpWhitelistForQuote(address(usd), true);
        vm.assertFalse(config.isAuthorizedLp(address(usd), alice));
        vm.assertTrue(config.restrictLp(address(usd)));
        (address[] memory quotes, address[] memory users, bool[] memory flags) =
            (new address[](1), new address[](1), new bool[](1));
        (quotes[0], users[0], flags[0]) = (address(usd), alice, true);
        config.setLpWhiteList(quotes, users, flags);
        vm.assertTrue(config.isAuthorizedLp(address(usd), alice) && config.lpWhitelist(address(usd), alice));

        vm.assertFalse(config.isAuthorizedLiquidator(alice));
        config.setLiquidatorWhitelist(users, flags);
        vm.assertTrue(config.isAuthorizedLiquidator(alice) && config.liquidatorWhitelist(alice));
        vm.assertFalse(config.isAuthorizedLiquidator(bob));
        config.disableLiquidatorWhitelist();
        vm.assertTrue(config.isAuthorizedLiquidator(bob) && config.openLiquidator());
        vm.expectRevert(IConfig.LiquidatorWhitelistAlreadyDisabled.selector);
        config.disableLiquidatorWhitelist();
        vm.expectRevert(IConfig.LengthMismatch.selector);
        config.setLiquidatorWhitelist(users, new bool[](2));
        vm.expectRevert(IConfig.LengthMismatch.selector);
        config.setLpWhiteList(quotes, users, new bool[](2));
        vm.expectRevert(IConfig.LengthMismatch.selector);
        config.setQuoteParam(quotes, new QuoteParam[](0));
    }

    function testOwnership() public {
        vm.prank(admin);
        vm.expectRevert(IConfig.ZeroAddress.selector);
        config.transferOwnership(address(0));
        vm.prank(admin);
        config.transferOwnership(alice);
        vm.assertEq(config.owner(), alice);
        vm.prank(admin);
        vm.expectRevert(IConfig.NotSynFuturesV3Admin.selector);
        config.setGuardian(bob);
        vm.prank(alice);
        config.renounceOwnership();
        vm.assertEq(config.owner(), address(0));
    }

    function testOnlyTheOwnerUpgradesAndOnceInitialises() public {
        address next = deployCode("Config.sol:Config", "");
        vm.expectRevert(IConfig.NotSynFuturesV3Admin.selector);
        config.upgradeToAndCall(next, "");
        vm.prank(admin);
        config.upgradeToAndCall(next, "");
        vm.assertEq(config.guardian(), guardian);
        vm.expectRevert(IInitializeOnce.AlreadyInitialized.selector);
        config.initialize(alice);
        vm.expectRevert(IInitializeOnce.AlreadyInitialized.selector);
        Config(next).initialize(alice);
    }
}
