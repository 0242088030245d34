// SPDX-License-Identifier: MIT
pragma solidity ^0.8.28;

import {Guarded} from "./Guarded.sol";
import {OrderBook} from "./OrderBook.sol";
import {IStock} from "./interfaces/IStock.sol";
import {IStockOracle} from "./interfaces/IStockOracle.sol";
import {OperationId} from "./libraries/OperationId.sol";
import {Rounding} from "./libraries/Rounding.sol";
import {IERC20Metadata} from "@openzeppelin/contracts/token/ERC20/extensions/IERC20Metadata.sol";
import {SafeCast} from "@openzeppelin/contracts/utils/math/SafeCast.sol";
import {RateLimit} from "src/limits/RateLimit.sol";

/// @title The exchange's configuration and views. Orders and settlement are in `Stock`.
abstract contract StockConfig is IStock, OrderBook, Guarded {
    using SafeCast for uint256;

    bytes32 public constant ORDER_SETTLER_ROLE = keccak256("ORDER_SETTLER_ROLE");
    bytes32 public constant TOKEN_PAUSER_ROLE = keccak256("TOKEN_PAUSER_ROLE");

    uint16 public constant MAX_FEE_PPM = 50_000;
    uint32 public constant MIN_EXIT_DELAY_SEC = 1 hours;
    uint32 public constant MAX_EXIT_DELAY_SEC = 30 days;
    /// Less than from the end of one trade date to that of the next, so that a day's orders end for good.
    uint32 public constant MAX_LATE_SETTLEMENT_SEC = 20 hours;
    /// Oracle prices have 8 decimals, the prices of fills 18.
    uint256 private constant ORACLE_TO_WAD = 1e10;

    /// @inheritdoc IStock
    /// @custom:oz-upgrades-unsafe-allow state-variable-immutable
    address public immutable stockRouter;

    /// @custom:oz-upgrades-unsafe-allow constructor
    constructor(address stockRouter_, address cashier_) OrderBook(cashier_) {
        if (stockRouter_ == address(0)) revert AddressCannotBeZero();
        stockRouter = stockRouter_;
    }

    /// Units as in `IStock`.
    function initialize(address admin, address oracle_, FeeRates calldata rates, Delays calldata delays)
        external
        initializer
    {
        if (admin == address(0)) revert AddressCannotBeZero();
        _grantRole(DEFAULT_ADMIN_ROLE, admin);
        _setOracle(oracle_);
        _setFeeRates(rates);
        _setExitDelay(delays.exitDelaySec);
        _setStockExitDelay(delays.stockExitDelaySec);
        _setLateSettlement(delays.lateSettlementSec);
    }

    // --- administration ---

    /// @inheritdoc IStock
    function listStock(address token, string calldata ticker, ListingTerms calldata terms)
        external
        onlyRole(DEFAULT_ADMIN_ROLE)
    {
        if (token == address(0)) revert AddressCannotBeZero();
        if (IERC20Metadata(token).decimals() != 18) revert InvalidStockToken();
        if (bytes(ticker).length == 0) revert InvalidConfig();
        _addListing(token, ticker);
        _updateListing(token, _storage().listings[token], terms);
    }

    /// @inheritdoc IStock
    function updateListing(address token, ListingTerms calldata terms) external onlyRole(DEFAULT_ADMIN_ROLE) {
        _updateListing(token, _listed(token), terms);
    }

    /// @inheritdoc IStock
    function setStockPause(address token, bool depositPaused, bool withdrawPaused) external {
        ListingState storage item = _listed(token);
        if (!hasRole(DEFAULT_ADMIN_ROLE, msg.sender)) {
            _checkRole(TOKEN_PAUSER_ROLE);
            if ((item.depositPaused && !depositPaused) || (item.withdrawPaused && !withdrawPaused)) {
                revert OnlyAdministratorUnpauses();
            }
        }
        item.depositPaused = depositPaused;
        item.withdrawPaused = withdrawPaused;
        emit StockPauseUpdated(token, depositPaused, withdrawPaused);
    }

    /// @inheritdoc IStock
    function setFeeRates(FeeRates calldata rates) external onlyRole(DEFAULT_ADMIN_ROLE) {
        _setFeeRates(rates);
    }

    /// @inheritdoc IStock
    function setExitDelay(uint32 newDelaySec) external onlyRole(DEFAULT_ADMIN_ROLE) {
        _setExitDelay(newDelaySec);
    }

    /// @inheritdoc IStock
    function setStockExitDelay(uint32 newDelaySec) external onlyRole(DEFAULT_ADMIN_ROLE) {
        _setStockExitDelay(newDelaySec);
    }

    /// @inheritdoc IStock
    function setLateSettlement(uint32 newLateSettlementSec) external onlyRole(DEFAULT_ADMIN_ROLE) {
        _setLateSettlement(newLateSettlementSec);
    }

    /// @inheritdoc IStock
    function setOracle(address newOracle) external onlyRole(DEFAULT_ADMIN_ROLE) {
        _setOracle(newOracle);
    }

    // --- views ---

    /// @inheritdoc IStock
    function stockBalance(address user, address token) external view returns (uint256) {
        return _storage().stockBalance[user][token];
    }

    /// @inheritdoc IStock
    function stockWithdrawal(bytes32 opId) external view returns (StockWithdrawal memory) {
        QueuedStock memory queued = _storage().queuedStock[opId];
        return StockWithdrawal(
            OperationId.userOf(opId), tokenAt(queued.tokenIndex), queued.amount, queued.exitAt, queued.status
        );
    }

    /// @inheritdoc IStock
    function mintable(address token) external view returns (uint256) {
        ListingState storage item = _listed(token);
        return RateLimit.available(item.minted, item.mintedAt, item.mintCapacity, item.mintPeriodSec);
    }

    /// @inheritdoc IStock
    function oraclePriceWad(address token) external view returns (uint256) {
        IStockOracle.PriceData memory data = IStockOracle(_storage().oracle).latestPrice(_listed(token).priceId);
        return uint256(int256(data.price)) * ORACLE_TO_WAD;
    }

    /// @inheritdoc IStock
    function getOrder(bytes32 orderId) public view returns (Order memory) {
        OrderState memory order = _load(orderId, false);
        bool isOpen = order.status == OrderStatus.Open;
        return Order({
            user: OperationId.userOf(orderId),
            stockToken: tokenAt(order.tokenIndex),
            amount: order.amount,
            lockedAmount: isOpen ? _remainingLock(order) : 0,
            exitAt: order.exitAt,
            thirdPartyPpm: order.thirdPartyPpm,
            protocolPpm: order.protocolPpm,
            status: order.status,
            filledQuantity: isOpen ? order.filledQuantity : 0,
            filledNotionalWad: isOpen ? order.filledNotionalWad : 0,
            limitPrice: order.limitPrice,
            isLimit: order.isLimit,
            cancelRequested: order.cancelRequested
        });
    }

    /// @inheritdoc IStock
    function getOrders(bytes32[] calldata orderIds) external view returns (Order[] memory orders) {
        orders = new Order[](orderIds.length);
        for (uint256 i; i < orderIds.length; ++i) {
            orders[i] = getOrder(orderIds[i]);
        }
    }

    /// @inheritdoc IStock
    function previewLock(int96 amount) external view returns (uint256) {
        if (amount < 0) return uint256(-int256(amount));
        return _buyLock(uint256(int256(amount)));
    }

    /// @inheritdoc IStock
    function previewLimitLock(int96 quantity, uint96 price) external view returns (uint256) {
        if (quantity < 0) return uint256(-int256(quantity));
        return _buyLock(Rounding.notionalUp(uint256(int256(quantity)), price));
    }

    /// @inheritdoc IStock
    function feeRates() external view returns (FeeRates memory) {
        StockStorage storage $ = _storage();
        return FeeRates($.buyThirdPartyPpm, $.buyProtocolPpm, $.sellThirdPartyPpm, $.sellProtocolPpm);
    }

    /// @inheritdoc IStock
    function exitDelaySec() external view returns (uint32) {
        return _storage().exitDelaySec;
    }

    /// @inheritdoc IStock
    function stockExitDelaySec() external view returns (uint32) {
        return _storage().stockExitDelaySec;
    }

    /// @inheritdoc IStock
    function lateSettlementSec() external view returns (uint32) {
        return _storage().lateSettlementSec;
    }

    /// @inheritdoc IStock
    function operationCounter() external view returns (uint64) {
        return _storage().operationCounter;
    }

    /// @inheritdoc IStock
    function listing(address token) external view returns (Listing memory) {
        ListingState storage item = _storage().listings[token];
        return Listing({
            tokenIndex: item.tokenIndex,
            priceId: item.priceId,
            depositPaused: item.depositPaused,
            withdrawPaused: item.withdrawPaused,
            terms: ListingTerms({
                tradable: item.tradable,
                maxDeviationPpm: item.maxDeviationPpm,
                maxLimitDeviationPpm: item.maxLimitDeviationPpm,
                maxPriceAgeSec: item.maxPriceAgeSec,
                mintCapacity: item.mintCapacity,
                mintPeriodSec: item.mintPeriodSec
            })
        });
    }

    /// @inheritdoc IStock
    function tokenIndex(address token) external view returns (uint16) {
        return _storage().listings[token].tokenIndex;
    }

    /// @inheritdoc IStock
    function tokenAt(uint16 index) public view returns (address) {
        StockStorage storage $ = _storage();
        return index == 0 || index > $.tokens.length ? address(0) : $.tokens[index - 1];
    }

    /// @inheritdoc IStock
    function tokenCount() external view returns (uint16) {
        return uint16(_storage().tokens.length);
    }

    /// @inheritdoc IStock
    function cashier() external view returns (address) {
        return _cashier;
    }

    /// @inheritdoc IStock
    function oracle() external view returns (address) {
        return _storage().oracle;
    }

    // --- inside ---

    function _pausedFlag() internal view override returns (bool) {
        return _storage().paused;
    }

    function _setPausedFlag(bool newFlag) internal override {
        _storage().paused = newFlag;
    }

    function _buyLock(uint256 notionalWad) private view returns (uint256) {
        StockStorage storage $ = _storage();
        return _withFees(notionalWad, $.buyThirdPartyPpm, $.buyProtocolPpm);
    }

    function _addListing(address token, string calldata ticker) private {
        StockStorage storage $ = _storage();
        ListingState storage item = $.listings[token];
        if (item.tokenIndex != 0) revert StockAlreadyListed();
        $.tokens.push(token);
        uint16 index = $.tokens.length.toUint16();
        bytes32 priceId = keccak256(bytes(ticker));
        item.tokenIndex = index;
        item.priceId = priceId;
        emit StockListed(token, index, priceId, ticker, IERC20Metadata(token).symbol(), IERC20Metadata(token).name());
    }

    function _updateListing(address token, ListingState storage item, ListingTerms calldata terms) private {
        if (terms.maxDeviationPpm == 0 || terms.maxDeviationPpm > terms.maxLimitDeviationPpm) revert InvalidConfig();
        if (terms.maxLimitDeviationPpm >= Rounding.PPM || terms.maxPriceAgeSec == 0) revert InvalidConfig();
        if (terms.mintPeriodSec == 0) revert InvalidConfig();
        item.tradable = terms.tradable;
        item.maxDeviationPpm = terms.maxDeviationPpm;
        item.maxLimitDeviationPpm = terms.maxLimitDeviationPpm;
        item.maxPriceAgeSec = terms.maxPriceAgeSec;
        item.mintCapacity = terms.mintCapacity;
        item.mintPeriodSec = terms.mintPeriodSec;
        emit ListingUpdated(token, terms);
    }

    function _setFeeRates(FeeRates calldata rates) private {
        if (rates.buyThirdPartyPpm > MAX_FEE_PPM || rates.buyProtocolPpm > MAX_FEE_PPM) revert InvalidConfig();
        if (rates.sellThirdPartyPpm > MAX_FEE_PPM || rates.sellProtocolPpm > MAX_FEE_PPM) revert InvalidConfig();
        StockStorage storage $ = _storage();
        $.buyThirdPartyPpm = rates.buyThirdPartyPpm;
        $.buyProtocolPpm = rates.buyProtocolPpm;
        $.sellThirdPartyPpm = rates.sellThirdPartyPpm;
        $.sellProtocolPpm = rates.sellProtocolPpm;
        emit FeeRatesUpdated(rates);
    }

    function _setExitDelay(uint32 newDelaySec) private {
        if (newDelaySec < MIN_EXIT_DELAY_SEC || newDelaySec > MAX_EXIT_DELAY_SEC) revert InvalidConfig();
        _storage().exitDelaySec = newDelaySec;
        emit ExitDelayUpdated(newDelaySec);
    }

    function _setStockExitDelay(uint32 newDelaySec) private {
        if (newDelaySec < MIN_EXIT_DELAY_SEC || newDelaySec > MAX_EXIT_DELAY_SEC) revert InvalidConfig();
        _storage().stockExitDelaySec = newDelaySec;
        emit StockExitDelayUpdated(newDelaySec);
    }

    function _setLateSettlement(uint32 newLateSettlementSec) private {
        if (newLateSettlementSec > MAX_LATE_SETTLEMENT_SEC) revert InvalidConfig();
        _storage().lateSettlementSec = newLateSettlementSec;
        emit LateSettlementUpdated(newLateSettlementSec);
    }

    function _setOracle(address newOracle) private {
        if (newOracle == address(0)) revert AddressCannotBeZero();
        emit OracleSet(_storage().oracle, newOracle);
        _storage().oracle = newOracle;
    }
}
