// SPDX-License-Identifier: MIT
pragma solidity ^0.8.28;

import {StockFixture} from "./StockFixture.sol";
import {StockToken} from "src/stock/StockToken.sol";
import {StockTokenFactory} from "src/stock/StockTokenFactory.sol";
import {IStockToken} from "src/stock/interfaces/IStockToken.sol";
import {IStockTokenFactory} from "src/stock/interfaces/IStockTokenFactory.sol";

contract StockTokenFactoryTest is StockFixture {
    StockTokenFactory private factory;
    address private implementation;

    function setUp() public override {
        super.setUp();
        implementation = deployCode("StockToken.sol:StockToken", "");
        factory = StockTokenFactory(
            proxy(
                _newFactory(implementation, address(compliance)), abi.encodeCall(StockTokenFactory.initialize, (admin))
            )
        );
        bytes32 role = factory.TOKEN_CREATOR_ROLE();
        vm.prank(admin);
        factory.grantRole(role, manager);
    }

    function test_create_makesATokenReadyForUse() public {
        address expected = _predict("NVDA", "NVIDIA Corporation", _roles());
        vm.expectEmit(address(factory));
        emit IStockTokenFactory.TokenCreated(expected, "NVDA", "aNVDA", "NVIDIA Corporation aStock");
        StockToken token = StockToken(_create("NVDA", "NVIDIA Corporation"));
        vm.assertEq(address(token), expected);
        vm.assertEq(token.symbol(), "aNVDA");
        vm.assertEq(token.name(), "NVIDIA Corporation aStock");
        vm.assertEq(token.decimals(), 18);
        vm.assertEq(token.compliance(), address(compliance));
        vm.assertEq(token.sharesPerToken(), 1e18);
        vm.assertTrue(token.hasRole(bytes32(0), admin));
        vm.assertTrue(token.hasRole(token.CONFIGURE_ROLE(), manager));
        vm.assertTrue(token.hasRole(token.MINTER_ROLE(), minter));
        vm.assertTrue(token.hasRole(token.BURNER_ROLE(), settler));
        vm.assertTrue(token.hasRole(token.PAUSE_ROLE(), guardian));
        vm.assertFalse(token.hasRole(bytes32(0), address(factory)));
        vm.prank(minter);
        token.mint(alice, 1e18);
        vm.prank(admin);
        stock.listStock(address(token), "NVDA", listingTerms());
    }

    function test_list_isInOrderOfCreation() public {
        vm.assertEq(factory.tokenCount(), 0);
        vm.assertEq(factory.tokenAtIndex(0), address(0));
        address first = _create("NVDA", "NVIDIA");
        address second = _create("MSFT", "Microsoft");
        vm.assertEq(factory.tokenCount(), 2);
        vm.assertEq(factory.tokenAtIndex(0), first);
        vm.assertEq(factory.tokenAtIndex(1), second);
        vm.assertEq(factory.tokenAtIndex(2), address(0));
        vm.assertEq(factory.tokenOf("NVDA"), first);
        vm.assertEq(factory.tokenOf("MSFT"), second);
        vm.assertEq(factory.tokenOf("nvda"), address(0));
        vm.assertEq(factory.implementation(), implementation);
        vm.assertEq(factory.compliance(), address(compliance));
    }

    function test_create_refusals() public {
        _create("NVDA", "NVIDIA");
        IStockTokenFactory.Roles memory roles = _roles();
        bytes memory refusal = roleError(admin, factory.TOKEN_CREATOR_ROLE());
        vm.expectRevert(refusal);
        vm.prank(admin);
        factory.createToken("MSFT", "Microsoft", roles);
        vm.startPrank(manager);
        vm.expectRevert(abi.encodeWithSelector(IStockTokenFactory.TokenAlreadyCreated.selector, "NVDA"));
        factory.createToken("NVDA", "Another", roles);
        vm.expectRevert(IStockTokenFactory.TextCannotBeEmpty.selector);
        factory.createToken("", "Microsoft", roles);
        vm.expectRevert(IStockTokenFactory.TextCannotBeEmpty.selector);
        factory.createToken("MSFT", "", roles);
        roles.admin = address(0);
        vm.expectRevert(IStockToken.AdminCannotBeZero.selector);
        factory.createToken("MSFT", "Microsoft", roles);
        vm.stopPrank();
        vm.assertEq(factory.tokenCount(), 1);
        vm.assertEq(factory.tokenOf("MSFT"), address(0));
    }

    function test_initialize_refusals() public {
        vm.expectRevert(IStockTokenFactory.AddressCannotBeZero.selector);
        _newFactory(address(0), address(compliance));
        vm.expectRevert(IStockTokenFactory.AddressCannotBeZero.selector);
        _newFactory(implementation, address(0));
        address fresh = _newFactory(implementation, address(compliance));
        vm.expectRevert(IStockTokenFactory.AddressCannotBeZero.selector);
        proxy(fresh, abi.encodeCall(StockTokenFactory.initialize, (address(0))));
        bytes4 again = bytes4(keccak256("InvalidInitialization()"));
        vm.expectRevert(again);
        StockTokenFactory(fresh).initialize(admin);
        vm.expectRevert(again);
        factory.initialize(outsider);
    }

    /// A new implementation holds for new tokens; the list and the tokens there are stay.
    function test_upgrade_keepsTheList() public {
        address first = _create("NVDA", "NVIDIA");
        address nextCode = deployCode("StockToken.sol:StockToken", "");
        address next = _newFactory(nextCode, address(compliance));
        vm.expectRevert(roleError(manager, bytes32(0)));
        vm.prank(manager);
        factory.upgradeToAndCall(next, "");
        vm.prank(admin);
        factory.upgradeToAndCall(next, "");
        vm.assertEq(factory.implementation(), nextCode);
        vm.assertEq(factory.tokenOf("NVDA"), first);
        vm.assertEq(StockToken(first).symbol(), "aNVDA");
        vm.expectRevert(abi.encodeWithSelector(IStockTokenFactory.TokenAlreadyCreated.selector, "NVDA"));
        _create("NVDA", "NVIDIA");
    }

    function _create(string memory ticker, string memory company) private returns (address) {
        vm.prank(manager);
        return factory.createToken(ticker, company, _roles());
    }

    function _newFactory(address code, address register) private returns (address) {
        return deployCode("StockTokenFactory.sol:StockTokenFactory", abi.encode(code, register));
    }

    function _roles() private view returns (IStockTokenFactory.Roles memory) {
        return IStockTokenFactory.Roles(admin, manager, minter, settler, guardian);
    }

    /// Where a deployer expects the token before it exists.
    function _predict(string memory ticker, string memory company, IStockTokenFactory.Roles memory roles)
        private
        view
        returns (address)
    {
        bytes memory initialize = abi.encodeCall(
            StockToken.initialize,
            (
                string.concat(company, " aStock"),
                string.concat("a", ticker),
                address(compliance),
                roles.admin,
                roles.configurator,
                roles.minter,
                roles.burner,
                roles.pauser
            )
        );
        bytes memory code =
            abi.encodePacked(creationCode("ERC1967Proxy.sol:ERC1967Proxy"), abi.encode(implementation, initialize));
        bytes32 salt = keccak256(bytes(ticker));
        return
            address(
                uint160(uint256(keccak256(abi.encodePacked(bytes1(0xff), address(factory), salt, keccak256(code)))))
            );
    }
}
