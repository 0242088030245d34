// SPDX-License-Identifier: MIT
pragma solidity ^0.8.28;

import {StockFixture} from "./StockFixture.sol";
import {Cashier} from "src/stock/Cashier.sol";
import {CashierConfig} from "src/stock/CashierConfig.sol";
import {ICashier} from "src/stock/interfaces/ICashier.sol";
import {CashToken} from "test/tokens/HostileTokens.sol";

contract CashierConfigTest is StockFixture {
    // --- initialization ---

    function test_initialize_emitsEveryValue() public {
        address implementation = newCashier();
        vm.expectEmit();
        emit ICashier.CreditBufferCapacityWadUpdated(CREDIT_CAPACITY);
        vm.expectEmit();
        emit ICashier.CreditBufferWadUpdated(CREDIT_CAPACITY);
        vm.expectEmit();
        emit ICashier.InstantThresholdDivisorUpdated(5);
        vm.expectEmit();
        emit ICashier.CashFeesUpdated(0, 2100);
        vm.expectEmit();
        emit ICashier.ExitDelayUpdated(EXIT_DELAY);
        Cashier fresh = Cashier(proxy(implementation, _init(admin, 5, 0, 2100, EXIT_DELAY)));
        vm.assertEq(fresh.creditBufferWad(), CREDIT_CAPACITY);
        vm.assertEq(fresh.creditBufferWadCapacity(), CREDIT_CAPACITY);
        vm.assertEq(fresh.instantThresholdDivisor(), 5);
        vm.assertEq(fresh.depositFeePpm(), 0);
        vm.assertEq(fresh.withdrawFeePpm(), 2100);
        vm.assertEq(fresh.exitDelaySec(), EXIT_DELAY);
        vm.assertEq(fresh.stockRouter(), address(router));
    }

    function test_initialize_refusals() public {
        address implementation = newCashier();
        bytes4 again = bytes4(keccak256("InvalidInitialization()"));
        vm.expectRevert(again);
        Cashier(implementation).initialize(admin, 1, 1, 0, 0, 1 days);
        vm.expectRevert(again);
        cashier.initialize(outsider, 1, 1, 0, 0, 1 days);
        vm.expectRevert(ICashier.AddressCannotBeZero.selector);
        deployCode("Cashier.sol:Cashier", abi.encode(address(0)));
        _expectInitRevert(implementation, _init(address(0), 5, 0, 0, EXIT_DELAY), ICashier.AddressCannotBeZero.selector);
        _expectInitRevert(implementation, _init(admin, 0, 0, 0, EXIT_DELAY), ICashier.InvalidConfig.selector);
        _expectInitRevert(implementation, _init(admin, 5, 50_001, 0, EXIT_DELAY), ICashier.InvalidConfig.selector);
        _expectInitRevert(implementation, _init(admin, 5, 0, 50_001, EXIT_DELAY), ICashier.InvalidConfig.selector);
        _expectInitRevert(implementation, _init(admin, 5, 0, 0, 1 hours - 1), ICashier.InvalidConfig.selector);
        _expectInitRevert(implementation, _init(admin, 5, 0, 0, 30 days + 1), ICashier.InvalidConfig.selector);
    }

    function _init(address admin_, uint8 divisor, uint16 depositFee, uint16 withdrawFee, uint32 delay)
        private
        pure
        returns (bytes memory)
    {
        return abi.encodeCall(
            CashierConfig.initialize, (admin_, CREDIT_CAPACITY, divisor, depositFee, withdrawFee, delay)
        );
    }

    function _expectInitRevert(address implementation, bytes memory data, bytes4 selector) private {
        vm.expectRevert(selector);
        proxy(implementation, data);
    }

    // --- tokens ---

    function test_addSupportedToken_emitsEveryValue() public {
        CashToken token = _token(8);
        ICashier.TokenConfig memory config = usdcConfig();
        config.decimals = 8;
        vm.expectEmit(address(cashier));
        emit ICashier.TokenSupportUpdated(address(token), true, "CASH", 8);
        vm.expectEmit(address(cashier));
        emit ICashier.WithdrawBufferUpdated(address(token), WITHDRAW_BUFFER);
        vm.expectEmit(address(cashier));
        emit ICashier.TokenConfigUpdated(address(token), config);
        vm.prank(admin);
        cashier.addSupportedToken(address(token), config);
        address[] memory tokens = cashier.getSupportedTokenList();
        vm.assertEq(tokens.length, 2);
        vm.assertEq(tokens[1], address(token));
        vm.assertEq(
            keccak256(abi.encode(cashier.tokenConfig(address(token)))), keccak256(abi.encode(config)), "config kept"
        );
    }

    function test_addSupportedToken_keepsEachPause() public {
        ICashier.TokenConfig memory config = usdcConfig();
        CashToken[2] memory tokens = [_token(6), _token(6)];
        for (uint256 i; i < 2; ++i) {
            (config.depositPaused, config.withdrawPaused) = (i == 0, i == 1);
            vm.prank(admin);
            cashier.addSupportedToken(address(tokens[i]), config);
            vm.assertEq(cashier.tokenConfig(address(tokens[i])).depositPaused, i == 0);
            vm.assertEq(cashier.tokenConfig(address(tokens[i])).withdrawPaused, i == 1);
        }
    }

    function test_addSupportedToken_refusals() public {
        CashToken token = _token(6);
        ICashier.TokenConfig memory config = usdcConfig();
        vm.expectRevert(roleError(outsider, bytes32(0)));
        vm.prank(outsider);
        cashier.addSupportedToken(address(token), config);
        vm.startPrank(admin);
        vm.expectRevert(ICashier.AddressCannotBeZero.selector);
        cashier.addSupportedToken(address(0), config);
        vm.expectRevert(ICashier.TokenAlreadySupported.selector);
        cashier.addSupportedToken(address(usdc), config);
        config.decimals = 7;
        vm.expectRevert(ICashier.InvalidConfig.selector);
        cashier.addSupportedToken(address(token), config);
        (config.decimals, config.usdRate) = (6, 0);
        vm.expectRevert(ICashier.InvalidConfig.selector);
        cashier.addSupportedToken(address(token), config);
        (config.usdRate, config.withdrawBufferCapacity) = (1e6, config.withdrawBuffer - 1);
        vm.expectRevert(ICashier.InvalidConfig.selector);
        cashier.addSupportedToken(address(token), config);
        CashToken wide = _token(19);
        config = usdcConfig();
        config.decimals = 19;
        vm.expectRevert(ICashier.InvalidConfig.selector);
        cashier.addSupportedToken(address(wide), config);
        vm.stopPrank();
    }

    function test_removeSupportedToken_onlyWhenNothingHangsOnIt() public {
        bytes32 opId = depositFor(alice, 10_000e6);
        vm.startPrank(admin);
        vm.expectRevert(ICashier.TokenHasPendingOperations.selector);
        cashier.removeSupportedToken(address(usdc));
        vm.stopPrank();
        vm.prank(settler);
        cashier.batchSettleDeposit(ids(opId));
        vm.expectRevert(ICashier.InsufficientCash.selector);
        vm.prank(admin);
        cashier.removeSupportedToken(address(usdc));
        vm.prank(alice);
        opId = router.withdraw(address(usdc), 10_000e18);
        vm.expectRevert(ICashier.TokenHasPendingOperations.selector);
        vm.prank(admin);
        cashier.removeSupportedToken(address(usdc));
        vm.prank(settler);
        cashier.batchSettleWithdraw(ids(opId));

        vm.expectEmit(address(cashier));
        emit ICashier.TokenSupportUpdated(address(usdc), false, "USDC", 6);
        vm.prank(admin);
        cashier.removeSupportedToken(address(usdc));
        vm.assertEq(cashier.getSupportedTokenList().length, 0);
        vm.expectRevert(ICashier.TokenNotSupported.selector);
        vm.prank(admin);
        cashier.removeSupportedToken(address(usdc));
        // What was left (the fee) can still be collected, and the token can come back under its old index.
        vm.assertEq(cashier.collectible(address(usdc)), 21e6);
        vm.prank(settler);
        cashier.collectToken(address(usdc), 21e6);
        vm.prank(admin);
        cashier.addSupportedToken(address(usdc), usdcConfig());
        vm.assertEq(cashier.cashOperation(opId).token, address(usdc));
        depositFor(bob, 1000e6);
        vm.assertEq(cashier.balanceWad(bob), 1000e18);
    }

    /// Anybody carries out what has waited at the timelock, and so chooses a moment: neither a rate that has risen for a while
    /// nor a token that lost its peg makes up for the cash that leaves the books.
    function test_removeToken_neverByARisenRateNorADepeggedToken() public {
        CashToken other = _token(6);
        vm.prank(admin);
        cashier.addSupportedToken(address(other), usdcConfig());
        fund(bob, 10_000e6);
        _removeFromCashier(30e6);
        other.mint(address(cashier), 30e6);
        vm.prank(manager);
        cashier.setUsdRate(address(usdc), 1_005_000);
        _expectNotRemoved(address(other));

        other.mint(address(cashier), 20_000e6);
        vm.prank(guardian);
        cashier.setTokenPause(address(other), true, true);
        _expectNotRemoved(address(usdc));
        vm.startPrank(admin);
        cashier.setTokenPause(address(other), false, false);
        cashier.removeSupportedToken(address(usdc));
        vm.stopPrank();
    }

    /// Cash that is missing, as after a loss that the venue bears.
    function _removeFromCashier(uint256 amount) private {
        vm.prank(address(cashier));
        usdc.transfer(outsider, amount);
    }

    function _expectNotRemoved(address token) private {
        vm.prank(admin);
        vm.expectRevert(ICashier.InsufficientCash.selector);
        cashier.removeSupportedToken(token);
    }

    // --- settings ---

    function test_settings_emitAndHold() public {
        ICashier.TokenConfig memory config = cashier.tokenConfig(address(usdc));
        config.minAmount = 1e6;
        _expectConfig(config);
        vm.prank(admin);
        cashier.setMinAmount(address(usdc), 1e6);
        config.usdRate = 999_000;
        _expectConfig(config);
        vm.prank(manager);
        cashier.setUsdRate(address(usdc), 999_000);
        (config.depositPaused, config.withdrawPaused) = (true, true);
        _expectConfig(config);
        vm.prank(guardian);
        cashier.setTokenPause(address(usdc), true, true);
        (config.withdrawBuffer, config.withdrawBufferCapacity) = (5e6, 5e6);
        vm.expectEmit(address(cashier));
        emit ICashier.WithdrawBufferUpdated(address(usdc), 5e6);
        _expectConfig(config);
        vm.startPrank(admin);
        cashier.setWithdrawBufferCapacity(address(usdc), 5e6);
        vm.expectEmit(address(cashier));
        emit ICashier.CreditBufferCapacityWadUpdated(7e18);
        vm.expectEmit(address(cashier));
        emit ICashier.CreditBufferWadUpdated(7e18);
        cashier.setCreditBufferCapacityWad(7e18);
        cashier.setCreditBufferCapacityWad(9e18);
        vm.assertEq(cashier.creditBufferWad(), 7e18);
        vm.expectEmit(address(cashier));
        emit ICashier.InstantThresholdDivisorUpdated(1);
        cashier.setInstantThresholdDivisor(1);
        vm.expectEmit(address(cashier));
        emit ICashier.CashFeesUpdated(1, 2);
        cashier.setCashFees(1, 2);
        vm.expectEmit(address(cashier));
        emit ICashier.ExitDelayUpdated(2 days);
        cashier.setExitDelay(2 days);
        vm.stopPrank();
    }

    function test_settings_refusals() public {
        bytes[] memory calls = new bytes[](9);
        calls[0] = abi.encodeCall(cashier.setMinAmount, (address(usdc), 1));
        calls[1] = abi.encodeCall(cashier.setWithdrawBufferCapacity, (address(usdc), 1));
        calls[2] = abi.encodeCall(cashier.setCreditBufferCapacityWad, (1));
        calls[3] = abi.encodeCall(cashier.setInstantThresholdDivisor, (1));
        calls[4] = abi.encodeCall(cashier.setCashFees, (1, 1));
        calls[5] = abi.encodeCall(cashier.setExitDelay, (1 days));
        calls[6] = abi.encodeCall(cashier.removeSupportedToken, (address(usdc)));
        calls[7] = abi.encodeWithSignature("unpause()");
        calls[8] = abi.encodeWithSignature("upgradeToAndCall(address,bytes)", address(this), "");
        for (uint256 i; i < calls.length; ++i) {
            _expectRefused(calls[i], bytes32(0));
        }
        _expectRefused(abi.encodeCall(cashier.setUsdRate, (address(usdc), 1)), cashier.RATE_MANAGER_ROLE());
        _expectRefused(abi.encodeCall(cashier.setTokenPause, (address(usdc), true, true)), cashier.TOKEN_PAUSER_ROLE());
        _expectRefused(abi.encodeWithSignature("pause()"), cashier.GUARDIAN_ROLE());
        _expectRefused(abi.encodeCall(cashier.adjustCreditBufferWad, (1)), cashier.SETTLER_ROLE());
        _expectRefused(abi.encodeCall(cashier.adjustWithdrawBuffer, (address(usdc), 1)), cashier.SETTLER_ROLE());
        _expectRefused(abi.encodeCall(cashier.collectToken, (address(usdc), 1)), cashier.SETTLER_ROLE());
        _expectRefused(abi.encodeCall(cashier.deductBalanceWad, (alice, 1)), cashier.EXCHANGE_ROLE());
        _expectRefused(abi.encodeCall(cashier.creditBalanceWad, (alice, 1)), cashier.EXCHANGE_ROLE());
        _expectRefused(
            abi.encodeCall(cashier.settleOrders, (address(usdc), outsider, new ICashier.Credit[](0), 0, 0)),
            cashier.EXCHANGE_ROLE()
        );

        vm.startPrank(admin);
        vm.expectRevert(ICashier.InvalidConfig.selector);
        cashier.setInstantThresholdDivisor(0);
        vm.expectRevert(ICashier.InvalidConfig.selector);
        cashier.setCashFees(50_001, 0);
        vm.expectRevert(ICashier.InvalidConfig.selector);
        cashier.setExitDelay(30 days + 1);
        vm.expectRevert(ICashier.TokenNotSupported.selector);
        cashier.setMinAmount(address(aapl), 1);
        vm.expectRevert(ICashier.TokenNotSupported.selector);
        cashier.setWithdrawBufferCapacity(address(aapl), 1);
        vm.stopPrank();
        vm.startPrank(manager);
        vm.expectRevert(ICashier.InvalidConfig.selector);
        cashier.setUsdRate(address(usdc), 0);
        vm.expectRevert(ICashier.TokenNotSupported.selector);
        cashier.setUsdRate(address(aapl), 1);
        vm.stopPrank();
        vm.expectRevert(ICashier.TokenNotSupported.selector);
        vm.prank(guardian);
        cashier.setTokenPause(address(aapl), true, true);
    }

    // --- settler's adjustments ---

    function test_adjustBuffers_withinNothingAndCapacity() public {
        vm.startPrank(settler);
        vm.expectEmit(address(cashier));
        emit ICashier.CreditBufferWadUpdated(0);
        cashier.adjustCreditBufferWad(-int128(CREDIT_CAPACITY));
        vm.expectRevert(ICashier.InsufficientBuffer.selector);
        cashier.adjustCreditBufferWad(-1);
        cashier.adjustCreditBufferWad(int128(CREDIT_CAPACITY));
        vm.expectRevert(ICashier.ExceedsBufferCapacity.selector);
        cashier.adjustCreditBufferWad(1);

        int128 buffer = int128(WITHDRAW_BUFFER);
        vm.expectEmit(address(cashier));
        emit ICashier.WithdrawBufferUpdated(address(usdc), 0);
        cashier.adjustWithdrawBuffer(address(usdc), -buffer);
        vm.expectRevert(ICashier.InsufficientBuffer.selector);
        cashier.adjustWithdrawBuffer(address(usdc), -1);
        cashier.adjustWithdrawBuffer(address(usdc), int128(WITHDRAW_CAPACITY));
        vm.expectRevert(ICashier.ExceedsBufferCapacity.selector);
        cashier.adjustWithdrawBuffer(address(usdc), 1);
        vm.expectRevert(ICashier.TokenNotSupported.selector);
        cashier.adjustWithdrawBuffer(address(aapl), 1);
        vm.stopPrank();
    }

    function test_collect_onlyTheExcess() public {
        fund(alice, 1000e6);
        depositFor(bob, 10_000e6);
        usdc.mint(address(cashier), 7e6);
        vm.assertEq(cashier.collectible(address(usdc)), 7e6);
        vm.startPrank(settler);
        vm.expectRevert(ICashier.ExceedsCollectibleAmount.selector);
        cashier.collectToken(address(usdc), 7e6 + 1);
        vm.expectRevert(ICashier.AmountCannotBeZero.selector);
        cashier.collectToken(address(usdc), 0);
        uint256 held = usdc.balanceOf(settler);
        vm.expectEmit(address(cashier));
        emit ICashier.TokenCollected(settler, address(usdc), 7e6);
        cashier.collectToken(address(usdc), 7e6);
        vm.assertEq(usdc.balanceOf(settler), held + 7e6);
        vm.expectRevert(ICashier.ExceedsCollectibleAmount.selector);
        cashier.collectToken(address(usdc), 1);
        vm.stopPrank();
    }

    /// Two tokens back the same mUSD: what one lacks, the other cannot be relieved of.
    function test_collect_looksAtAllTokens() public {
        fund(alice, 1000e6);
        CashToken other = _token(18);
        ICashier.TokenConfig memory config = usdcConfig();
        (config.decimals, config.usdRate) = (18, 500_000);
        vm.prank(admin);
        cashier.addSupportedToken(address(other), config);
        other.mint(address(cashier), 300e18);
        vm.assertEq(cashier.collectible(address(other)), 300e18);
        vm.assertEq(cashier.collectible(address(usdc)), 150e6);
        vm.prank(settler);
        cashier.collectToken(address(usdc), 150e6);
        vm.assertEq(cashier.collectible(address(other)), 0);
        vm.prank(admin);
        cashier.setUsdRate(address(other), 400_000);
        vm.assertEq(cashier.collectible(address(usdc)), 0);
    }

    /// One token above its reference and one below: each counts at the lower of both rates, so that what is owed is covered at
    /// the rates now, at the administrator's, and at any mixture of them.
    function test_collect_countsEachTokenAtItsLowerRate() public {
        CashToken other = _token(18);
        ICashier.TokenConfig memory config = usdcConfig();
        (config.decimals, config.usdRate) = (18, 1_200_000);
        vm.prank(admin);
        cashier.addSupportedToken(address(other), config);
        fund(bob, 10_000e6);
        other.mint(address(cashier), 1000e18);
        vm.startPrank(manager);
        cashier.setUsdRate(address(usdc), 1_005_000);
        cashier.setUsdRate(address(other), 1_194_000);
        vm.stopPrank();
        vm.assertEq(cashier.collectible(address(other)), 1000e18);
        vm.assertEq(cashier.collectible(address(usdc)), 1194e6);
        vm.prank(settler);
        cashier.collectToken(address(usdc), 1194e6);
        vm.assertEq(cashier.collectible(address(usdc)) + cashier.collectible(address(other)), 0);
    }

    /// What came in above the reference is short of it, and what else there is makes that good before any of it is collected.
    function test_collect_makesGoodWhatCameInAboveTheReference() public {
        vm.prank(manager);
        cashier.setUsdRate(address(usdc), 1_005_000);
        fund(bob, 10_000e6);
        usdc.mint(address(cashier), 57e6);
        vm.assertEq(cashier.collectible(address(usdc)), 7e6);
    }

    /// What a queued deposit reserves stays, however much another token is worth.
    function test_collect_neverWhatIsReserved() public {
        depositFor(bob, 10_000e6);
        usdc.mint(address(cashier), 7e6);
        CashToken other = _token(6);
        vm.prank(admin);
        cashier.addSupportedToken(address(other), usdcConfig());
        other.mint(address(cashier), 5000e6);
        vm.assertEq(cashier.collectible(address(usdc)), 7e6);
        vm.prank(settler);
        vm.expectRevert(ICashier.ExceedsCollectibleAmount.selector);
        cashier.collectToken(address(usdc), 7e6 + 1);
        vm.assertEq(cashier.collectible(address(other)), 5000e6);
    }

    // --- the rate manager ---

    function test_rate_managerMovesItWithinBounds() public {
        vm.startPrank(manager);
        cashier.setUsdRate(address(usdc), 995_000);
        vm.assertEq(cashier.tokenConfig(address(usdc)).usdRate, 995_000);
        vm.assertEq(cashier.referenceRate(address(usdc)), 1e6);
        // Half of the day's moves is used; the other half comes back to one.
        cashier.setUsdRate(address(usdc), 1_000_000);
        vm.assertEq(cashier.tokenConfig(address(usdc)).usdRate, 1e6);
        vm.assertFalse(cashier.tokenConfig(address(usdc)).withdrawPaused);
        vm.stopPrank();
    }

    function test_rate_moreThanADaysMovesIsADepeg() public {
        vm.startPrank(manager);
        cashier.setUsdRate(address(usdc), 995_000);
        vm.warp(block.timestamp + 12 hours);
        cashier.setUsdRate(address(usdc), 985_000);
        vm.assertEq(cashier.tokenConfig(address(usdc)).usdRate, 985_000);
        vm.expectEmit(address(cashier));
        emit ICashier.TokenDepegged(address(usdc), 984_999, 1e6);
        cashier.setUsdRate(address(usdc), 984_999);
        vm.stopPrank();
        _assertDepegged(985_000);
    }

    function test_rate_outOfTheBandIsADepegAndTheAdministratorLiftsIt() public {
        uint32[3] memory steps = [uint32(990_000), 980_000, 979_999];
        for (uint256 i; i < steps.length; ++i) {
            vm.warp(START + i * 1 days);
            vm.prank(manager);
            cashier.setUsdRate(address(usdc), steps[i]);
        }
        _assertDepegged(980_000);
        vm.startPrank(admin);
        cashier.setUsdRate(address(usdc), 970_000);
        vm.assertEq(cashier.referenceRate(address(usdc)), 970_000);
        cashier.setTokenPause(address(usdc), false, false);
        vm.stopPrank();
        vm.warp(START + 4 days);
        vm.prank(manager);
        cashier.setUsdRate(address(usdc), 979_700);
        vm.assertEq(cashier.tokenConfig(address(usdc)).usdRate, 979_700);
    }

    function _assertDepegged(uint32 usdRate) private view {
        ICashier.TokenConfig memory config = cashier.tokenConfig(address(usdc));
        vm.assertEq(config.usdRate, usdRate);
        vm.assertTrue(config.depositPaused && config.withdrawPaused, "paused by itself");
    }

    function test_tokenPause_isLiftedByTheAdministratorAlone() public {
        vm.startPrank(guardian);
        cashier.setTokenPause(address(usdc), true, true);
        vm.expectRevert(ICashier.OnlyAdministratorUnpauses.selector);
        cashier.setTokenPause(address(usdc), false, true);
        vm.expectRevert(ICashier.OnlyAdministratorUnpauses.selector);
        cashier.setTokenPause(address(usdc), true, false);
        vm.stopPrank();
        vm.prank(admin);
        cashier.setTokenPause(address(usdc), false, false);
        vm.assertFalse(cashier.tokenConfig(address(usdc)).depositPaused);
    }

    // --- called by Stock ---

    function test_settleOrders_refusesToLetOutMoreThanItEnds() public {
        fund(alice, 1000e6);
        vm.startPrank(address(stock));
        vm.expectRevert(ICashier.UnbalancedSettlement.selector);
        cashier.settleOrders(address(usdc), outsider, new ICashier.Credit[](0), -100e18, 100e18 + 1);
        vm.expectRevert(ICashier.TokenNotSupported.selector);
        cashier.settleOrders(address(aapl), outsider, new ICashier.Credit[](0), 0, 0);
        vm.stopPrank();
    }

    function test_supportsInterface() public view {
        vm.assertTrue(cashier.supportsInterface(0x5a05180f), "IAccessControlEnumerable");
        vm.assertTrue(cashier.supportsInterface(0x01ffc9a7), "IERC165");
        vm.assertEq(cashier.getRoleMemberCount(cashier.SETTLER_ROLE()), 1);
        vm.assertEq(cashier.getRoleMember(cashier.SETTLER_ROLE(), 0), settler);
    }

    function _token(uint8 decimals) private returns (CashToken) {
        return CashToken(deployCode("HostileTokens.sol:CashToken", abi.encode(decimals)));
    }

    function _expectConfig(ICashier.TokenConfig memory config) private {
        vm.expectEmit(address(cashier));
        emit ICashier.TokenConfigUpdated(address(usdc), config);
    }

    function _expectRefused(bytes memory data, bytes32 role) private {
        vm.prank(outsider);
        (bool done, bytes memory answer) = address(cashier).call(data);
        vm.assertFalse(done);
        vm.assertEq(answer, roleError(outsider, role));
    }
}
