// SPDX-License-Identifier: MIT
pragma solidity ^0.8.28;

import {NATIVE_TOKEN, NATIVE_TOKEN_ALIAS, ORDER_SPACING, PEARL_SPACING, RANGE_SPACING} from "./Constants.sol";
import {
    Amm,
    BlockInfo,
    CurveState,
    MinimalPearl,
    OnChainContext,
    Pearl,
    Portfolio,
    PriceData,
    Quotation,
    QuoteState,
    Record,
    Setting,
    Spacing,
    Status
} from "./Types.sol";
import {IConfig} from "./interfaces/IConfig.sol";
import {IGate} from "./interfaces/IGate.sol";
import {IInstrument} from "./interfaces/IInstrument.sol";
import {IAggregator, ICexMarket, IMarket} from "./interfaces/IMarket.sol";
import {IDexV2Factory, IDexV2Market, IDexV2Pair, IObserver} from "./interfaces/IObserver.sol";
import {Depth} from "./observer/Depth.sol";
import {IERC20Metadata} from "@openzeppelin/contracts/token/ERC20/extensions/IERC20Metadata.sol";

/// Batch reader without state. A price that its market refuses (stale feed) reads as 0 here, and so does the time of a
/// feed that gives no answer, so that the rest of a pair, and every other pair, stays readable; quotations do revert.
/// Source: perp-protocol 1.6; docs/decisions/perp-observer.md.
contract Observer is IObserver {
    error LengthMismatch();

    IGate private immutable _gate;

    constructor(address gate) {
        _gate = IGate(gate);
    }

    // Pairs and accounts

    /// @inheritdoc IObserver
    function fetchOnChainContext(address instrument, uint32 expiry, address trader, int256 signedSize)
        external
        view
        returns (OnChainContext memory context)
    {
        IInstrument source = IInstrument(instrument);
        context.setting = source.getSetting();
        context.condition = source.condition();
        context.amm = source.getAmm(expiry);
        context.priceData = _priceData(instrument, expiry);
        if (trader != address(0)) context.portfolio = source.getPortfolio(expiry, trader);
        if (signedSize != 0) context.quotation = source.inquire(expiry, signedSize);
        context.quoteState = _quoteState(trader, context.setting.quote);
        context.spacing = _spacing();
        context.blockInfo = _blockInfo();
    }

    /// @inheritdoc IObserver
    function getInstrument(address instrument, uint32 expiry)
        external
        view
        returns (
            Setting memory setting,
            Amm memory amm,
            PriceData memory priceData,
            Spacing memory spacing,
            BlockInfo memory blockInfo
        )
    {
        IInstrument source = IInstrument(instrument);
        return (source.getSetting(), source.getAmm(expiry), _priceData(instrument, expiry), _spacing(), _blockInfo());
    }

    /// @inheritdoc IObserver
    function getAllInstrumentList() external view returns (address[] memory instrumentList) {
        return _gate.getAllInstruments();
    }

    /// @inheritdoc IObserver
    function getPortfolio(address instrument, uint32 expiry, address trader)
        external
        view
        returns (Portfolio memory portfolio, BlockInfo memory blockInfo)
    {
        return (IInstrument(instrument).getPortfolio(expiry, trader), _blockInfo());
    }

    /// @inheritdoc IObserver
    function getPriceData(address[] calldata instruments, uint32[] calldata expiries)
        external
        view
        returns (PriceData[] memory prices, BlockInfo memory blockInfo)
    {
        if (instruments.length != expiries.length) revert LengthMismatch();
        prices = new PriceData[](instruments.length);
        for (uint256 i; i < prices.length; ++i) {
            prices[i] = _priceData(instruments[i], expiries[i]);
        }
        return (prices, _blockInfo());
    }

    /// @inheritdoc IObserver
    function getQuoteStates(address trader, address[] calldata quotes)
        external
        view
        returns (QuoteState[] memory states, BlockInfo memory blockInfo)
    {
        states = new QuoteState[](quotes.length);
        for (uint256 i; i < quotes.length; ++i) {
            states[i] = _quoteState(trader, quotes[i]);
        }
        return (states, _blockInfo());
    }

    // Ticks

    /// @inheritdoc IObserver
    function getPearls(address instrument, uint32 expiry, int24[] calldata tids)
        external
        view
        returns (Pearl[] memory)
    {
        return IInstrument(instrument).getPearls(expiry, tids);
    }

    /// @inheritdoc IObserver
    function getRecords(address instrument, uint32 expiry, int24[] calldata tids, uint24[] calldata nonces)
        external
        view
        returns (Record[] memory)
    {
        if (tids.length != nonces.length) revert LengthMismatch();
        return IInstrument(instrument).getRecords(expiry, tids, nonces);
    }

    /// @inheritdoc IObserver
    function getTickBitmaps(address instrument, uint32 expiry, int16[] calldata tbids)
        external
        view
        returns (uint256[] memory)
    {
        return IInstrument(instrument).getTickBitmaps(expiry, tbids);
    }

    /// @inheritdoc IObserver
    function liquidityDetails(address instrument, uint32 expiry, uint24 tickDelta)
        external
        view
        returns (CurveState memory amm, int24[] memory tids, MinimalPearl[] memory pearls, BlockInfo memory blockInfo)
    {
        Amm memory pool = IInstrument(instrument).getAmm(expiry);
        amm = CurveState(pool.sqrtPX96, pool.tick, pool.liquidity);
        // More than the whole range of ticks is the whole range.
        int24 delta = tickDelta > 2 ** 22 ? int24(2 ** 22) : int24(tickDelta);
        tids = Depth.ticksIn(IInstrument(instrument), expiry, pool.tick - delta, pool.tick + delta);
        Pearl[] memory full = IInstrument(instrument).getPearls(expiry, tids);
        pearls = new MinimalPearl[](full.length);
        for (uint256 i; i < full.length; ++i) {
            pearls[i] = MinimalPearl(full[i].liquidityNet, full[i].left);
        }
        blockInfo = _blockInfo();
    }

    // Quotations

    /// @inheritdoc IObserver
    function inquireByBase(address instrument, uint32 expiry, int256 signedSize)
        external
        view
        returns (Quotation memory quotation, BlockInfo memory blockInfo)
    {
        return (IInstrument(instrument).inquire(expiry, signedSize), _blockInfo());
    }

    /// @inheritdoc IObserver
    function inquireByQuote(address instrument, uint32 expiry, uint256 notional, bool long)
        external
        view
        returns (int256 size, Quotation memory quotation, BlockInfo memory blockInfo)
    {
        size = getBaseSizeByQuote(instrument, expiry, notional, long);
        return (size, IInstrument(instrument).inquire(expiry, size), _blockInfo());
    }

    /// @inheritdoc IObserver
    function inquireByTick(address instrument, uint32 expiry, int24 tick)
        external
        view
        returns (int256 size, Quotation memory quotation, BlockInfo memory blockInfo)
    {
        size = getBaseSizeByTick(instrument, expiry, tick);
        return (size, IInstrument(instrument).inquire(expiry, size), _blockInfo());
    }

    /// @inheritdoc IObserver
    function getBaseSizeByTick(address instrument, uint32 expiry, int24 destTick) public view returns (int256) {
        return Depth.sizeToTick(IInstrument(instrument), expiry, destTick);
    }

    /// @inheritdoc IObserver
    function getBaseSizeByQuote(address instrument, uint32 expiry, uint256 notional, bool long)
        public
        view
        returns (int256)
    {
        return Depth.sizeByQuote(IInstrument(instrument), expiry, notional, long);
    }

    // Other exchanges

    /// @inheritdoc IObserver
    function inspectMaxReserveDexV2Pair(address base, address quote)
        external
        view
        returns (address maxReservePair, uint112 reserve0, uint112 reserve1)
    {
        address market = IConfig(_gate.config()).getMarketInfo("DEXV2").market;
        if (market == address(0)) return (maxReservePair, reserve0, reserve1);
        address[] memory factories = IDexV2Market(market).getDexV2Factories();
        uint112 most;
        for (uint256 i; i < factories.length; ++i) {
            address pair = IDexV2Factory(factories[i]).getPair(base, quote);
            if (pair == address(0)) continue;
            (uint112 a, uint112 b,) = IDexV2Pair(pair).getReserves();
            uint112 quoteReserve = IDexV2Pair(pair).token0() == quote ? a : b;
            if (quoteReserve > most) (most, maxReservePair, reserve0, reserve1) = (quoteReserve, pair, a, b);
        }
    }

    // Inside

    function _priceData(address instrument, uint32 expiry) private view returns (PriceData memory data) {
        data.instrument = instrument;
        data.expiry = expiry;
        IMarket market = IMarket(IInstrument(instrument).getSetting().market);
        Amm memory amm = IInstrument(instrument).getAmm(expiry);
        if (amm.status == uint8(Status.SETTLED)) {
            data.markPrice = amm.settlementPrice;
        } else {
            try market.getMarkPrice(instrument, expiry, amm.status) returns (uint256 mark) {
                data.markPrice = mark;
            } catch {}
        }
        try market.getSpotPrice(instrument) returns (uint256 spot) {
            data.spotPrice = spot;
        } catch {}
        try market.getBenchmarkPrice(instrument, expiry) returns (uint256 benchmark) {
            data.benchmarkPrice = benchmark;
        } catch {}
        try ICexMarket(address(market)).feeders(instrument) returns (
            uint8, uint64, address aggregator0, uint24, uint64, address aggregator1, uint24
        ) {
            (data.feeder0, data.feeder1) = (aggregator0, aggregator1);
            data.feeder0UpdatedAt = _updatedAt(aggregator0);
            data.feeder1UpdatedAt = _updatedAt(aggregator1);
        } catch {}
    }

    /// 0 of a feed that reverts, is no contract, or answers something else. Asked for by hand, since `try` lets the
    /// last two revert.
    function _updatedAt(address aggregator) private view returns (uint256 updatedAt) {
        (bool answered, bytes memory data) = aggregator.staticcall(abi.encodeCall(IAggregator.latestRoundData, ()));
        if (!answered || data.length < 160) return 0;
        (,,, updatedAt,) = abi.decode(data, (uint256, int256, uint256, uint256, uint256));
    }

    function _quoteState(address trader, address quote) private view returns (QuoteState memory state) {
        bool native = quote == NATIVE_TOKEN || quote == NATIVE_TOKEN_ALIAS || quote == address(0);
        address token = native ? _gate.weth() : quote;
        state.quote = quote;
        state.decimals = IERC20Metadata(token).decimals();
        state.symbol = IERC20Metadata(token).symbol();
        state.threshold = _gate.thresholdOf(token);
        if (trader == address(0)) return state;
        state.reserve = _gate.reserveOf(token, trader);
        state.balance = native ? trader.balance : IERC20Metadata(token).balanceOf(trader);
        state.allowance = native ? type(uint256).max : IERC20Metadata(token).allowance(trader, address(_gate));
        state.fundFlow = _gate.fundFlowOf(token, trader);
        state.pending = _gate.pendingOf(token, trader);
    }

    function _spacing() private pure returns (Spacing memory) {
        return Spacing(PEARL_SPACING, ORDER_SPACING, RANGE_SPACING);
    }

    function _blockInfo() private view returns (BlockInfo memory) {
        return BlockInfo(uint32(block.timestamp), uint32(block.number));
    }
}
