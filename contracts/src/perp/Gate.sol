// SPDX-License-Identifier: MIT
pragma solidity ^0.8.28;

import {NATIVE_TOKEN, NATIVE_TOKEN_ALIAS} from "./Constants.sol";
import {InitializeOnce} from "./InitializeOnce.sol";
import {InstrumentProxy} from "./InstrumentProxy.sol";
import {Packed} from "./Packed.sol";
import {FundFlow, MarketInfo, Pending, Range, Setting} from "./Types.sol";
import {IConfig} from "./interfaces/IConfig.sol";
import {IGate} from "./interfaces/IGate.sol";
import {IInstrument} from "./interfaces/IInstrument.sol";
import {IMarket} from "./interfaces/IMarket.sol";
import {IWrappedNative} from "./interfaces/IWrappedNative.sol";
import {UUPSUpgradeable} from "@openzeppelin/contracts/proxy/utils/UUPSUpgradeable.sol";
import {IERC20} from "@openzeppelin/contracts/token/ERC20/IERC20.sol";
import {SafeERC20} from "@openzeppelin/contracts/token/ERC20/utils/SafeERC20.sol";
import {Address} from "@openzeppelin/contracts/utils/Address.sol";
import {Create2} from "@openzeppelin/contracts/utils/Create2.sol";
import {ReentrancyGuardTransient} from "@openzeppelin/contracts/utils/ReentrancyGuardTransient.sol";

/// The margin centre: users' free balances, what instruments hold, the only contract users approve, and the factory of
/// instruments. For every token its balance covers all reserves, instruments' too, and pending withdrawals. Source:
/// perp-protocol 1.3, 3.14; docs/decisions/perp-gate.md.
contract Gate is IGate, InitializeOnce, UUPSUpgradeable, ReentrancyGuardTransient {
    using SafeERC20 for IERC20;

    struct GateStorage {
        uint256 pendingDuration;
        bytes instrumentInitData;
        address[] instruments;
        mapping(address instrument => bytes32) indexOf;
        mapping(address quote => mapping(address trader => uint256)) reserveOf;
        mapping(address quote => mapping(address trader => FundFlow)) fundFlowOf;
        mapping(address quote => mapping(address trader => Pending)) pendingOf;
        mapping(address quote => uint256) thresholdOf;
        mapping(address trader => bool) isBlacklisted;
    }

    // The ERC-7201 slot of bourse.perp.Gate:
    // 0xd719560b4a07c3efc42c9495e6c2422ac9ce83e4263bff79f350e734a5805f00
    bytes32 private constant SLOT =
        keccak256(abi.encode(uint256(keccak256("bourse.perp.Gate")) - 1)) & ~bytes32(uint256(0xff));
    uint256 private constant DEFAULT_PENDING_DURATION = 1 days;
    uint256 private constant MAX_PENDING_DURATION = 7 days;

    /// @inheritdoc IGate
    address public immutable weth;
    /// @inheritdoc IGate
    address public immutable config;
    /// @inheritdoc IGate
    address public immutable handler;

    modifier onlyAdmin() {
        if (msg.sender != IConfig(config).owner()) revert NotSynFuturesV3Admin();
        _;
    }

    modifier onlyHandler() {
        if (msg.sender != handler) revert NotHandler();
        _;
    }

    modifier onlyInstrument() {
        if (_s().indexOf[msg.sender] == 0) revert NotInstrument();
        _;
    }

    constructor(address weth_, address config_, address handler_) {
        weth = weth_;
        config = config_;
        handler = handler_;
    }

    /// @inheritdoc IGate
    function initialize() external initializer {
        _s().pendingDuration = DEFAULT_PENDING_DURATION;
    }

    /// Unwrapped native coin on its way to a user; nothing else may arrive.
    receive() external payable {
        if (msg.sender != weth) revert NoDirectDeposit();
    }

    // Traders

    /// @inheritdoc IGate
    function deposit(bytes32 arg) external payable nonReentrant {
        _deposit(msg.sender, arg);
    }

    /// @inheritdoc IGate
    function depositFor(address trader, bytes32 arg) external payable nonReentrant onlyHandler {
        _deposit(trader, arg);
    }

    /// @inheritdoc IGate
    function withdraw(bytes32 arg) external nonReentrant {
        _withdraw(msg.sender, arg);
    }

    /// @inheritdoc IGate
    function withdrawFor(address trader, bytes32 arg) external nonReentrant onlyHandler {
        _withdraw(trader, arg);
    }

    /// @inheritdoc IGate
    function release(address quote, address trader) external nonReentrant {
        GateStorage storage $ = _s();
        Pending memory pending = $.pendingOf[quote][trader];
        if (pending.amount == 0 || block.timestamp < pending.timestamp + $.pendingDuration) {
            revert PendingWithdrawNotMature();
        }
        uint96 amount = pending.amount;
        bool native = pending.native;
        // What was released after waiting does not count against the threshold again.
        pending = Pending(0, false, 0, pending.exemption + amount);
        $.pendingOf[quote][trader] = pending;
        emit UpdatePending(quote, trader, pending);
        _pay(quote, trader, amount, native);
    }

    // Instruments

    /// @inheritdoc IGate
    /// @dev The tokens stay here: an instrument's money is its own reserve.
    function scatter(address quote, address trader, uint32 expiry, uint256 quantity)
        external
        nonReentrant
        onlyInstrument
    {
        GateStorage storage $ = _s();
        if ($.isBlacklisted[trader]) revert BlacklistedTrader();
        uint256 reserve = $.reserveOf[quote][trader];
        uint256 missing = reserve < quantity ? quantity - reserve : 0;
        // Everything is written before a token is called, which may call its owner back.
        $.reserveOf[quote][trader] = reserve + missing - quantity;
        $.reserveOf[quote][msg.sender] += quantity;
        if (missing == 0) {
            emit Scatter(quote, trader, msg.sender, expiry, quantity);
            return;
        }
        if (IERC20(quote).allowance(trader, address(this)) < missing) revert InsufficientReserve(quantity, reserve);
        $.fundFlowOf[quote][trader].totalIn += uint128(missing);
        emit Deposit(quote, trader, missing);
        emit Scatter(quote, trader, msg.sender, expiry, quantity);
        _pull(quote, trader, missing);
    }

    /// @inheritdoc IGate
    function gather(address quote, address trader, uint32 expiry, uint256 quantity)
        external
        nonReentrant
        onlyInstrument
    {
        GateStorage storage $ = _s();
        uint256 held = $.reserveOf[quote][msg.sender];
        if (held < quantity) revert InsufficientReserve(quantity, held);
        $.reserveOf[quote][msg.sender] = held - quantity;
        $.reserveOf[quote][trader] += quantity;
        emit Gather(quote, trader, msg.sender, expiry, quantity);
    }

    // Factory

    /// @inheritdoc IGate
    function launch(string calldata mtype, address instrument, bytes calldata data, bytes32[2] calldata addArgs)
        external
        returns (int24 tickLower, int24 tickUpper, Range memory range)
    {
        MarketInfo memory info = IConfig(config).getMarketInfo(mtype);
        if (info.market == address(0)) revert MarketTypeNotSupported();
        (bytes32 index, address base, bytes memory initData) = IMarket(info.market).prepareInstrument(instrument, data);
        address expected = Create2.computeAddress(
            index, keccak256(abi.encodePacked(type(InstrumentProxy).creationCode, abi.encode(info.beacon)))
        );
        if (instrument != expected) revert BadInstrumentAddress(expected, instrument);
        _create(instrument, base, index, info.beacon, initData);
        return IInstrument(instrument).init(msg.sender, addArgs);
    }

    // Owner of Config

    /// @inheritdoc IGate
    function setThreshold(address quote, uint256 threshold) external onlyAdmin {
        _s().thresholdOf[quote] = threshold;
        emit SetThreshold(quote, threshold);
    }

    /// @inheritdoc IGate
    function setPendingDuration(uint256 duration) external onlyAdmin {
        if (duration > MAX_PENDING_DURATION) revert PendingDurationTooLong();
        _s().pendingDuration = duration;
        emit SetPendingDuration(duration);
    }

    /// @inheritdoc IGate
    function setBlacklist(address trader, bool banned) external onlyAdmin {
        _s().isBlacklisted[trader] = banned;
        emit Blacklist(trader, banned);
    }

    // Views

    /// @inheritdoc IGate
    function instrumentInitData() external view returns (bytes memory) {
        return _s().instrumentInitData;
    }

    /// @inheritdoc IGate
    function reserveOf(address quote, address user) external view returns (uint256 balance) {
        return _s().reserveOf[quote][user];
    }

    /// @inheritdoc IGate
    function fundFlowOf(address quote, address trader) external view returns (FundFlow memory fundFlow) {
        return _s().fundFlowOf[quote][trader];
    }

    /// @inheritdoc IGate
    function pendingOf(address quote, address trader) external view returns (Pending memory pending) {
        return _s().pendingOf[quote][trader];
    }

    /// @inheritdoc IGate
    function thresholdOf(address quote) external view returns (uint256 threshold) {
        return _s().thresholdOf[quote];
    }

    /// @inheritdoc IGate
    function pendingDuration() external view returns (uint256) {
        return _s().pendingDuration;
    }

    /// @inheritdoc IGate
    function isBlacklisted(address user) external view returns (bool) {
        return _s().isBlacklisted[user];
    }

    /// @inheritdoc IGate
    function indexOf(address instrument) external view returns (bytes32 index) {
        return _s().indexOf[instrument];
    }

    /// @inheritdoc IGate
    function allInstruments(uint256 i) external view returns (address) {
        return _s().instruments[i];
    }

    /// @inheritdoc IGate
    function allInstrumentsLength() external view returns (uint256) {
        return _s().instruments.length;
    }

    /// @inheritdoc IGate
    function getAllInstruments() external view returns (address[] memory) {
        return _s().instruments;
    }

    // Inside

    function _deposit(address trader, bytes32 arg) private {
        GateStorage storage $ = _s();
        if ($.isBlacklisted[trader]) revert BlacklistedTrader();
        (address token, uint256 quantity) = Packed.token(arg);
        bool native = _isNative(token);
        if (msg.value != (native ? quantity : 0)) revert InvalidMsgValue();
        address quote = native ? weth : token;
        $.reserveOf[quote][trader] += quantity;
        $.fundFlowOf[quote][trader].totalIn += uint128(quantity);
        emit Deposit(native ? NATIVE_TOKEN : token, trader, quantity);
        if (native) IWrappedNative(weth).deposit{value: quantity}();
        else _pull(token, trader, quantity);
    }

    /// Pays at once while the trader's net outflow stays within the threshold; else all of it waits.
    function _withdraw(address trader, bytes32 arg) private {
        GateStorage storage $ = _s();
        (address token, uint256 quantity) = Packed.token(arg);
        bool native = _isNative(token);
        address quote = native ? weth : token;
        uint256 reserve = $.reserveOf[quote][trader];
        if (reserve < quantity) revert InsufficientReserve(quantity, reserve);
        $.reserveOf[quote][trader] = reserve - quantity;

        FundFlow memory flow = $.fundFlowOf[quote][trader];
        Pending memory pending = $.pendingOf[quote][trader];
        uint256 allowed = $.thresholdOf[quote];
        // A threshold near 2^256 means "no limit" and must not overflow the sum.
        if (allowed < type(uint128).max) allowed += uint256(pending.exemption) + flow.totalIn;
        if (flow.totalOut + uint256(pending.amount) + quantity > allowed) {
            pending = Pending(uint32(block.timestamp), native, pending.amount + uint96(quantity), pending.exemption);
            $.pendingOf[quote][trader] = pending;
            emit UpdatePending(quote, trader, pending);
        } else {
            _pay(quote, trader, quantity, native);
        }
    }

    function _pay(address quote, address trader, uint256 quantity, bool native) private {
        _s().fundFlowOf[quote][trader].totalOut += uint128(quantity);
        emit Withdraw(native ? NATIVE_TOKEN : quote, trader, quantity);
        if (native) {
            IWrappedNative(weth).withdraw(quantity);
            Address.sendValue(payable(trader), quantity);
        } else {
            IERC20(quote).safeTransfer(trader, quantity);
        }
    }

    /// Takes tokens from a wallet and insists that exactly these arrive.
    function _pull(address token, address from, uint256 quantity) private {
        uint256 before = IERC20(token).balanceOf(address(this));
        IERC20(token).safeTransferFrom(from, address(this), quantity);
        if (IERC20(token).balanceOf(address(this)) != before + quantity) revert UnsafeToken(token);
    }

    function _create(address instrument, address base, bytes32 index, address beacon, bytes memory initData) private {
        GateStorage storage $ = _s();
        if ($.indexOf[instrument] != 0) revert InstrumentExists();
        $.indexOf[instrument] = index;
        $.instruments.push(instrument);
        $.instrumentInitData = initData;
        try new InstrumentProxy{salt: index}(beacon) {
            delete $.instrumentInitData;
        } catch (bytes memory lowLevelData) {
            revert NewInstrumentFailed(lowLevelData);
        }
        Setting memory setting = IInstrument(instrument).getSetting();
        emit NewInstrument(index, instrument, base, setting.quote, setting.symbol, $.instruments.length);
    }

    function _isNative(address token) private pure returns (bool) {
        return token == NATIVE_TOKEN || token == NATIVE_TOKEN_ALIAS || token == address(0);
    }

    function _authorizeUpgrade(address) internal view override onlyAdmin {}

    function _s() private pure returns (GateStorage storage $) {
        bytes32 slot = SLOT;
        // A namespaced slot can be bound to a storage pointer in assembly only.
        assembly ("memory-safe") {
            $.slot := slot
        }
    }
}
