// SPDX-License-Identifier: MIT
pragma solidity ^0.8.28;

import {MAX_LIQUIDITY_PER_TICK} from "../Constants.sol";
import {Packed} from "../Packed.sol";
import {Record} from "../Types.sol";
import {IInstrumentErrors} from "../interfaces/IInstrumentErrors.sol";
import {Wad} from "../maths/Wad.sol";
import {Cast} from "./Cast.sol";
import {Indices} from "./Positions.sol";
import {Context, RestingOrder, StoredPearl} from "./Store.sol";
import {TickBitmap} from "./TickBitmap.sol";

/// What a maker gets when claiming a taken size: its rebate and the indices its position starts from.
struct Claim {
    uint256 fee;
    uint256 entrySocialLossIndex;
    int256 entryFundingIndex;
}

/// Ticks: liquidity edges, and generations of limit orders. All orders placed at a tick before anything of it was
/// taken share a generation (nonce); later ones wait in the next. When the last of a generation is taken or cancelled,
/// what is unclaimed of it is frozen into a record and the next one begins. Sizes are signed by the maker's side. Source: perp-protocol 2.5, 3.4.
library Pearls {
    using Cast for int256;
    using Cast for uint256;
    using TickBitmap for mapping(int16 => uint256);

    /// Rests `size` at `tick` and returns its generation. A generation of which something was already taken admits
    /// nobody, for the newcomer could claim what was taken before it came: it waits in the next one, which is taken
    /// after this one is finished. See docs/decisions/perp-orders.md. A generation is never used twice: the last
    /// number is given to nobody (`ReuseNonEmptyRecord`).
    function rest(Context storage c, int24 tick, int96 size) internal returns (uint24 nonce) {
        StoredPearl storage pearl = c.pearls[tick];
        nonce = pearl.nonce;
        bool mustWait = pearl.taken != 0 || pearl.hasWaiting;
        _setLeft(c, pearl, tick, int256(pearl.left) + size);
        if (mustWait) {
            _setWaiting(pearl, int256(waitingOf(pearl)) + size);
            ++nonce;
        }
        if (nonce == type(uint24).max) revert IInstrumentErrors.ReuseNonEmptyRecord();
    }

    /// Takes `taken` (signed as the makers') at `tick` for `value` and credits the makers with their share of the
    /// trading fee, which is returned.
    function take(
        Context storage c,
        int24 tick,
        int256 taken,
        uint256 value,
        uint256 rebateRatioWad,
        Indices memory indices
    ) internal returns (uint256 fee) {
        StoredPearl storage pearl = c.pearls[tick];
        fee = Wad.mulDown(value, rebateRatioWad);
        Record memory all = _addTaken(pearl, taken, fee, indices);
        int256 left = pearl.left - taken;
        if (left == waitingOf(pearl)) {
            _freeze(c, pearl, tick, all);
        } else {
            pearl.taken = int256(all.taken).toInt96();
            pearl.fee = all.fee;
            (pearl.entrySocialLossIndex, pearl.entryFundingIndex) = (all.entrySocialLossIndex, all.entryFundingIndex);
        }
        _setLeft(c, pearl, tick, left);
    }

    /// Withdraws an order. Returns the part of it that was taken, and the claim that goes with it. While the rest of
    /// the tick covers the order it leaves untouched; else it gets the whole rest back and owns a taken part.
    function withdraw(Context storage c, int24 tick, RestingOrder memory order)
        internal
        returns (int256 filled, Claim memory claim)
    {
        StoredPearl storage pearl = c.pearls[tick];
        int96 waiting = waitingOf(pearl);
        if (_waits(pearl, order)) {
            _setWaiting(pearl, int256(waiting) - order.size);
            _setLeft(c, pearl, tick, int256(pearl.left) - order.size);
            return (filled, claim);
        }
        if (order.nonce != pearl.nonce) {
            return (order.size, _claimRecord(c.records[Packed.orderId(tick, order.nonce)], order.size));
        }
        int256 left = int256(pearl.left) - waiting;
        if (left.abs() >= int256(order.size).abs()) {
            left -= order.size;
        } else {
            filled = order.size - left;
            claim = _claimPearl(pearl, filled);
            left = 0;
        }
        _setLeft(c, pearl, tick, left + waiting);
        if (left == 0 && (pearl.taken != 0 || waiting != 0)) _freeze(c, pearl, tick, _unclaimed(pearl));
    }

    /// Claims a fully taken order.
    function claimAll(Context storage c, int24 tick, RestingOrder memory order) internal returns (Claim memory) {
        StoredPearl storage pearl = c.pearls[tick];
        if (_waits(pearl, order)) revert IInstrumentErrors.OrderNotFullyTaken(order.size, 0);
        if (order.nonce != pearl.nonce) {
            return _claimRecord(c.records[Packed.orderId(tick, order.nonce)], order.size);
        }
        if (int256(pearl.taken).abs() < int256(order.size).abs()) {
            revert IInstrumentErrors.OrderNotFullyTaken(order.size, pearl.taken);
        }
        return _claimPearl(pearl, order.size);
    }

    /// How much of the order would be filled if it were withdrawn now.
    function takenOf(Context storage c, int24 tick, RestingOrder memory order) internal view returns (int256) {
        StoredPearl storage pearl = c.pearls[tick];
        if (_waits(pearl, order)) return 0;
        if (order.nonce != pearl.nonce) return order.size;
        int256 left = int256(pearl.left) - waitingOf(pearl);
        return left.abs() >= int256(order.size).abs() ? int256(0) : order.size - left;
    }

    /// How much of what is left waits for the next generation.
    function waitingOf(StoredPearl storage pearl) internal view returns (int96) {
        return pearl.hasWaiting ? pearl.waiting : int96(0);
    }

    /// Adds liquidity that starts (`net` > 0) or ends at `tick`.
    function addLiquidity(Context storage c, int24 tick, uint128 gross, int128 net) internal {
        StoredPearl storage pearl = c.pearls[tick];
        if (uint256(pearl.liquidityGross) + gross > MAX_LIQUIDITY_PER_TICK) {
            revert IInstrumentErrors.AddLiquidityExceedMax();
        }
        if (pearl.liquidityGross == 0 && pearl.left == 0) c.bitmap.flip(tick);
        pearl.liquidityGross += gross;
        pearl.liquidityNet += net;
    }

    function removeLiquidity(Context storage c, int24 tick, uint128 gross, int128 net) internal {
        StoredPearl storage pearl = c.pearls[tick];
        pearl.liquidityGross -= gross;
        pearl.liquidityNet -= net;
        if (pearl.liquidityGross == 0 && pearl.left == 0) c.bitmap.flip(tick);
    }

    function _setLeft(Context storage c, StoredPearl storage pearl, int24 tick, int256 left) private {
        bool flips = (pearl.left == 0) != (left == 0) && pearl.liquidityGross == 0;
        pearl.left = left.toInt96();
        if (flips) c.bitmap.flip(tick);
    }

    /// Ends a generation: what its makers may still claim, `ended`, moves to a record of their nonce. A pearl that is
    /// taken whole at once never holds it, which saves writing it twice.
    function _freeze(Context storage c, StoredPearl storage pearl, int24 tick, Record memory ended) private {
        if (ended.taken != 0) {
            c.records[Packed.orderId(tick, pearl.nonce)] = ended;
        }
        ++pearl.nonce;
        if (pearl.hasWaiting) _setWaiting(pearl, 0);
        // Claims may have used up `taken` and left the indices behind: those go with the generation too.
        (pearl.taken, pearl.fee, pearl.entrySocialLossIndex, pearl.entryFundingIndex) = (0, 0, 0, 0);
    }

    function _setWaiting(StoredPearl storage pearl, int256 waiting) private {
        (pearl.waiting, pearl.hasWaiting) = (waiting.toInt96(), waiting != 0);
    }

    /// Whether the order belongs to the generation that has yet to begin.
    function _waits(StoredPearl storage pearl, RestingOrder memory order) private view returns (bool) {
        return order.nonce > pearl.nonce;
    }

    function _unclaimed(StoredPearl storage pearl) private view returns (Record memory) {
        return Record(pearl.taken, pearl.fee, pearl.entrySocialLossIndex, pearl.entryFundingIndex);
    }

    /// What is unclaimed once `taken` and its `fee` have joined; indices weighted by size.
    function _addTaken(StoredPearl storage pearl, int256 taken, uint256 fee, Indices memory indices)
        private
        view
        returns (Record memory all)
    {
        bool long = taken > 0;
        uint256 socialLoss = long ? indices.longSocialLoss : indices.shortSocialLoss;
        int256 funding = long ? indices.longFunding : indices.shortFunding;
        if (pearl.taken != 0) {
            all = _unclaimed(pearl);
            (uint256 before, uint256 added) = (int256(all.taken).abs(), taken.abs());
            socialLoss = (all.entrySocialLossIndex * before + socialLoss * added) / (before + added);
            funding = (all.entryFundingIndex * int256(before) + funding * int256(added)) / int256(before + added);
        }
        all.taken = (all.taken + taken).toInt128();
        all.fee = (all.fee + fee).toUint128();
        (all.entrySocialLossIndex, all.entryFundingIndex) = (socialLoss.toUint128(), funding.toInt128());
    }

    function _claimPearl(StoredPearl storage pearl, int256 size) private returns (Claim memory claim) {
        claim = Claim(_share(pearl.fee, size, pearl.taken), pearl.entrySocialLossIndex, pearl.entryFundingIndex);
        pearl.fee -= uint128(claim.fee);
        pearl.taken -= int96(size);
    }

    function _claimRecord(Record storage record, int256 size) private returns (Claim memory claim) {
        claim = Claim(_share(record.fee, size, record.taken), record.entrySocialLossIndex, record.entryFundingIndex);
        record.fee -= uint128(claim.fee);
        record.taken -= int128(size);
    }

    /// The rebate of `size` out of `taken`; the last one takes what is there.
    function _share(uint256 fee, int256 size, int256 taken) private pure returns (uint256) {
        return size == taken ? fee : fee * size.abs() / taken.abs();
    }
}
