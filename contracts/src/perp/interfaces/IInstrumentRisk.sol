// SPDX-License-Identifier: MIT
pragma solidity ^0.8.28;

/// What happens to accounts that fail, to pairs that end, and to the two funds of a pair. Amounts, sizes and prices are
/// WAD. Source: perp-protocol 1.5, 1.8, 3.12, 3.13.
interface IInstrumentRiskEvents {
    event ClaimProtocolFee(uint32 indexed expiry, uint256 amount);
    event DeleteContext(uint32 indexed expiry);
    event DonateInsuranceFund(uint32 indexed expiry, address indexed donator, uint256 amount);
    event Liquidate(
        uint32 indexed expiry, address indexed trader, uint256 amount, uint256 mark, address target, int256 size
    );
    event RecycleInsuranceFund(uint32 indexed expiry, uint256 amount);
    event Settle(uint32 indexed expiry, address indexed trader, uint256 settlement, uint256 balance, address operator);
    event Sweep(
        uint32 indexed expiry,
        address indexed trader,
        int256 size,
        int256 takenSize,
        uint256 takenValue,
        uint256 entryNotional,
        uint16 feeRatio,
        uint160 sqrtPX96,
        uint256 mark,
        address operator
    );
}

interface IInstrumentRisk is IInstrumentRiskEvents {
    /// Takes over `size` (with the sign of the target's position, at most all of it) of an account below its
    /// maintenance margin, with `amount` of the caller's money added. What the part lacks to an equity of zero is paid
    /// by the insurance fund and then by the other side. Authorised liquidators; the caller must meet the initial
    /// margin afterwards. Reverts `LiquidatorIneligible`, `SelfLiquidation`, `TargetSafe`, `BadTargetSize`,
    /// `LiquidatePostImrUnsafe`, `NoCounterparty`.
    function liquidate(uint32 expiry, address target, int256 size, uint256 amount) external;

    /// Closes `size` (with the opposite sign of the target's position, at most all of it) of an account below its
    /// maintenance margin against the curve and the resting orders. What is left goes to the insurance fund; what is
    /// missing comes from it, then from the other side. Anybody may do it. Reverts `TargetSafe`, `BadTargetSize`,
    /// `TradeOutOfLiquidity`, `CrazyDeviation`, `NoCounterparty`.
    function sweep(uint32 expiry, address target, int256 size) external;

    /// Closes everything an account holds in a settled pair at the settlement price and pays it into its reserve, in
    /// several calls if it holds more than one call can carry. Anybody may do it. Reverts `BadAmmStatus` for a pair
    /// that has not settled, `PositionNotExist` for an empty account.
    function settle(uint32 expiry, address target) external;

    /// Ends a frozen instrument for good: every live pair settles at `settlementPrice`, or at its mark if that is 0.
    /// Owner of Config. Reverts `BadInstrumentCondition` unless it is frozen, `CrazySpot` for a price the curve cannot
    /// express.
    function resolve(uint128 settlementPrice) external;

    /// Gives `amount` of the caller's money to a pair's insurance fund. Reverts `NotTradeable` for a pair that is not
    /// live.
    function donateInsuranceFund(uint32 expiry, uint256 amount) external;

    /// Pays a pair's protocol fee into the reserve of the owner of Config, who alone may ask. Reverts `BadAmmStatus`
    /// for a pair that does not exist.
    function claimProtocolFee(uint32 expiry) external;

    /// Pays a pair's insurance fund into the reserve of the owner of Config, who alone may ask. Reverts
    /// `PairNotCleared` for a settled pair until everybody in it has been settled, `BadAmmStatus` for one that does not
    /// exist.
    function recycleInsuranceFund(uint32 expiry) external;
}

/// Errors of liquidation and settlement, those of their libraries included.
interface IInstrumentRiskErrors {
    error BadTargetSize(int256 totalSize, int256 requestedSize);
    error LiquidatePostImrUnsafe();
    error LiquidatorIneligible();
    error NoCounterparty(bool noShortParty, uint256 socialLoss);
    error PairNotCleared(uint32 expiry);
    error SelfLiquidation();
    error TargetSafe();
}
