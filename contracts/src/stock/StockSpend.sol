// SPDX-License-Identifier: MIT
pragma solidity ^0.8.28;

import {ICashier} from "./interfaces/ICashier.sol";
import {IStock} from "./interfaces/IStock.sol";
import {IStockRouter} from "./interfaces/IStockRouter.sol";
import {Rounding} from "./libraries/Rounding.sol";
import {IDelegationTarget} from "src/delegation/interfaces/IDelegationTarget.sol";

/// @title What a delegated call of the router puts at risk of its user's money. See `IDelegationTarget`.
/// @dev Cash at its rate, an order at its notional: each costs the user fees on that, and an order the distance of its
/// fill from a fair price. A sell counts at the oracle's price at least, whatever its limit, so it cannot be told while
/// the feed is frozen. Moves of stock and cancels cost nothing.
abstract contract StockSpend is IStockRouter, IDelegationTarget {
    /// @inheritdoc IDelegationTarget
    function spendOf(address, bytes calldata data) external view returns (uint256 spendWad) {
        bytes4 selector = bytes4(data[:4]);
        bytes calldata rest = data[4:];
        if (selector == this.cancelLimitOrder.selector) return 0;
        if (selector == this.depositStock.selector || selector == this.withdrawStock.selector) return 0;
        if (selector == this.deposit.selector) return _ofDeposit(rest);
        if (selector == this.withdraw.selector) {
            (, spendWad) = abi.decode(rest, (address, uint96));
            return spendWad;
        }
        if (selector == this.placeMarketOrder.selector) return _ofMarket(rest);
        if (selector == this.placeLimitOrder.selector) return _ofLimit(rest);
        // The deposit's token and amount come first, then what the order itself has.
        if (selector == this.depositAndMarketBuy.selector) return _ofDeposit(rest) + _ofMarket(rest[64:]);
        if (selector == this.depositAndLimitBuy.selector) return _ofDeposit(rest) + _ofLimit(rest[64:]);
        if (selector == this.depositStockAndMarketSell.selector) {
            (address token,, int96 quantity) = abi.decode(rest, (address, uint256, int96));
            return _worth(token, quantity, 0);
        }
        if (selector == this.depositStockAndLimitSell.selector) {
            (address token,, int96 quantity, uint96 price) = abi.decode(rest, (address, uint256, int96, uint96));
            return _worth(token, quantity, price);
        }
        revert CallNotMetered(selector);
    }

    /// The mUSD that the tokens are worth, before the fee.
    function _ofDeposit(bytes calldata arguments) private view returns (uint256) {
        (address token, uint96 amount) = abi.decode(arguments, (address, uint96));
        ICashier.TokenConfig memory config = _cashier().tokenConfig(token);
        return Rounding.tokenToWadDown(amount, config.usdRate, config.decimals);
    }

    function _ofMarket(bytes calldata arguments) private view returns (uint256) {
        (address token, int96 amount) = abi.decode(arguments, (address, int96));
        return amount < 0 ? _worth(token, amount, 0) : uint256(int256(amount));
    }

    function _ofLimit(bytes calldata arguments) private view returns (uint256) {
        (address token, int96 quantity, uint96 price) = abi.decode(arguments, (address, int96, uint96));
        if (quantity < 0) return _worth(token, quantity, price);
        return Rounding.notionalUp(uint256(int256(quantity)), price);
    }

    /// Of stock to be sold, at the oracle's price or the limit, whichever is higher.
    function _worth(address token, int96 quantity, uint256 price) private view returns (uint256) {
        uint256 oraclePrice = _stock().oraclePriceWad(token);
        uint256 size = quantity < 0 ? uint256(-int256(quantity)) : 0;
        // Checked: the oracle's prices have more bits than `Rounding` takes.
        return (size * (price > oraclePrice ? price : oraclePrice) + Rounding.WAD - 1) / Rounding.WAD;
    }

    function _cashier() internal view virtual returns (ICashier);

    function _stock() internal view virtual returns (IStock);
}
