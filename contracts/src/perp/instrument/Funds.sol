// SPDX-License-Identifier: MIT
pragma solidity ^0.8.28;

import {DUST_BASE, DUST_QUOTE} from "../Constants.sol";
import {IGate} from "../interfaces/IGate.sol";
import {IInstrumentErrors} from "../interfaces/IInstrumentErrors.sol";
import {Tick} from "../maths/Tick.sol";
import {Wad} from "../maths/Wad.sol";
import {Cast} from "./Cast.sol";
import {Context, State} from "./Store.sol";

/// A quantity in token decimals, which WAD amounts must not be mixed with.
type TokenAmount is uint256;

/// The border between WAD amounts and tokens. What comes in is rounded up, what goes out down, so a pair's
/// `involvedFund` is always a whole number of token units. Inside, the published formulas round a few wei of base in
/// favour of accounts; whoever leaves last bears it. Source: perp-protocol 0.3, 1.1; docs/decisions/perp-dust.md.
library Funds {
    using Cast for uint256;

    /// Brings `amountWad` of the trader's money from Gate into the pair.
    function scatter(State storage s, Context storage c, uint32 expiry, address trader, uint256 amountWad) internal {
        uint256 unit = _unitWad(s);
        TokenAmount quantity = TokenAmount.wrap((amountWad + unit - 1) / unit);
        if (TokenAmount.unwrap(quantity) == 0) return;
        c.amm.involvedFund = (c.amm.involvedFund + _toWad(quantity, unit)).toUint128();
        IGate(s.gate).scatter(s.quote, trader, expiry, TokenAmount.unwrap(quantity));
    }

    /// Pays `amountWad` out of the pair into the trader's reserve at Gate, or all there is if only dust is missing, or a
    /// loss that nobody could bear.
    function gather(State storage s, Context storage c, uint32 expiry, address trader, uint256 amountWad) internal {
        uint256 unit = _unitWad(s);
        TokenAmount quantity = TokenAmount.wrap(amountWad / unit);
        uint256 fund = c.amm.involvedFund;
        if (_toWad(quantity, unit) > fund) {
            _cut(c, _toWad(quantity, unit) - fund);
            quantity = TokenAmount.wrap(fund / unit);
        }
        if (TokenAmount.unwrap(quantity) == 0) return;
        c.amm.involvedFund = uint128(fund - _toWad(quantity, unit));
        IGate(s.gate).gather(s.quote, trader, expiry, TokenAmount.unwrap(quantity));
    }

    /// A payment lacks `missing`: more than dust only as far as losses stand that nobody could bear.
    function _cut(Context storage c, uint256 missing) private {
        uint256 shortfall = c.shortfall;
        if (missing > shortfall + _mostDust(c)) revert IInstrumentErrors.InvariantBroken();
        if (shortfall != 0) c.shortfall = uint128(missing < shortfall ? shortfall - missing : 0);
    }

    function _mostDust(Context storage c) private view returns (uint256) {
        return DUST_QUOTE + Wad.mulUp(Tick.sqrtToPrice(c.amm.sqrtPX96), DUST_BASE);
    }

    function _toWad(TokenAmount quantity, uint256 unit) private pure returns (uint256) {
        return TokenAmount.unwrap(quantity) * unit;
    }

    /// One unit of the token in WAD.
    function _unitWad(State storage s) private view returns (uint256) {
        return 10 ** (18 - s.decimals);
    }
}
