// SPDX-License-Identifier: MIT
pragma solidity ^0.8.28;

import {Guarded} from "./Guarded.sol";
import {StockSpend} from "./StockSpend.sol";
import {ICashier} from "./interfaces/ICashier.sol";
import {ICompliance} from "./interfaces/ICompliance.sol";
import {IStock} from "./interfaces/IStock.sol";
import {IStockRouter} from "./interfaces/IStockRouter.sol";
import {IERC20} from "@openzeppelin/contracts/token/ERC20/IERC20.sol";
import {SafeERC20} from "@openzeppelin/contracts/token/ERC20/utils/SafeERC20.sol";
import {IDelegationTarget} from "src/delegation/interfaces/IDelegationTarget.sol";

/// @title The users' only entry. See `IStockRouter`.
/// @dev It has no multicall, so one call from the forwarder is one action of one user. Roles go by `msg.sender`: the
/// user that a forwarder appends never reaches an admin function.
contract StockRouter is StockSpend, Guarded {
    using SafeERC20 for IERC20;

    /// @custom:storage-location erc7201:bourse.storage.StockRouter
    struct StockRouterStorage {
        address compliance;
        bool paused;
        address cashier;
        address stock;
    }

    // keccak256(abi.encode(uint256(keccak256("bourse.storage.StockRouter")) - 1)) & ~bytes32(uint256(0xff))
    bytes32 private constant STORAGE_SLOT = 0x15f883f919d28c07d299c39b13dd0ecbf26f73821d4ddfb2c7c44094eaa97d00;

    uint8 private constant DAY = 0;

    /// @inheritdoc IStockRouter
    /// @custom:oz-upgrades-unsafe-allow state-variable-immutable
    address public immutable trustedForwarder;

    modifier inTime(uint32 deadline) {
        if (block.timestamp > deadline) revert DeadlineExpired();
        _;
    }

    modifier onlyDay(uint8 tif) {
        if (tif != DAY) revert TimeInForceNotSupported(tif);
        _;
    }

    /// @param trustedForwarder_ zero for none
    /// @custom:oz-upgrades-unsafe-allow constructor
    constructor(address trustedForwarder_) {
        trustedForwarder = trustedForwarder_;
    }

    function initialize(address admin, address compliance_) external initializer {
        if (admin == address(0)) revert AddressCannotBeZero();
        _grantRole(DEFAULT_ADMIN_ROLE, admin);
        _setCompliance(compliance_);
    }

    // --- cash and stock ---

    /// @inheritdoc IStockRouter
    function deposit(address token, uint96 amount) external whenNotPaused nonReentrant returns (bytes32 opId) {
        return _deposit(_approvedUser(), _cashier(), token, amount);
    }

    /// @inheritdoc IStockRouter
    function withdraw(address token, uint96 amountWad) external nonReentrant returns (bytes32 opId) {
        return _cashier().withdraw(_user(), token, amountWad);
    }

    /// @inheritdoc IStockRouter
    function depositStock(address token, uint256 amount) external whenNotPaused nonReentrant {
        _depositStock(_user(), _stock(), token, amount);
    }

    /// @inheritdoc IStockRouter
    function withdrawStock(address token, uint256 amount) external nonReentrant {
        _stock().withdrawStock(_user(), token, amount);
    }

    // --- orders ---

    /// @inheritdoc IStockRouter
    function placeMarketOrder(address stockToken, int96 amount, uint32 deadline)
        external
        whenNotPaused
        nonReentrant
        inTime(deadline)
        returns (bytes32 orderId)
    {
        return _stock().placeMarketOrder(_trader(amount), stockToken, amount, deadline);
    }

    /// @inheritdoc IStockRouter
    function placeLimitOrder(address stockToken, int96 quantity, uint96 price, uint8 tif, uint32 deadline)
        external
        whenNotPaused
        nonReentrant
        inTime(deadline)
        onlyDay(tif)
        returns (bytes32 orderId)
    {
        return _stock().placeLimitOrder(_trader(quantity), stockToken, quantity, price, tif, deadline);
    }

    /// @inheritdoc IStockRouter
    function cancelLimitOrder(bytes32 orderId) external nonReentrant {
        _stock().cancelLimitOrder(_user(), orderId);
    }

    // --- orders with their deposit ---

    /// @inheritdoc IStockRouter
    function depositAndMarketBuy(
        address depositToken,
        uint96 depositAmount,
        address stockToken,
        int96 usdAmount,
        uint32 deadline
    ) external whenNotPaused nonReentrant inTime(deadline) returns (bytes32 depositOpId, bytes32 orderId) {
        if (usdAmount <= 0) revert QuantityMustBePositive();
        address user = _approvedUser();
        IStock stock_ = _stock();
        depositOpId = _depositFor(user, depositToken, depositAmount, stock_.previewLock(usdAmount));
        orderId = stock_.placeMarketOrder(user, stockToken, usdAmount, deadline);
        emit DepositAndMarketBuy(depositOpId, orderId, user, depositToken, depositAmount, stockToken, usdAmount);
    }

    /// @inheritdoc IStockRouter
    function depositAndLimitBuy(
        address depositToken,
        uint96 depositAmount,
        address stockToken,
        int96 quantity,
        uint96 price,
        uint8 tif,
        uint32 deadline
    ) external whenNotPaused nonReentrant inTime(deadline) onlyDay(tif) returns (bytes32 depositOpId, bytes32 orderId) {
        if (quantity <= 0) revert QuantityMustBePositive();
        address user = _approvedUser();
        {
            IStock stock_ = _stock();
            depositOpId = _depositFor(user, depositToken, depositAmount, stock_.previewLimitLock(quantity, price));
            orderId = stock_.placeLimitOrder(user, stockToken, quantity, price, tif, deadline);
        }
        emit DepositAndLimitBuy(depositOpId, orderId, user, depositToken, depositAmount, stockToken, quantity, price);
    }

    /// @inheritdoc IStockRouter
    function depositStockAndMarketSell(address stockToken, uint256 depositAmount, int96 quantity, uint32 deadline)
        external
        whenNotPaused
        nonReentrant
        inTime(deadline)
        returns (bytes32 orderId)
    {
        address user = _user();
        IStock stock_ = _stock();
        _depositStockFor(user, stock_, stockToken, depositAmount, quantity);
        orderId = stock_.placeMarketOrder(user, stockToken, quantity, deadline);
        emit DepositStockAndMarketSell(orderId, user, stockToken, depositAmount, quantity);
    }

    /// @inheritdoc IStockRouter
    function depositStockAndLimitSell(
        address stockToken,
        uint256 depositAmount,
        int96 quantity,
        uint96 price,
        uint8 tif,
        uint32 deadline
    ) external whenNotPaused nonReentrant inTime(deadline) onlyDay(tif) returns (bytes32 orderId) {
        address user = _user();
        IStock stock_ = _stock();
        _depositStockFor(user, stock_, stockToken, depositAmount, quantity);
        orderId = stock_.placeLimitOrder(user, stockToken, quantity, price, tif, deadline);
        emit DepositStockAndLimitSell(orderId, user, stockToken, depositAmount, quantity, price);
    }

    // --- administration ---

    /// @inheritdoc IStockRouter
    function configure(address cashier_, address stock_) external onlyRole(DEFAULT_ADMIN_ROLE) {
        StockRouterStorage storage $ = _storage();
        if ($.cashier != address(0)) revert RouterAlreadyConfigured();
        if (cashier_ == address(0) || stock_ == address(0)) revert AddressCannotBeZero();
        $.cashier = cashier_;
        $.stock = stock_;
        emit RouterConfigured(cashier_, stock_);
    }

    /// @inheritdoc IStockRouter
    function setCompliance(address newCompliance) external onlyRole(DEFAULT_ADMIN_ROLE) {
        _setCompliance(newCompliance);
    }

    // --- views ---

    /// @inheritdoc IStockRouter
    function cashier() external view returns (address) {
        return _storage().cashier;
    }

    /// @inheritdoc IStockRouter
    function stock() external view returns (address) {
        return _storage().stock;
    }

    /// @inheritdoc IStockRouter
    function compliance() external view returns (address) {
        return _storage().compliance;
    }

    function supportsInterface(bytes4 interfaceId) public view override returns (bool) {
        return interfaceId == type(IDelegationTarget).interfaceId || super.supportsInterface(interfaceId);
    }

    /// @inheritdoc IStockRouter
    function isTrustedForwarder(address forwarder) public view returns (bool) {
        return forwarder != address(0) && forwarder == trustedForwarder;
    }

    // --- inside ---

    function _deposit(address user, ICashier cashier_, address token, uint96 amount) private returns (bytes32 opId) {
        _bringIn(user, address(cashier_), token, amount);
        return cashier_.deposit(user, token, amount);
    }

    /// A deposit that is credited at once and covers `lockWad` alone.
    function _depositFor(address user, address token, uint96 amount, uint256 lockWad) private returns (bytes32 opId) {
        ICashier cashier_ = _cashier();
        uint256 balanceBefore = cashier_.balanceWad(user);
        opId = _deposit(user, cashier_, token, amount);
        uint256 creditWad = cashier_.balanceWad(user) - balanceBefore;
        if (creditWad == 0) revert DepositNotInstant();
        if (creditWad < lockWad) revert InsufficientDepositForOrder();
    }

    function _depositStock(address user, IStock stock_, address token, uint256 amount) private {
        _bringIn(user, address(stock_), token, amount);
        stock_.depositStock(user, token, amount);
    }

    /// A deposit of stock that covers a sell of `quantity` alone.
    function _depositStockFor(address user, IStock stock_, address token, uint256 amount, int96 quantity) private {
        if (quantity >= 0) revert QuantityMustBeNegative();
        if (amount < uint256(-int256(quantity))) revert InsufficientDepositForOrder();
        _depositStock(user, stock_, token, amount);
    }

    function _bringIn(address user, address to, address token, uint256 amount) private {
        uint256 heldBefore = IERC20(token).balanceOf(to);
        IERC20(token).safeTransferFrom(user, to, amount);
        if (IERC20(token).balanceOf(to) != heldBefore + amount) revert ReceivedAmountMismatch();
    }

    function _setCompliance(address newCompliance) private {
        if (newCompliance == address(0)) revert AddressCannotBeZero();
        emit ComplianceSet(_storage().compliance, newCompliance);
        _storage().compliance = newCompliance;
    }

    /// The caller, or whom the trusted forwarder appended to the call (ERC-2771).
    function _user() private view returns (address) {
        if (msg.data.length < 20 || !isTrustedForwarder(msg.sender)) return msg.sender;
        return address(bytes20(msg.data[msg.data.length - 20:]));
    }

    function _pausedFlag() internal view override returns (bool) {
        return _storage().paused;
    }

    function _setPausedFlag(bool newFlag) internal override {
        _storage().paused = newFlag;
    }

    /// `_user`, who must be approved.
    function _approvedUser() private view returns (address user) {
        user = _user();
        ICompliance(_storage().compliance).requireCompliant(user);
    }

    /// `_user`, who must be approved to buy; whoever holds stock may sell it.
    function _trader(int96 amount) private view returns (address) {
        return amount < 0 ? _user() : _approvedUser();
    }

    function _cashier() internal view override returns (ICashier) {
        return ICashier(_configured(_storage().cashier));
    }

    function _stock() internal view override returns (IStock) {
        return IStock(_configured(_storage().stock));
    }

    function _configured(address part) private pure returns (address) {
        if (part == address(0)) revert RouterNotConfigured();
        return part;
    }

    function _storage() private pure returns (StockRouterStorage storage $) {
        assembly {
            $.slot := STORAGE_SLOT
        }
    }
}
