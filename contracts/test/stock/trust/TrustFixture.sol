// SPDX-License-Identifier: MIT
pragma solidity ^0.8.28;

import {StockFixture} from "../StockFixture.sol";
import {TimelockController} from "@openzeppelin/contracts/governance/TimelockController.sol";
import {OneClickRouter} from "src/delegation/OneClickRouter.sol";
import {OperatorPool} from "src/delegation/OperatorPool.sol";
import {CashierConfig} from "src/stock/CashierConfig.sol";
import {IStock} from "src/stock/interfaces/IStock.sol";
import {IStockOracle} from "src/stock/interfaces/IStockOracle.sol";
import {IStockRouter} from "src/stock/interfaces/IStockRouter.sol";

/// A venue as production holds it: administrated by a timelock alone, with One Click, and delays as the plan wants them. One
/// key is stolen in each test; what its thief ends with is at most the figure of docs/trust-model.md.
abstract contract TrustFixture is StockFixture {
    uint32 internal constant ORDER_EXIT = 5 days;
    uint32 internal constant CASH_EXIT = 12 hours;
    uint256 internal constant DELAY = 6 days;
    uint32 internal constant DELEGATION = 30 days;
    uint96 internal constant DAILY_AMOUNT = 10_000e18;
    uint96 internal constant MINT_CAP = 100e18;

    TimelockController internal timelock;
    OneClickRouter internal oneClick;
    OperatorPool internal pool;
    address internal proposer = makeAddress("proposer");
    address internal submitter = makeAddress("submitter");
    address internal configurator = makeAddress("configurator");
    address internal victim;
    uint256 internal victimKey;
    /// Kept here: the compiler may read `block.timestamp` once for all of a test.
    uint256 internal time = START;

    function setUp() public virtual override {
        super.setUp();
        (victim, victimKey) = makeAccount("victim");
        _approve(victim);
        _deployDelegation();
        _setTerms();
        _handOver();
        // Deeper pockets than any bound, so that a bound that does not hold shows.
        fund(victim, 10_000_000e6);
        delegate();
    }

    function _deployDelegation() private {
        oneClick = OneClickRouter(
            proxy(
                deployCode("OneClickRouter.sol:OneClickRouter", ""),
                abi.encodeCall(OneClickRouter.initialize, (admin, DELEGATION, DAILY_AMOUNT))
            )
        );
        pool = OperatorPool(
            proxy(deployCode("OperatorPool.sol:OperatorPool", ""), abi.encodeCall(OperatorPool.initialize, (admin)))
        );
        address implementation = newRouter(address(oneClick));
        bytes4[5] memory allowed = [
            IStockRouter.deposit.selector,
            IStockRouter.withdraw.selector,
            IStockRouter.placeMarketOrder.selector,
            IStockRouter.placeLimitOrder.selector,
            IStockRouter.cancelLimitOrder.selector
        ];
        vm.startPrank(admin);
        router.upgradeToAndCall(implementation, "");
        for (uint256 i; i < allowed.length; ++i) {
            oneClick.setAllowed(address(router), allowed[i], true);
        }
        pool.setRouter(address(oneClick), true);
        pool.grantRole(pool.OPERATOR_ROLE(), submitter);
        vm.stopPrank();
    }

    function _setTerms() private {
        IStock.ListingTerms memory terms = listingTerms();
        (terms.mintCapacity, terms.mintPeriodSec) = (MINT_CAP, 1 days);
        vm.startPrank(admin);
        stock.updateListing(address(aapl), terms);
        stock.setExitDelay(ORDER_EXIT);
        stock.setStockExitDelay(CASH_EXIT);
        cashier.setExitDelay(CASH_EXIT);
        aapl.grantRole(aapl.CONFIGURE_ROLE(), configurator);
        aapl.renounceRole(aapl.CONFIGURE_ROLE(), admin);
        aapl.revokeRole(aapl.MINTER_ROLE(), minter);
        aapl.revokeRole(aapl.BURNER_ROLE(), minter);
        vm.stopPrank();
    }

    function _handOver() private {
        address[] memory proposers = new address[](1);
        proposers[0] = proposer;
        timelock = new TimelockController(DELAY, proposers, new address[](1), admin);
        address[8] memory parts = administrated();
        vm.startPrank(admin);
        timelock.grantRole(timelock.CANCELLER_ROLE(), guardian);
        timelock.renounceRole(0, admin);
        for (uint256 i; i < parts.length; ++i) {
            CashierConfig(parts[i]).grantRole(0, address(timelock));
            CashierConfig(parts[i]).renounceRole(0, admin);
        }
        vm.stopPrank();
    }

    function administrated() internal view returns (address[8] memory) {
        return [
            address(router),
            address(cashier),
            address(stock),
            address(oracle),
            address(compliance),
            address(aapl),
            address(oneClick),
            address(pool)
        ];
    }

    function delegate() internal {
        bytes32 digest = oneClick.delegateDigest(victim, address(pool), oneClick.nonces(victim), FAR);
        (uint8 v, bytes32 r, bytes32 s) = vm.sign(victimKey, digest);
        vm.prank(submitter);
        pool.enable(address(oneClick), victim, FAR, abi.encodePacked(r, s, v));
    }

    /// One call of the stolen submit key as the victim.
    function submit(bytes memory data) internal returns (bool done, bytes memory answer) {
        vm.prank(submitter);
        return address(pool).call(abi.encodeCall(pool.execute, (address(oneClick), victim, address(router), data)));
    }

    /// The clock moves on, and the honest feed with it.
    function wait_(uint256 seconds_) internal {
        time += seconds_;
        vm.warp(time);
        publishSession(2);
    }

    function publishSession(uint8 session) internal {
        IStockOracle.PriceUpdate[] memory updates = new IStockOracle.PriceUpdate[](1);
        updates[0] = IStockOracle.PriceUpdate(AAPL_ID, 340e8, 0, 0, uint64(time), session);
        vm.prank(publisher);
        oracle.publish(updates);
    }

    /// mUSD, cash in the wallet and stock of a user at the oracle's price, in mUSD.
    function worth(address user) internal view returns (uint256) {
        uint256 shares = stock.stockBalance(user, address(aapl)) + aapl.balanceOf(user);
        return cashier.balanceWad(user) + usdc.balanceOf(user) * 1e12 + shares * AAPL_PRICE / 1e18;
    }
}
