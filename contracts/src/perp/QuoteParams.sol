// SPDX-License-Identifier: MIT
pragma solidity ^0.8.28;

import {MAX_FEE_RATIO} from "./Constants.sol";
import {QuoteParam} from "./Types.sol";

/// Bounds of a quote's parameters, the same in Config and Instrument. See docs/decisions/perp-parameters.md.
library QuoteParams {
    error BadMinMarginAmount();
    error BadTradingFeeRatio();
    error BadProtocolFeeRatio();
    error BadTip();

    function check(QuoteParam calldata param) internal pure {
        // Instruments keep it, and the tip, which is no greater, in 96 bits.
        if (param.minMarginAmount == 0 || param.minMarginAmount > type(uint96).max) revert BadMinMarginAmount();
        if (param.tradingFeeRatio > MAX_FEE_RATIO) revert BadTradingFeeRatio();
        if (param.protocolFeeRatio > MAX_FEE_RATIO) revert BadProtocolFeeRatio();
        // A bound by what is known here. What the least range can pay is less, and depends on its instrument's initial margin.
        if (param.tip > param.minMarginAmount) revert BadTip();
    }
}
