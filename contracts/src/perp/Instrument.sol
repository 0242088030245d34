// SPDX-License-Identifier: MIT
pragma solidity ^0.8.28;

import {DEFAULT_INITIAL_MARGIN_RATIO, DEFAULT_MAINTENANCE_MARGIN_RATIO, PERP_EXPIRY, RATIO_BASE} from "./Constants.sol";
import {Packed} from "./Packed.sol";
import {QuoteParams} from "./QuoteParams.sol";
import {
    Amm,
    Condition,
    Order,
    Pearl,
    Portfolio,
    PositionCache,
    Quotation,
    QuoteParam,
    Range,
    Record,
    Setting
} from "./Types.sol";
import {Liquidations} from "./instrument/Liquidations.sol";
import {Orders} from "./instrument/Orders.sol";
import {Quotations} from "./instrument/Quotations.sol";
import {Ranges} from "./instrument/Ranges.sol";
import {Readers} from "./instrument/Readers.sol";
import {Settlement} from "./instrument/Settlement.sol";
import {Context, State, Store} from "./instrument/Store.sol";
import {Trades} from "./instrument/Trades.sol";
import {Treasury} from "./instrument/Treasury.sol";
import {Upkeep} from "./instrument/Upkeep.sol";
import {IConfig} from "./interfaces/IConfig.sol";
import {IGate} from "./interfaces/IGate.sol";
import {IInstrument} from "./interfaces/IInstrument.sol";
import {IInstrumentErrors} from "./interfaces/IInstrumentErrors.sol";
import {IInstrumentRisk, IInstrumentRiskErrors} from "./interfaces/IInstrumentRisk.sol";
import {Address} from "@openzeppelin/contracts/utils/Address.sol";

/// One market and all its expiries: who may call what. The actions themselves live in linked libraries that share
/// its storage. Source: perp-protocol 1.5.
contract Instrument is IInstrument, IInstrumentRisk, IInstrumentErrors, IInstrumentRiskErrors {
    /// @inheritdoc IInstrument
    address public immutable handler;

    bool private transient _entered;

    /// One lock over all actions. `multicall` holds none: each call inside takes it.
    modifier nonReentrant() {
        if (_entered) revert Locked();
        _entered = true;
        _;
        _entered = false;
    }

    modifier onlyGate() {
        if (msg.sender != Store.load().gate) revert NotGate();
        _;
    }

    modifier onlyHandler() {
        if (msg.sender != handler) revert NotHandler();
        _;
    }

    modifier onlyAdmin() {
        if (msg.sender != IConfig(Store.load().config).owner()) revert NotSynFuturesV3Admin();
        _;
    }

    constructor(address handler_) {
        handler = handler_;
        // No Gate can call itself this: the implementation stays uninitialised for ever.
        Store.load().gate = address(this);
    }

    // Gate

    /// @inheritdoc IInstrument
    function initialize(bytes calldata data) external {
        State storage s = Store.load();
        if (s.gate != address(0)) revert AlreadyInitialized();
        (s.gate, s.config) = (msg.sender, IGate(msg.sender).config());
        (s.symbol, s.market, s.quote, s.decimals) = abi.decode(data, (string, address, address, uint8));
        s.initialMarginRatio = DEFAULT_INITIAL_MARGIN_RATIO;
        s.maintenanceMarginRatio = DEFAULT_MAINTENANCE_MARGIN_RATIO;
        _setParam(s, IConfig(s.config).getQuoteParam(s.quote));
    }

    /// @inheritdoc IInstrument
    function init(address target, bytes32[2] calldata args)
        external
        nonReentrant
        onlyGate
        returns (int24 tickLower, int24 tickUpper, Range memory range)
    {
        return Ranges.add(target, args);
    }

    // Traders

    /// @inheritdoc IInstrument
    function trade(bytes32[2] calldata args) external nonReentrant returns (PositionCache memory) {
        return Trades.trade(msg.sender, args);
    }

    /// @inheritdoc IInstrument
    function place(bytes32[2] calldata args) external nonReentrant returns (uint24 nonce, Order memory order) {
        return Orders.place(msg.sender, args);
    }

    /// @inheritdoc IInstrument
    function batchPlace(bytes32[3] calldata args)
        external
        nonReentrant
        returns (uint24[] memory nonces, Order[] memory orders)
    {
        return Orders.batchPlace(msg.sender, args);
    }

    /// @inheritdoc IInstrument
    function cancel(bytes32 arg) external nonReentrant returns (bool[8] memory succees, PositionCache[8] memory pics) {
        return Orders.cancel(msg.sender, arg);
    }

    /// @inheritdoc IInstrument
    function add(bytes32[2] calldata args)
        external
        nonReentrant
        returns (int24 tickLower, int24 tickUpper, Range memory range)
    {
        return Ranges.add(msg.sender, args);
    }

    /// @inheritdoc IInstrument
    function remove(bytes32[2] calldata args)
        external
        nonReentrant
        returns (PositionCache memory pic, uint256 fee, uint256 tip)
    {
        return Ranges.remove(msg.sender, args);
    }

    // Anybody

    /// @inheritdoc IInstrument
    function fill(bytes32 arg) external nonReentrant returns (PositionCache memory pic, uint256 tip) {
        return Orders.fill(msg.sender, arg);
    }

    /// @inheritdoc IInstrument
    function update(uint32 expiry) external nonReentrant {
        Upkeep.update(expiry);
    }

    /// @inheritdoc IInstrumentRisk
    function liquidate(uint32 expiry, address target, int256 size, uint256 amount) external nonReentrant {
        Liquidations.liquidate(msg.sender, expiry, target, size, amount);
    }

    /// @inheritdoc IInstrumentRisk
    function sweep(uint32 expiry, address target, int256 size) external nonReentrant {
        Liquidations.sweep(msg.sender, expiry, target, size);
    }

    /// @inheritdoc IInstrumentRisk
    function settle(uint32 expiry, address target) external nonReentrant {
        Settlement.settle(msg.sender, expiry, target);
    }

    /// @inheritdoc IInstrumentRisk
    function donateInsuranceFund(uint32 expiry, uint256 amount) external nonReentrant {
        Treasury.donate(msg.sender, expiry, amount);
    }

    /// @inheritdoc IInstrument
    function multicall(bytes[] calldata data) external returns (bytes[] memory results) {
        results = new bytes[](data.length);
        for (uint256 i; i < data.length; ++i) {
            results[i] = Address.functionDelegateCall(address(this), data[i]);
        }
    }

    // Handler, for a user who delegated to it

    /// @inheritdoc IInstrument
    function tradeFor(address to, bytes32[2] calldata args)
        external
        nonReentrant
        onlyHandler
        returns (PositionCache memory)
    {
        return Trades.trade(to, args);
    }

    /// @inheritdoc IInstrument
    function placeFor(address to, bytes32[2] calldata args)
        external
        nonReentrant
        onlyHandler
        returns (uint24 nonce, Order memory order)
    {
        return Orders.place(to, args);
    }

    /// @inheritdoc IInstrument
    function batchPlaceFor(address to, bytes32[3] calldata args)
        external
        nonReentrant
        onlyHandler
        returns (uint24[] memory nonces, Order[] memory orders)
    {
        return Orders.batchPlace(to, args);
    }

    /// @inheritdoc IInstrument
    function cancelFor(address to, bytes32 arg)
        external
        nonReentrant
        onlyHandler
        returns (bool[8] memory succees, PositionCache[8] memory pics)
    {
        return Orders.cancel(to, arg);
    }

    /// @inheritdoc IInstrument
    function addFor(address to, bytes32[2] calldata args)
        external
        nonReentrant
        onlyHandler
        returns (int24 tickLower, int24 tickUpper, Range memory range)
    {
        return Ranges.add(to, args);
    }

    /// @inheritdoc IInstrument
    function removeFor(bytes32[2] calldata args)
        external
        nonReentrant
        onlyHandler
        returns (PositionCache memory pic, uint256 fee, uint256 tip)
    {
        return Ranges.remove(Packed.remove(args).target, args);
    }

    // Owner of Config; the guardian where it makes things safer

    /// @inheritdoc IInstrument
    function freeze() external nonReentrant {
        _checkGuardian();
        State storage s = Store.load();
        if (s.condition != uint8(Condition.NORMAL)) revert BadInstrumentCondition();
        _setCondition(s, Condition.FROZEN);
    }

    /// @inheritdoc IInstrument
    function normalize() external nonReentrant onlyAdmin {
        State storage s = Store.load();
        if (s.condition != uint8(Condition.FROZEN)) revert BadInstrumentCondition();
        Context storage perp = s.contexts[PERP_EXPIRY];
        if (perp.amm.timestamp != 0) perp.amm.timestamp = uint32(block.timestamp);
        _setCondition(s, Condition.NORMAL);
    }

    /// @inheritdoc IInstrumentRisk
    function resolve(uint128 settlementPrice) external nonReentrant onlyAdmin {
        Settlement.resolve(settlementPrice);
    }

    /// @inheritdoc IInstrumentRisk
    function claimProtocolFee(uint32 expiry) external nonReentrant onlyAdmin {
        Treasury.claim(msg.sender, expiry);
    }

    /// @inheritdoc IInstrumentRisk
    function recycleInsuranceFund(uint32 expiry) external nonReentrant onlyAdmin {
        Treasury.recycle(msg.sender, expiry);
    }

    /// @inheritdoc IInstrument
    function setLeverage(uint16 initialMarginRatio, uint16 maintenanceMarginRatio) external nonReentrant onlyAdmin {
        if (initialMarginRatio >= RATIO_BASE || initialMarginRatio <= maintenanceMarginRatio) {
            revert BadInitialMarginRatio();
        }
        if (maintenanceMarginRatio == 0) revert BadMaintenanceMarginRatio();
        State storage s = Store.load();
        (s.initialMarginRatio, s.maintenanceMarginRatio) = (initialMarginRatio, maintenanceMarginRatio);
        emit UpdateMarginRatio(initialMarginRatio, maintenanceMarginRatio);
    }

    /// @inheritdoc IInstrument
    function setQuoteParam(QuoteParam calldata param) external nonReentrant onlyAdmin {
        QuoteParams.check(param);
        _setParam(Store.load(), param);
    }

    /// @inheritdoc IInstrument
    function setFundingHour(uint8 newFundingHour) external nonReentrant onlyAdmin {
        Upkeep.settleFunding();
        Store.load().fundingHour = newFundingHour;
        emit UpdateFundingHour(newFundingHour);
    }

    /// @inheritdoc IInstrument
    function setPlacePaused(bool paused) external nonReentrant {
        if (paused) _checkGuardian();
        else _checkAdmin();
        Store.load().placePaused = paused;
    }

    /// @inheritdoc IInstrument
    function setDisableOrderRebate(bool disable) external nonReentrant onlyAdmin {
        Store.load().disableOrderRebate = disable;
    }

    // Views

    /// @inheritdoc IInstrument
    function condition() external view returns (uint8) {
        return Store.load().condition;
    }

    /// @inheritdoc IInstrument
    function getExpiries() external view returns (uint32[] memory) {
        return Store.load().expiries;
    }

    /// @inheritdoc IInstrument
    function inquire(uint32 expiry, int256 size) external view returns (Quotation memory) {
        return Quotations.inquire(expiry, size);
    }

    /// @inheritdoc IInstrument
    function getSetting() external view returns (Setting memory) {
        return Readers.setting();
    }

    /// @inheritdoc IInstrument
    function getAmm(uint32 expiry) external view returns (Amm memory) {
        return Store.load().contexts[expiry].amm;
    }

    /// @inheritdoc IInstrument
    function getPortfolio(uint32 expiry, address trader) external view returns (Portfolio memory) {
        return Readers.portfolio(expiry, trader);
    }

    /// @inheritdoc IInstrument
    function getPearls(uint32 expiry, int24[] calldata ticks) external view returns (Pearl[] memory) {
        return Readers.pearls(expiry, ticks);
    }

    /// @inheritdoc IInstrument
    function getRecords(uint32 expiry, int24[] calldata ticks, uint24[] calldata nonces)
        external
        view
        returns (Record[] memory)
    {
        return Readers.records(expiry, ticks, nonces);
    }

    /// @inheritdoc IInstrument
    function getTickBitmaps(uint32 expiry, int16[] calldata words) external view returns (uint256[] memory) {
        return Readers.tickBitmaps(expiry, words);
    }

    // Inside

    function _checkAdmin() private view onlyAdmin {}

    function _checkGuardian() private view {
        IConfig config = IConfig(Store.load().config);
        if (msg.sender != config.owner() && msg.sender != config.guardian()) revert NotSynFuturesV3Admin();
    }

    function _setCondition(State storage s, Condition newCondition) private {
        s.condition = uint8(newCondition);
        emit UpdateCondition(uint32(block.timestamp), uint8(newCondition));
    }

    /// `param` within the bounds of `QuoteParams`, which both amounts fit by.
    function _setParam(State storage s, QuoteParam memory param) private {
        s.minMarginAmount = uint96(param.minMarginAmount);
        s.tradingFeeRatio = param.tradingFeeRatio;
        s.protocolFeeRatio = param.protocolFeeRatio;
        s.qtype = param.qtype;
        s.tip = uint96(param.tip);
        emit UpdateParam(param);
    }
}
