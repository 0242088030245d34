// SPDX-License-Identifier: MIT
pragma solidity ^0.8.28;

/// @title The arithmetic of both money contracts, with its direction in every name.
/// @dev Unchecked, since callers pass at most 128 bits: amounts, prices and sums of 96 to 112 bits, rates of 32, and
/// powers of ten up to 1e18 (60 bits). The largest product, two amounts of 96 bits, has 192.
library Rounding {
    uint256 internal constant WAD = 1e18;
    uint256 internal constant PPM = 1e6;
    /// `usdRate` of one USD per token.
    uint256 internal constant RATE_PRECISION = 1e6;

    function divUp(uint256 numerator, uint256 denominator) internal pure returns (uint256) {
        unchecked {
            return (numerator + denominator - 1) / denominator;
        }
    }

    /// USD (18 decimals) of `quantity` (18 decimals) at `price` (18 decimals).
    function notionalUp(uint256 quantity, uint256 price) internal pure returns (uint256) {
        unchecked {
            return divUp(quantity * price, WAD);
        }
    }

    function notionalDown(uint256 quantity, uint256 price) internal pure returns (uint256) {
        unchecked {
            return quantity * price / WAD;
        }
    }

    function feeUp(uint256 amount, uint256 ratePpm) internal pure returns (uint256) {
        unchecked {
            return divUp(amount * ratePpm, PPM);
        }
    }

    /// mUSD (18 decimals) of `amount` token units.
    function tokenToWadDown(uint256 amount, uint256 usdRate, uint256 decimals) internal pure returns (uint256) {
        unchecked {
            return amount * usdRate * 10 ** (18 - decimals) / RATE_PRECISION;
        }
    }

    /// Token units of `amountWad` mUSD (18 decimals).
    function wadToTokenDown(uint256 amountWad, uint256 usdRate, uint256 decimals) internal pure returns (uint256) {
        unchecked {
            return amountWad * RATE_PRECISION / (usdRate * 10 ** (18 - decimals));
        }
    }

    function wadToTokenUp(uint256 amountWad, uint256 usdRate, uint256 decimals) internal pure returns (uint256) {
        unchecked {
            return divUp(amountWad * RATE_PRECISION, usdRate * 10 ** (18 - decimals));
        }
    }
}
