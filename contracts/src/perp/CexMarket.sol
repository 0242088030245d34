// SPDX-License-Identifier: MIT
pragma solidity ^0.8.28;

import {DAILY_INTEREST_WAD, PERP_EXPIRY, SETTLING_DURATION} from "./Constants.sol";
import {CexAccState, FeederType, PriceFeeder, QuoteType, Status} from "./Types.sol";
import {IConfig} from "./interfaces/IConfig.sol";
import {IAggregator, ICexMarket, IMarket} from "./interfaces/IMarket.sol";
import {Wad} from "./maths/Wad.sol";
import {IERC20Metadata} from "@openzeppelin/contracts/token/ERC20/extensions/IERC20Metadata.sol";

/// Spot, benchmark and mark prices of instruments from one feeder, or the quotient of two. A concrete market names its
/// type. Prices are WAD. Source: perp-protocol 1.7, 3.11; docs/decisions/perp-prices.md.
abstract contract CexMarket is ICexMarket {
    /// @inheritdoc IMarket
    address public immutable config;
    /// @inheritdoc IMarket
    address public immutable gate;

    /// `PriceFeeder` in two words.
    struct StoredFeeder {
        uint8 ftype;
        uint64 scaler0;
        address aggregator0;
        uint24 heartBeat1;
        uint24 heartBeat0;
        uint64 scaler1;
        address aggregator1;
    }

    mapping(address instrument => StoredFeeder) private _feeders;
    /// @inheritdoc IMarket
    address[] public instruments;
    mapping(address instrument => mapping(uint32 expiry => CexAccState)) private _accumulators;

    constructor(address config_, address gate_) {
        config = config_;
        gate = gate_;
    }

    /// @inheritdoc IMarket
    function getMarketType() public pure virtual returns (string memory);

    // Owner of Config

    /// @inheritdoc ICexMarket
    function setFeeder(address[] calldata instruments_, PriceFeeder[] calldata priceFeeders) external {
        if (msg.sender != IConfig(config).owner()) revert NotSynFuturesV3Admin();
        if (instruments_.length != priceFeeders.length) revert LengthMismatch();
        for (uint256 i; i < instruments_.length; ++i) {
            PriceFeeder memory feeder = priceFeeders[i];
            if (feeder.aggregator0 == address(0)) revert CexNoFeeder();
            if (feeder.scaler0 == 0) feeder.scaler0 = _scalerOf(feeder.aggregator0);
            if (feeder.aggregator1 != address(0) && feeder.scaler1 == 0) {
                feeder.scaler1 = _scalerOf(feeder.aggregator1);
            }
            _feeders[instruments_[i]] = StoredFeeder(
                feeder.ftype,
                feeder.scaler0,
                feeder.aggregator0,
                feeder.heartBeat1,
                feeder.heartBeat0,
                feeder.scaler1,
                feeder.aggregator1
            );
            emit SetFeeder(instruments_[i], feeder);
        }
    }

    // Gate

    /// @inheritdoc IMarket
    function prepareInstrument(address instrument, bytes calldata data)
        external
        returns (bytes32 index, address base, bytes memory initData)
    {
        if (msg.sender != gate) revert NotGate();
        (string memory baseSymbol, address quote) = abi.decode(data, (string, address));
        if (_feeders[instrument].aggregator0 == address(0)) revert CexNoFeeder();
        if (IConfig(config).getQuoteParam(quote).qtype == uint8(QuoteType.INVALID)) revert QuoteNotSupported();
        (uint8 decimals, string memory quoteSymbol) = _metadata(quote);
        instruments.push(instrument);
        string memory mtype = getMarketType();
        index = keccak256(abi.encode(mtype, baseSymbol, quote));
        initData = abi.encode(string.concat(baseSymbol, "-", quoteSymbol, "-", mtype), address(this), quote, decimals);
        return (index, address(0), initData);
    }

    // Instruments (msg.sender)

    /// @inheritdoc IMarket
    function markPrice(uint32 expiry, uint8 status) external returns (uint256 mark) {
        if (expiry == PERP_EXPIRY || status != uint8(Status.SETTLING)) return getMarkPrice(msg.sender, expiry, status);
        CexAccState memory state = _accumulators[msg.sender][expiry];
        uint32 time = _clock(expiry);
        if (state.initTime == 0) {
            state.initTime = time;
            state.initMark = uint224(getBenchmarkPrice(msg.sender, expiry));
        } else {
            state.accumulation += uint256(state.spot) * (time - state.time);
        }
        state.time = time;
        state.spot = uint224(getSpotPrice(msg.sender));
        _accumulators[msg.sender][expiry] = state;
        emit UpdateAccState(msg.sender, expiry, state);
        return _average(state, time);
    }

    /// @inheritdoc IMarket
    function clearStates(uint32 expiry) external {
        delete _accumulators[msg.sender][expiry];
    }

    // Views

    /// @inheritdoc IMarket
    function getMarkPrice(address instrument, uint32 expiry, uint8 status) public view returns (uint256 mark) {
        if (status > uint8(Status.SETTLING)) revert WrongStatusToFetchMarkPrice();
        if (expiry == PERP_EXPIRY) return getSpotPrice(instrument);
        CexAccState memory state = _accumulators[instrument][expiry];
        if (status != uint8(Status.SETTLING) || state.initTime == 0) return getBenchmarkPrice(instrument, expiry);
        return _average(state, _clock(expiry));
    }

    /// @inheritdoc IMarket
    /// @dev Refused when an answer is not positive or its time lies further from now than the heart beat.
    function getSpotPrice(address instrument) public view returns (uint256 spot) {
        StoredFeeder memory feeder = _feeders[instrument];
        if (feeder.aggregator0 == address(0)) revert CexNoFeeder();
        spot = _answer(feeder.aggregator0, feeder.heartBeat0) * feeder.scaler0;
        if (feeder.aggregator1 != address(0)) {
            spot = Wad.div(spot, _answer(feeder.aggregator1, feeder.heartBeat1) * feeder.scaler1);
        }
    }

    /// @inheritdoc IMarket
    function getBenchmarkPrice(address instrument, uint32 expiry) public view returns (uint256 benchmark) {
        uint256 spot = getSpotPrice(instrument);
        if (expiry == PERP_EXPIRY || block.timestamp >= expiry) return spot;
        uint256 carry = Wad.mulDown(spot, DAILY_INTEREST_WAD) * ((expiry - block.timestamp) / 1 days + 1);
        uint8 ftype = _feeders[instrument].ftype;
        if (ftype == uint8(FeederType.QUOTE_STABLE)) return spot + carry;
        if (ftype == uint8(FeederType.BASE_STABLE)) return spot > carry ? spot - carry : 0;
        return spot;
    }

    /// @inheritdoc IMarket
    /// @dev A market that never closes: all of it.
    function chargeableTime(uint256 elapsed) external view virtual returns (uint256) {
        return elapsed;
    }

    /// @inheritdoc ICexMarket
    function feeders(address instrument)
        external
        view
        returns (
            uint8 ftype,
            uint64 scaler0,
            address aggregator0,
            uint24 heartBeat0,
            uint64 scaler1,
            address aggregator1,
            uint24 heartBeat1
        )
    {
        StoredFeeder storage f = _feeders[instrument];
        (ftype, scaler0, aggregator0, heartBeat0) = (f.ftype, f.scaler0, f.aggregator0, f.heartBeat0);
        (scaler1, aggregator1, heartBeat1) = (f.scaler1, f.aggregator1, f.heartBeat1);
    }

    /// @inheritdoc ICexMarket
    function getAccState(address instrument, uint32 expiry) external view returns (CexAccState memory) {
        return _accumulators[instrument][expiry];
    }

    /// @inheritdoc IMarket
    function getAllInstruments() external view returns (address[] memory) {
        return instruments;
    }

    /// @inheritdoc IMarket
    function instrumentsLength() external view returns (uint256) {
        return instruments.length;
    }

    // Inside

    /// The settling mark: the mark at entry, replaced second by second by the spot that was seen.
    function _average(CexAccState memory state, uint32 time) private pure returns (uint256) {
        uint256 accumulation = state.accumulation + uint256(state.spot) * (time - state.time);
        uint256 elapsed = time - state.initTime;
        return (state.initMark * (SETTLING_DURATION - elapsed) + accumulation) / SETTLING_DURATION;
    }

    /// Now, but never past the end of the settling window.
    function _clock(uint32 expiry) private view returns (uint32) {
        return block.timestamp < expiry ? uint32(block.timestamp) : expiry;
    }

    function _answer(address aggregator, uint24 heartBeat) private view returns (uint256) {
        (, int256 answer,, uint256 updatedAt,) = IAggregator(aggregator).latestRoundData();
        uint256 age = updatedAt > block.timestamp ? updatedAt - block.timestamp : block.timestamp - updatedAt;
        if (answer <= 0 || age > heartBeat) revert InvalidCexPrice(aggregator);
        return uint256(answer);
    }

    function _scalerOf(address aggregator) private view returns (uint64) {
        uint8 decimals = IAggregator(aggregator).decimals();
        if (decimals > 18) revert DecimalsExceed();
        return uint64(10 ** (18 - decimals));
    }

    function _metadata(address token) private view returns (uint8 decimals, string memory symbol) {
        try IERC20Metadata(token).decimals() returns (uint8 value) {
            decimals = value;
        } catch {
            revert GetErc20DecimalsFailed(token);
        }
        if (decimals > 18) revert DecimalsExceed();
        try IERC20Metadata(token).symbol() returns (string memory value) {
            symbol = value;
        } catch {
            revert GetErc20SymbolFailed(token);
        }
    }
}

/// Instruments priced by Chainlink feeds.
contract LinkMarket is CexMarket {
    constructor(address config_, address gate_) CexMarket(config_, gate_) {}

    /// @inheritdoc CexMarket
    function getMarketType() public pure override returns (string memory) {
        return "LINK";
    }
}
