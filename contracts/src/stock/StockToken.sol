// SPDX-License-Identifier: MIT
pragma solidity ^0.8.28;

import {ICompliance} from "./interfaces/ICompliance.sol";
import {IStockToken} from "./interfaces/IStockToken.sol";
import {
    AccessControlEnumerableUpgradeable
} from "@openzeppelin/contracts-upgradeable/access/extensions/AccessControlEnumerableUpgradeable.sol";
import {ERC20Upgradeable} from "@openzeppelin/contracts-upgradeable/token/ERC20/ERC20Upgradeable.sol";
import {UUPSUpgradeable} from "@openzeppelin/contracts/proxy/utils/UUPSUpgradeable.sol";
import {IERC20Metadata} from "@openzeppelin/contracts/token/ERC20/extensions/IERC20Metadata.sol";

/// @title One tokenized stock. See `IStockToken`.
contract StockToken is IStockToken, ERC20Upgradeable, AccessControlEnumerableUpgradeable, UUPSUpgradeable {
    /// @custom:storage-location erc7201:bourse.storage.StockToken
    struct StockTokenStorage {
        address compliance;
        bool paused;
        uint256 sharesPerTokenWad;
        string name;
        string symbol;
        uint64 splitAt;
    }

    // keccak256(abi.encode(uint256(keccak256("bourse.storage.StockToken")) - 1)) & ~bytes32(uint256(0xff))
    bytes32 private constant STORAGE_SLOT = 0x2ad83219c3bb9b0e255e9ebcddac898e38e5d8dc970387ed3a0d4d165d5b8500;
    uint256 private constant WAD = 1e18;

    bytes32 public constant MINTER_ROLE = keccak256("MINTER_ROLE");
    bytes32 public constant BURNER_ROLE = keccak256("BURNER_ROLE");
    bytes32 public constant CONFIGURE_ROLE = keccak256("CONFIGURE_ROLE");
    bytes32 public constant PAUSE_ROLE = keccak256("PAUSE_ROLE");

    /// Splits seen in markets lie within this; what does not goes through the administrator.
    uint256 public constant MAX_SPLIT_RATIO = 20;
    uint256 public constant MIN_SPLIT_INTERVAL_SEC = 7 days;

    event Paused(address account);
    event Unpaused(address account);

    constructor() {
        _disableInitializers();
    }

    function initialize(
        string calldata name_,
        string calldata symbol_,
        address compliance_,
        address admin_,
        address configurator_,
        address minter_,
        address burner_,
        address pauser_
    ) external initializer {
        if (admin_ == address(0)) revert AdminCannotBeZero();
        if (configurator_ == address(0)) revert ConfigurerCannotBeZero();
        if (minter_ == address(0)) revert MinterCannotBeZero();
        if (burner_ == address(0)) revert BurnerCannotBeZero();
        if (pauser_ == address(0)) revert PauserCannotBeZero();
        _grantRole(DEFAULT_ADMIN_ROLE, admin_);
        _grantRole(CONFIGURE_ROLE, configurator_);
        _grantRole(MINTER_ROLE, minter_);
        _grantRole(BURNER_ROLE, burner_);
        _grantRole(PAUSE_ROLE, pauser_);
        _setName(name_);
        _setSymbol(symbol_);
        _setCompliance(compliance_);
        _setSharesPerToken(WAD);
    }

    /// @inheritdoc IStockToken
    function mint(address to, uint256 amount) external onlyRole(MINTER_ROLE) {
        _mint(to, amount);
    }

    /// @inheritdoc IStockToken
    function burn(uint256 amount) external onlyRole(BURNER_ROLE) {
        _burn(msg.sender, amount);
    }

    /// @inheritdoc IStockToken
    function burnFrom(address account, uint256 amount) external onlyRole(BURNER_ROLE) {
        _spendAllowance(account, msg.sender, amount);
        _burn(account, amount);
    }

    /// @inheritdoc IStockToken
    function setName(string calldata newName) external onlyRole(DEFAULT_ADMIN_ROLE) {
        _setName(newName);
    }

    /// @inheritdoc IStockToken
    function setSymbol(string calldata newSymbol) external onlyRole(DEFAULT_ADMIN_ROLE) {
        _setSymbol(newSymbol);
    }

    /// @inheritdoc IStockToken
    function setCompliance(address newCompliance) external onlyRole(DEFAULT_ADMIN_ROLE) {
        _setCompliance(newCompliance);
    }

    /// @inheritdoc IStockToken
    function setSharesPerToken(uint256 newSharesPerTokenWad) external {
        if (!hasRole(DEFAULT_ADMIN_ROLE, msg.sender)) {
            _checkRole(CONFIGURE_ROLE);
            if (newSharesPerTokenWad == _storage().sharesPerTokenWad) return;
            _checkSplit(newSharesPerTokenWad);
        }
        _setSharesPerToken(newSharesPerTokenWad);
    }

    /// @inheritdoc IStockToken
    function pause() external onlyRole(PAUSE_ROLE) {
        _storage().paused = true;
        emit Paused(msg.sender);
    }

    /// @inheritdoc IStockToken
    function unpause() external onlyRole(DEFAULT_ADMIN_ROLE) {
        _storage().paused = false;
        emit Unpaused(msg.sender);
    }

    /// @inheritdoc IERC20Metadata
    function name() public view override(ERC20Upgradeable, IERC20Metadata) returns (string memory) {
        return _storage().name;
    }

    /// @inheritdoc IERC20Metadata
    function symbol() public view override(ERC20Upgradeable, IERC20Metadata) returns (string memory) {
        return _storage().symbol;
    }

    /// @inheritdoc IStockToken
    function compliance() external view returns (address) {
        return _storage().compliance;
    }

    /// @inheritdoc IStockToken
    function paused() external view returns (bool) {
        return _storage().paused;
    }

    /// @inheritdoc IStockToken
    function sharesPerToken() external view returns (uint256) {
        return _storage().sharesPerTokenWad;
    }

    /// @inheritdoc IStockToken
    function sharesOf(address account) external view returns (uint256) {
        return balanceOf(account) * _storage().sharesPerTokenWad / WAD;
    }

    /// Both ends must be approved: a wallet that lost its approval keeps its tokens and moves them to the venue alone.
    /// While paused, what the venue pays out still moves: a claim is the user's own exit, and the venue makes no other
    /// payment of a paused token.
    function _update(address from, address to, uint256 amount) internal override {
        StockTokenStorage storage $ = _storage();
        ICompliance register = ICompliance($.compliance);
        if ($.paused && (to == address(0) || !register.isVenueContract(from))) revert TokenPaused();
        register.requireTransferable(from, to);
        super._update(from, to, amount);
    }

    function _setName(string calldata newName) private {
        _storage().name = newName;
        emit NameChanged(newName);
    }

    function _setSymbol(string calldata newSymbol) private {
        _storage().symbol = newSymbol;
        emit SymbolChanged(newSymbol);
    }

    function _setCompliance(address newCompliance) private {
        if (newCompliance == address(0)) revert ComplianceCannotBeZero();
        emit ComplianceSet(_storage().compliance, newCompliance);
        _storage().compliance = newCompliance;
    }

    /// One split of a limited ratio, up or down, within the interval.
    function _checkSplit(uint256 newSharesPerTokenWad) private {
        StockTokenStorage storage $ = _storage();
        uint256 current = $.sharesPerTokenWad;
        if (newSharesPerTokenWad > current * MAX_SPLIT_RATIO || newSharesPerTokenWad * MAX_SPLIT_RATIO < current) {
            revert SplitRatioOutOfBounds(current, newSharesPerTokenWad);
        }
        uint256 availableAt = $.splitAt + MIN_SPLIT_INTERVAL_SEC;
        if ($.splitAt != 0 && block.timestamp < availableAt) revert SplitTooSoon(availableAt);
        $.splitAt = uint64(block.timestamp);
    }

    function _setSharesPerToken(uint256 newSharesPerTokenWad) private {
        if (newSharesPerTokenWad == 0) revert SharesPerTokenCannotBeZero();
        emit SharesPerTokenUpdated(_storage().sharesPerTokenWad, newSharesPerTokenWad);
        _storage().sharesPerTokenWad = newSharesPerTokenWad;
    }

    function _authorizeUpgrade(address) internal override onlyRole(DEFAULT_ADMIN_ROLE) {}

    function _storage() private pure returns (StockTokenStorage storage $) {
        assembly {
            $.slot := STORAGE_SLOT
        }
    }
}
