// SPDX-License-Identifier: MIT
pragma solidity ^0.8.28;

import {ERC1967Proxy} from "@openzeppelin/contracts/proxy/ERC1967/ERC1967Proxy.sol";
import {Cashier} from "src/stock/Cashier.sol";
import {CashierConfig} from "src/stock/CashierConfig.sol";
import {Compliance} from "src/stock/Compliance.sol";
import {Stock} from "src/stock/Stock.sol";
import {StockConfig} from "src/stock/StockConfig.sol";
import {StockOracle} from "src/stock/StockOracle.sol";
import {StockRouter} from "src/stock/StockRouter.sol";
import {StockToken} from "src/stock/StockToken.sol";
import {ICashier} from "src/stock/interfaces/ICashier.sol";
import {IStock} from "src/stock/interfaces/IStock.sol";
import {IStockOracle} from "src/stock/interfaces/IStockOracle.sol";
import {TestBase} from "test/TestBase.sol";
import {TestUSDC} from "test/tokens/TestUSDC.sol";

/// The accounts and figures of every test of the stock contracts.
abstract contract StockAccounts is TestBase {
    uint256 internal constant START = 1_800_000_000;
    uint32 internal constant FAR = type(uint32).max;
    uint128 internal constant CREDIT_CAPACITY = 20_000e18;
    uint128 internal constant WITHDRAW_CAPACITY = 100_000e6;
    uint128 internal constant WITHDRAW_BUFFER = 20_000e6;
    uint96 internal constant MIN_DEPOSIT = 90e6;
    uint32 internal constant EXIT_DELAY = 1 days;
    uint32 internal constant MAX_DEVIATION_PPM = 50_000;
    uint32 internal constant MAX_LIMIT_DEVIATION_PPM = 200_000;
    uint32 internal constant MAX_PRICE_AGE = 30 minutes;
    uint96 internal constant MINT_CAPACITY = 1_000_000e18;
    uint32 internal constant MINT_PERIOD = 1 days;
    uint32 internal constant LATE_SETTLEMENT = 12 hours;
    uint96 internal constant AAPL_PRICE = 340e18;
    bytes32 internal constant AAPL_ID = keccak256("AAPL");

    address internal admin = makeAddress("admin");
    address internal guardian = makeAddress("guardian");
    address internal settler = makeAddress("settler");
    address internal publisher = makeAddress("publisher");
    address internal manager = makeAddress("manager");
    address internal minter = makeAddress("minter");
    address internal forwarder = makeAddress("forwarder");
    address internal outsider = makeAddress("outsider");
    address internal alice = makeAddress("alice");
    address internal bob = makeAddress("bob");

    function proxy(address implementation, bytes memory initData) internal returns (address) {
        return address(
            ERC1967Proxy(payable(deployCode("ERC1967Proxy.sol:ERC1967Proxy", abi.encode(implementation, initData))))
        );
    }

    function rates() internal pure returns (IStock.FeeRates memory) {
        return IStock.FeeRates(1000, 100, 0, 100);
    }

    function delays() internal pure returns (IStock.Delays memory) {
        return IStock.Delays(EXIT_DELAY, EXIT_DELAY, LATE_SETTLEMENT);
    }

    function listingTerms() internal pure returns (IStock.ListingTerms memory) {
        return IStock.ListingTerms({
            tradable: true,
            maxDeviationPpm: MAX_DEVIATION_PPM,
            maxLimitDeviationPpm: MAX_LIMIT_DEVIATION_PPM,
            maxPriceAgeSec: MAX_PRICE_AGE,
            mintCapacity: MINT_CAPACITY,
            mintPeriodSec: MINT_PERIOD
        });
    }

    function usdcConfig() internal pure returns (ICashier.TokenConfig memory) {
        return ICashier.TokenConfig({
            minAmount: MIN_DEPOSIT,
            usdRate: 1e6,
            decimals: 6,
            depositPaused: false,
            withdrawPaused: false,
            withdrawBuffer: WITHDRAW_BUFFER,
            withdrawBufferCapacity: WITHDRAW_CAPACITY
        });
    }
}

/// The venue as an operator deploys it: every contract behind its proxy, one role an account, sheet figures for limits
/// and fees, AAPL at 340 USD. A contract of its own, so that the compiler builds it once and not inside every test.
contract StockVenue is StockAccounts {
    Compliance public compliance;
    StockOracle public oracle;
    StockRouter public router;
    Cashier public cashier;
    Stock public stock;
    StockToken public aapl;
    StockToken public tsla;
    TestUSDC public usdc;

    constructor() {
        vm.warp(START);
        vm.startPrank(admin);
        _deploy();
        _wire();
        vm.stopPrank();
        address[] memory holders = new address[](3);
        (holders[0], holders[1], holders[2]) = (alice, bob, minter);
        vm.prank(manager);
        compliance.addUsers(holders);
        _fundSettler();
        IStockOracle.PriceUpdate[] memory updates = new IStockOracle.PriceUpdate[](2);
        updates[0] = IStockOracle.PriceUpdate(AAPL_ID, 340e8, 0, 0, uint64(START), 2);
        updates[1] = IStockOracle.PriceUpdate(keccak256("TSLA"), 250e8, 0, 0, uint64(START), 2);
        vm.prank(publisher);
        oracle.publish(updates);
    }

    function deployToken(string memory symbol) public returns (StockToken) {
        address[5] memory roles = [admin, admin, minter, minter, guardian];
        return StockToken(
            proxy(
                deployCode("StockToken.sol:StockToken", ""),
                abi.encodeCall(
                    StockToken.initialize,
                    (
                        string.concat(symbol, " aStock"),
                        string.concat("a", symbol),
                        address(compliance),
                        roles[0],
                        roles[1],
                        roles[2],
                        roles[3],
                        roles[4]
                    )
                )
            )
        );
    }

    function _deploy() private {
        compliance = Compliance(
            proxy(deployCode("Compliance.sol:Compliance", ""), abi.encodeCall(Compliance.initialize, (admin)))
        );
        oracle = StockOracle(
            proxy(deployCode("StockOracle.sol:StockOracle", ""), abi.encodeCall(StockOracle.initialize, (admin)))
        );
        router = StockRouter(
            proxy(
                deployCode("StockRouter.sol:StockRouter", abi.encode(forwarder)),
                abi.encodeCall(StockRouter.initialize, (admin, address(compliance)))
            )
        );
        cashier = Cashier(
            proxy(
                deployCode("Cashier.sol:Cashier", abi.encode(router)),
                abi.encodeCall(CashierConfig.initialize, (admin, CREDIT_CAPACITY, 5, 0, 2100, EXIT_DELAY))
            )
        );
        stock = Stock(
            proxy(
                deployCode("Stock.sol:Stock", abi.encode(router, cashier)),
                abi.encodeCall(StockConfig.initialize, (admin, address(oracle), rates(), delays()))
            )
        );
        aapl = deployToken("AAPL");
        tsla = deployToken("TSLA");
        usdc = TestUSDC(deployCode("TestUSDC.sol:TestUSDC", ""));
    }

    function _wire() private {
        router.configure(address(cashier), address(stock));
        router.grantRole(router.GUARDIAN_ROLE(), guardian);
        cashier.grantRole(cashier.EXCHANGE_ROLE(), address(stock));
        cashier.grantRole(cashier.SETTLER_ROLE(), settler);
        cashier.grantRole(cashier.RATE_MANAGER_ROLE(), manager);
        cashier.grantRole(cashier.TOKEN_PAUSER_ROLE(), guardian);
        cashier.grantRole(cashier.GUARDIAN_ROLE(), guardian);
        cashier.addSupportedToken(address(usdc), usdcConfig());
        stock.grantRole(stock.ORDER_SETTLER_ROLE(), settler);
        stock.grantRole(stock.GUARDIAN_ROLE(), guardian);
        stock.grantRole(stock.TOKEN_PAUSER_ROLE(), guardian);
        compliance.setVenueContract(address(stock), true);
        _letMint(aapl);
        _letMint(tsla);
        stock.listStock(address(aapl), "AAPL", listingTerms());
        stock.listStock(address(tsla), "TSLA", listingTerms());
        oracle.grantRole(oracle.PUBLISHER_ROLE(), publisher);
        oracle.grantRole(oracle.GUARDIAN_ROLE(), guardian);
        compliance.grantRole(compliance.COMPLIANCE_MANAGER_ROLE(), manager);
    }

    /// Tokens come and go with settlements; `minter` gives tests what they need beside.
    function _letMint(StockToken token) private {
        token.grantRole(token.MINTER_ROLE(), address(stock));
        token.grantRole(token.BURNER_ROLE(), address(stock));
    }

    function _fundSettler() private {
        usdc.mint(settler, 100_000_000e6);
        vm.prank(settler);
        usdc.approve(address(cashier), type(uint256).max);
    }
}
