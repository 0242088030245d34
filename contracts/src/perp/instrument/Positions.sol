// SPDX-License-Identifier: MIT
pragma solidity ^0.8.28;

import {Amm, Position, PositionCache} from "../Types.sol";
import {Wad} from "../maths/Wad.sol";
import {Cast} from "./Cast.sol";

/// The four cumulative indices positions are measured against, per unit of size, in WAD.
struct Indices {
    uint256 longSocialLoss;
    uint256 shortSocialLoss;
    int256 longFunding;
    int256 shortFunding;
}

/// The algebra of isolated-margin positions: profit, equity, margin tests, combining. Source: perp-protocol 3.6.
library Positions {
    using Cast for int256;
    using Cast for uint256;

    function indicesOf(Amm storage amm) internal view returns (Indices memory) {
        return Indices(amm.longSocialLossIndex, amm.shortSocialLossIndex, amm.longFundingIndex, amm.shortFundingIndex);
    }

    /// A new position of `size` that starts at the current indices of its side.
    function open(Indices memory indices, int256 balance, int256 size, uint256 entryNotional)
        internal
        pure
        returns (PositionCache memory p)
    {
        p.balance = balance;
        p.size = size;
        p.entryNotional = entryNotional;
        _setIndices(p, indices);
    }

    /// Value of the size at `mark`.
    function valueAt(PositionCache memory p, uint256 mark) internal pure returns (uint256) {
        return Wad.mul(mark, p.size.abs());
    }

    /// Profit from price alone.
    function pricePnl(PositionCache memory p, uint256 mark) internal pure returns (int256) {
        int256 gain = int256(valueAt(p, mark)) - int256(p.entryNotional);
        return p.size < 0 ? -gain : gain;
    }

    function fundingFee(PositionCache memory p, Indices memory indices) internal pure returns (int256) {
        if (p.size == 0) return 0;
        int256 index = p.size > 0 ? indices.longFunding : indices.shortFunding;
        return Wad.mulInt(index - p.entryFundingIndex, int256(p.size.abs()));
    }

    function socialLoss(PositionCache memory p, Indices memory indices) internal pure returns (uint256) {
        if (p.size == 0) return 0;
        uint256 index = p.size > 0 ? indices.longSocialLoss : indices.shortSocialLoss;
        return Wad.mulUp(index - p.entrySocialLossIndex, p.size.abs());
    }

    /// Moves funding and social loss since the last touch into the balance; returns the funding.
    function realize(PositionCache memory p, Indices memory indices) internal pure returns (int256 funding) {
        funding = fundingFee(p, indices);
        p.balance += funding - int256(socialLoss(p, indices));
        _setIndices(p, indices);
    }

    /// The sum of two positions of one account: what opposes is closed against each other and its profit realised.
    /// Returns the closed size and the funding of both. A flat result keeps only its balance.
    function combine(PositionCache memory a, PositionCache memory b, Indices memory indices)
        internal
        pure
        returns (PositionCache memory sum, uint256 closed, int256 funding)
    {
        funding = realize(a, indices) + realize(b, indices);
        sum.balance = a.balance + b.balance;
        sum.size = a.size + b.size;
        if ((a.size >= 0) == (b.size >= 0) || a.size == 0 || b.size == 0) {
            sum.entryNotional = a.entryNotional + b.entryNotional;
        } else {
            (uint256 sizeA, uint256 sizeB) = (a.size.abs(), b.size.abs());
            closed = sizeA < sizeB ? sizeA : sizeB;
            uint256 closedA = sizeA == closed ? a.entryNotional : Wad.frac(a.entryNotional, closed, sizeA);
            uint256 closedB = sizeB == closed ? b.entryNotional : Wad.frac(b.entryNotional, closed, sizeB);
            sum.balance += a.size < 0 ? int256(closedA) - int256(closedB) : int256(closedB) - int256(closedA);
            sum.entryNotional = a.entryNotional + b.entryNotional - closedA - closedB;
        }
        _setIndices(sum, indices);
    }

    /// Whether the position, its funding and social loss realised and its profit ignored, meets the initial margin.
    function isImrSafe(PositionCache memory p, uint256 mark, uint256 imr) internal pure returns (bool) {
        int256 pnl = pricePnl(p, mark);
        return p.balance + (pnl < 0 ? pnl : int256(0)) >= int256(Wad.mulUp(valueAt(p, mark), imr));
    }

    /// Whether the realised position's equity meets the maintenance margin.
    function isMmrSafe(PositionCache memory p, uint256 mark, uint256 mmr) internal pure returns (bool) {
        return p.balance + pricePnl(p, mark) >= int256(Wad.mulUp(valueAt(p, mark), mmr));
    }

    /// What may leave the realised position: unrealised profit may not.
    function maxWithdrawable(PositionCache memory p, uint256 mark, uint256 imr) internal pure returns (uint256) {
        int256 pnl = pricePnl(p, mark);
        int256 free = p.balance + (pnl < 0 ? pnl : int256(0)) - int256(Wad.mulUp(Wad.mulUp(mark, p.size.abs()), imr));
        return free > 0 ? uint256(free) : 0;
    }

    /// The part of `p` that is `size`, at most all of it and with its sign; `p` keeps the rest. Balance and notional go
    /// pro rata, to nearest.
    function split(PositionCache memory p, int256 size) internal pure returns (PositionCache memory part) {
        part = copy(p);
        if (size == p.size) {
            (p.balance, p.size, p.entryNotional) = (0, 0, 0);
            _clearIndices(p);
            return part;
        }
        (uint256 partSize, uint256 wholeSize) = (size.abs(), p.size.abs());
        uint256 balance = Wad.frac(p.balance.abs(), partSize, wholeSize);
        part.size = size;
        part.balance = p.balance < 0 ? -int256(balance) : int256(balance);
        part.entryNotional = Wad.frac(p.entryNotional, partSize, wholeSize);
        p.size -= part.size;
        p.balance -= part.balance;
        p.entryNotional -= part.entryNotional;
    }

    /// Combining changes its arguments; what is returned and logged must stay as it was before.
    function copy(PositionCache memory p) internal pure returns (PositionCache memory) {
        return PositionCache(p.balance, p.size, p.entryNotional, p.entrySocialLossIndex, p.entryFundingIndex);
    }

    function unpack(Position storage stored) internal view returns (PositionCache memory) {
        return PositionCache(
            stored.balance, stored.size, stored.entryNotional, stored.entrySocialLossIndex, stored.entryFundingIndex
        );
    }

    function pack(PositionCache memory p) internal pure returns (Position memory) {
        return Position(
            p.balance.toInt128(),
            p.size.toInt128(),
            p.entryNotional.toUint128(),
            p.entrySocialLossIndex.toUint128(),
            p.entryFundingIndex.toInt128()
        );
    }

    function _clearIndices(PositionCache memory p) private pure {
        (p.entrySocialLossIndex, p.entryFundingIndex) = (0, 0);
    }

    function _setIndices(PositionCache memory p, Indices memory indices) private pure {
        if (p.size == 0) {
            _clearIndices(p);
        } else if (p.size > 0) {
            (p.entrySocialLossIndex, p.entryFundingIndex) = (indices.longSocialLoss, indices.longFunding);
        } else {
            (p.entrySocialLossIndex, p.entryFundingIndex) = (indices.shortSocialLoss, indices.shortFunding);
        }
    }
}
