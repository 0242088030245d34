// SPDX-License-Identifier: MIT
pragma solidity ^0.8.28;

import {StockFixture} from "./StockFixture.sol";
import {IERC20Errors} from "@openzeppelin/contracts/interfaces/draft-IERC6093.sol";
import {ICompliance} from "src/stock/interfaces/ICompliance.sol";
import {IStock} from "src/stock/interfaces/IStock.sol";
import {IStockRouter} from "src/stock/interfaces/IStockRouter.sol";
import {IStockToken} from "src/stock/interfaces/IStockToken.sol";
import {FeeToken} from "test/tokens/HostileTokens.sol";

/// Stock between wallets and the exchange.
contract StockMovesTest is StockFixture {
    bytes4 private constant PAUSED = bytes4(keccak256("EnforcedPause()"));

    function setUp() public override {
        super.setUp();
        giveStock(alice, 10e18);
    }

    // --- in ---

    function test_deposit_movesTokensFromWalletStraightToStock() public {
        vm.expectEmit(address(stock));
        emit IStock.StockDeposited(address(aapl), alice, 4e18);
        _deposit(4e18);
        vm.assertEq(aapl.balanceOf(alice), 6e18);
        vm.assertEq(aapl.balanceOf(address(router)), 0);
        vm.assertEq(aapl.balanceOf(address(stock)), 4e18);
        vm.assertEq(stock.stockBalance(alice, address(aapl)), 4e18);
        _deposit(6e18);
        vm.assertEq(stock.stockBalance(alice, address(aapl)), 10e18);
        vm.assertEq(stock.operationCounter(), 0);
    }

    function test_deposit_canBeSoldAtOnce() public {
        _deposit(4e18);
        vm.assertEq(settleOne(place(alice, -4e18), 0, 4e18, AAPL_PRICE, true), 1);
        vm.assertEq(aapl.balanceOf(address(stock)), 0);
    }

    /// A stock that is no longer tradable still moves.
    function test_moves_afterDelisting() public {
        setTradable(address(aapl), false);
        _deposit(4e18);
        _withdraw(4e18);
        vm.assertEq(aapl.balanceOf(alice), 10e18);
    }

    function test_deposit_refusals() public {
        vm.expectRevert(
            abi.encodeWithSelector(IERC20Errors.ERC20InsufficientAllowance.selector, address(router), 0, 1e18)
        );
        vm.prank(outsider);
        router.depositStock(address(aapl), 1e18);
        vm.expectRevert(
            abi.encodeWithSelector(IERC20Errors.ERC20InsufficientAllowance.selector, address(router), 0, 1e18)
        );
        vm.prank(bob);
        router.depositStock(address(aapl), 1e18);
        vm.expectRevert(abi.encodeWithSelector(IERC20Errors.ERC20InsufficientBalance.selector, alice, 10e18, 11e18));
        _deposit(11e18);
        vm.expectRevert(IStock.AmountCannotBeZero.selector);
        _deposit(0);
        vm.expectRevert(IStock.Unauthorized.selector);
        vm.prank(alice);
        stock.depositStock(alice, address(aapl), 1e18);
        giveCash(alice, 100e6);
        vm.expectRevert(IStock.InvalidStockToken.selector);
        vm.prank(alice);
        router.depositStock(address(usdc), 100e6);
        vm.prank(guardian);
        stock.pause();
        vm.expectRevert(PAUSED);
        _deposit(1e18);
        vm.prank(guardian);
        router.pause();
        vm.expectRevert(PAUSED);
        _deposit(1e18);
        vm.assertEq(aapl.balanceOf(alice), 10e18);
        vm.assertEq(usdc.balanceOf(alice), 100e6);
    }

    function test_deposit_refusesTokenThatTakesFee() public {
        FeeToken token = FeeToken(deployCode("HostileTokens.sol:FeeToken", abi.encode(18)));
        vm.prank(admin);
        stock.listStock(address(token), "FEE", listingTerms());
        token.mint(alice, 1e18);
        token.setTaking(true);
        vm.startPrank(alice);
        token.approve(address(router), 1e18);
        vm.expectRevert(IStockRouter.ReceivedAmountMismatch.selector);
        router.depositStock(address(token), 1e18);
        vm.stopPrank();
    }

    // --- out ---

    function test_withdraw_paysTheWallet() public {
        _deposit(4e18);
        vm.expectEmit(address(stock));
        emit IStock.StockWithdrawn(address(aapl), alice, 3e18);
        _withdraw(3e18);
        vm.assertEq(aapl.balanceOf(alice), 9e18);
        vm.assertEq(stock.stockBalance(alice, address(aapl)), 1e18);
        vm.assertEq(aapl.balanceOf(address(stock)), 1e18);
    }

    function test_withdraw_openWhilePaused() public {
        _deposit(4e18);
        pauseAll();
        _withdraw(4e18);
        vm.assertEq(aapl.balanceOf(alice), 10e18);
    }

    function test_withdraw_whatOrdersLockStays() public {
        _deposit(4e18);
        place(alice, -1e18);
        placeLimit(alice, -2e18, 350e18);
        vm.expectRevert(IStock.InsufficientStockBalance.selector);
        _withdraw(1e18 + 1);
        _withdraw(1e18);
        vm.assertEq(stock.stockBalance(alice, address(aapl)), 0);
    }

    function test_withdraw_refusals() public {
        _deposit(4e18);
        vm.expectRevert(IStock.InsufficientStockBalance.selector);
        _withdraw(4e18 + 1);
        vm.expectRevert(IStock.InsufficientStockBalance.selector);
        vm.prank(bob);
        router.withdrawStock(address(aapl), 1);
        vm.expectRevert(IStock.AmountCannotBeZero.selector);
        _withdraw(0);
        vm.expectRevert(IStock.InvalidStockToken.selector);
        vm.prank(alice);
        router.withdrawStock(address(usdc), 1);
        vm.expectRevert(IStock.Unauthorized.selector);
        vm.prank(alice);
        stock.withdrawStock(alice, address(aapl), 1);
        vm.assertEq(stock.stockBalance(alice, address(aapl)), 4e18);
    }

    /// The token itself decides who may hold it; the balance waits.
    function test_withdraw_tokenScreensItsHolders() public {
        _deposit(4e18);
        _remove(alice);
        vm.expectRevert(ICompliance.UserNotApproved.selector);
        _withdraw(1e18);
        vm.assertEq(stock.stockBalance(alice, address(aapl)), 4e18);
    }

    // --- out, while it is paused ---

    function test_withdraw_queuesWhilePausedAndIsPaidAfterwards() public {
        _deposit(4e18);
        _pause(false, true);
        bytes32 opId = nextStockId(alice);
        vm.expectEmit(address(stock));
        emit IStock.StockWithdrawalRequested(opId, address(aapl), alice, 3e18, uint32(START) + EXIT_DELAY);
        _withdraw(3e18);
        vm.assertEq(stock.stockBalance(alice, address(aapl)), 1e18);
        _expectSkip(opId, IStock.StockWithdrawalSkip.Paused);
        vm.prank(admin);
        stock.setStockPause(address(aapl), false, false);
        vm.prank(guardian);
        aapl.pause();
        _expectSkip(opId, IStock.StockWithdrawalSkip.Paused);
        vm.prank(admin);
        aapl.unpause();
        _remove(alice);
        _expectSkip(opId, IStock.StockWithdrawalSkip.TransferFailed);
        _approve(alice);
        vm.expectEmit(address(stock));
        emit IStock.StockWithdrawalSettled(opId, address(aapl), alice, 3e18);
        vm.prank(settler);
        stock.settleStockWithdrawals(ids(opId));
        vm.assertEq(aapl.balanceOf(alice), 9e18);
        _expectSkip(opId, IStock.StockWithdrawalSkip.NotQueued);
        _expectSkip(bytes32(uint256(1)), IStock.StockWithdrawalSkip.NotQueued);
        vm.assertEq(aapl.balanceOf(alice), 9e18);
    }

    function test_withdraw_queuesWhileTheTokenIsPaused() public {
        _deposit(4e18);
        vm.prank(guardian);
        aapl.pause();
        bytes32 opId = _queue(4e18);
        vm.assertEq(uint256(stock.stockWithdrawal(opId).status), uint256(IStock.StockWithdrawalStatus.Queued));
        vm.assertEq(stock.stockWithdrawal(opId).token, address(aapl));
        vm.assertEq(stock.stockWithdrawal(opId).user, alice);
        vm.assertEq(stock.stockWithdrawal(opId).amount, 4e18);
    }

    function test_queuedWithdrawal_isClaimedOrTakenBackByItsUserAlone() public {
        _deposit(4e18);
        _pause(false, true);
        bytes32 claimed = _queue(1e18);
        bytes32 back = _queue(2e18);
        vm.startPrank(alice);
        vm.expectRevert(abi.encodeWithSelector(IStock.ExitNotYetAvailable.selector, block.timestamp + EXIT_DELAY));
        stock.claimStockWithdrawal(claimed);
        vm.expectEmit(address(stock));
        emit IStock.StockWithdrawalTakenBack(back, address(aapl), alice, 2e18);
        stock.takeBackStockWithdrawal(back);
        vm.expectRevert(IStock.WithdrawalNotQueued.selector);
        stock.takeBackStockWithdrawal(back);
        vm.stopPrank();
        vm.assertEq(stock.stockBalance(alice, address(aapl)), 3e18);
        vm.warp(START + EXIT_DELAY);
        vm.startPrank(bob);
        vm.expectRevert(IStock.CallerNotOwner.selector);
        stock.claimStockWithdrawal(claimed);
        vm.expectRevert(IStock.CallerNotOwner.selector);
        stock.takeBackStockWithdrawal(claimed);
        vm.stopPrank();
        vm.expectRevert(roleError(bob, stock.ORDER_SETTLER_ROLE()));
        vm.prank(bob);
        stock.settleStockWithdrawals(ids(claimed));
        vm.startPrank(alice);
        stock.claimStockWithdrawal(claimed);
        vm.expectRevert(IStock.WithdrawalNotQueued.selector);
        stock.claimStockWithdrawal(claimed);
        vm.stopPrank();
        vm.assertEq(aapl.balanceOf(alice), 7e18);
        vm.assertEq(aapl.balanceOf(address(stock)), 3e18);
    }

    /// A withdrawal that will be queued; its id.
    function _queue(uint256 amount) private returns (bytes32 opId) {
        opId = nextStockId(alice);
        _withdraw(amount);
    }

    function _expectSkip(bytes32 opId, IStock.StockWithdrawalSkip reason) private {
        vm.expectEmit(address(stock));
        emit IStock.StockWithdrawalSkipped(opId, reason);
        vm.prank(settler);
        stock.settleStockWithdrawals(ids(opId));
    }

    // --- pauses of one token ---

    function test_stockPause_stopsEitherDirectionOfOneToken() public {
        _deposit(4e18);
        vm.expectEmit(address(stock));
        emit IStock.StockPauseUpdated(address(aapl), true, false);
        _pause(true, false);
        vm.expectRevert(IStock.StockDepositPaused.selector);
        _deposit(1e18);
        _withdraw(1e18);
        vm.assertFalse(stock.listing(address(tsla)).depositPaused);

        // It is no matter of trading, and a change of the listing leaves it.
        vm.assertEq(settleOne(place(alice, -1e18), 0, 1e18, AAPL_PRICE, true), 1);
        vm.prank(admin);
        stock.updateListing(address(aapl), listingTerms());
        vm.assertTrue(stock.listing(address(aapl)).depositPaused);
    }

    function test_stockPause_isLiftedByTheAdministratorAlone() public {
        _pause(true, true);
        bool[2][2] memory lifts = [[false, true], [true, false]];
        for (uint256 i; i < lifts.length; ++i) {
            vm.expectRevert(IStock.OnlyAdministratorUnpauses.selector);
            _pause(lifts[i][0], lifts[i][1]);
        }
        _pause(true, true);
        vm.prank(admin);
        stock.setStockPause(address(aapl), false, false);
        _deposit(1e18);
        _withdraw(1e18);
    }

    function test_stockPause_refusals() public {
        vm.expectRevert(roleError(outsider, stock.TOKEN_PAUSER_ROLE()));
        vm.prank(outsider);
        stock.setStockPause(address(aapl), true, true);
        vm.expectRevert(IStock.InvalidStockToken.selector);
        vm.prank(guardian);
        stock.setStockPause(address(usdc), true, true);
    }

    function _deposit(uint256 amount) private {
        vm.prank(alice);
        router.depositStock(address(aapl), amount);
    }

    function _withdraw(uint256 amount) private {
        vm.prank(alice);
        router.withdrawStock(address(aapl), amount);
    }

    function _pause(bool depositPaused, bool withdrawPaused) private {
        vm.prank(guardian);
        stock.setStockPause(address(aapl), depositPaused, withdrawPaused);
    }
}
