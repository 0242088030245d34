// SPDX-License-Identifier: MIT
pragma solidity ^0.8.28;

import {StockToken} from "./StockToken.sol";
import {IStockTokenFactory} from "./interfaces/IStockTokenFactory.sol";
import {
    AccessControlEnumerableUpgradeable
} from "@openzeppelin/contracts-upgradeable/access/extensions/AccessControlEnumerableUpgradeable.sol";
import {ERC1967Proxy} from "@openzeppelin/contracts/proxy/ERC1967/ERC1967Proxy.sol";
import {UUPSUpgradeable} from "@openzeppelin/contracts/proxy/utils/UUPSUpgradeable.sol";
import {SafeCast} from "@openzeppelin/contracts/utils/math/SafeCast.sol";

/// @title Creates the stock tokens. See `IStockTokenFactory`.
contract StockTokenFactory is IStockTokenFactory, AccessControlEnumerableUpgradeable, UUPSUpgradeable {
    using SafeCast for uint256;

    /// Tokens by the hash of their ticker.
    /// @custom:storage-location erc7201:bourse.storage.StockTokenFactory
    struct StockTokenFactoryStorage {
        mapping(bytes32 tickerHash => address) tokenOf;
        address[] tokens;
    }

    // keccak256(abi.encode(uint256(keccak256("bourse.storage.StockTokenFactory")) - 1)) & ~bytes32(uint256(0xff))
    bytes32 private constant STORAGE_SLOT = 0x7ef1bbc8ee158d0ceff2b9a730660b3c0267f94fc77a0988c3588c49a3e62a00;

    bytes32 public constant TOKEN_CREATOR_ROLE = keccak256("TOKEN_CREATOR_ROLE");

    /// @inheritdoc IStockTokenFactory
    /// @custom:oz-upgrades-unsafe-allow state-variable-immutable
    address public immutable implementation;
    /// @inheritdoc IStockTokenFactory
    /// @custom:oz-upgrades-unsafe-allow state-variable-immutable
    address public immutable compliance;

    /// @custom:oz-upgrades-unsafe-allow constructor
    constructor(address implementation_, address compliance_) {
        if (implementation_ == address(0) || compliance_ == address(0)) revert AddressCannotBeZero();
        implementation = implementation_;
        compliance = compliance_;
        _disableInitializers();
    }

    function initialize(address admin) external initializer {
        if (admin == address(0)) revert AddressCannotBeZero();
        _grantRole(DEFAULT_ADMIN_ROLE, admin);
    }

    /// @inheritdoc IStockTokenFactory
    function createToken(string calldata ticker, string calldata company, Roles calldata roles)
        external
        onlyRole(TOKEN_CREATOR_ROLE)
        returns (address token)
    {
        if (bytes(ticker).length == 0 || bytes(company).length == 0) revert TextCannotBeEmpty();
        StockTokenFactoryStorage storage $ = _storage();
        bytes32 tickerHash = keccak256(bytes(ticker));
        if ($.tokenOf[tickerHash] != address(0)) revert TokenAlreadyCreated(ticker);
        string memory symbol = string.concat("a", ticker);
        string memory name = string.concat(company, " aStock");
        token = address(new ERC1967Proxy{salt: tickerHash}(implementation, _initialization(symbol, name, roles)));
        $.tokenOf[tickerHash] = token;
        $.tokens.push(token);
        $.tokens.length.toUint16();
        emit TokenCreated(token, ticker, symbol, name);
    }

    /// @inheritdoc IStockTokenFactory
    function tokenCount() external view returns (uint16) {
        return uint16(_storage().tokens.length);
    }

    /// @inheritdoc IStockTokenFactory
    function tokenAtIndex(uint16 index) external view returns (address) {
        address[] storage tokens = _storage().tokens;
        return index < tokens.length ? tokens[index] : address(0);
    }

    /// @inheritdoc IStockTokenFactory
    function tokenOf(string calldata ticker) external view returns (address) {
        return _storage().tokenOf[keccak256(bytes(ticker))];
    }

    function _initialization(string memory symbol, string memory name, Roles calldata roles)
        private
        view
        returns (bytes memory)
    {
        return abi.encodeCall(
            StockToken.initialize,
            (name, symbol, compliance, roles.admin, roles.configurator, roles.minter, roles.burner, roles.pauser)
        );
    }

    function _authorizeUpgrade(address) internal override onlyRole(DEFAULT_ADMIN_ROLE) {}

    function _storage() private pure returns (StockTokenFactoryStorage storage $) {
        assembly {
            $.slot := STORAGE_SLOT
        }
    }
}
