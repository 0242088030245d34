// SPDX-License-Identifier: MIT
pragma solidity ^0.8.28;

import {IERC20Metadata} from "@openzeppelin/contracts/token/ERC20/extensions/IERC20Metadata.sol";

/// @title A tokenized stock: an ERC-20 of 18 decimals that only approved wallets hold.
/// @dev One token is `sharesPerToken` shares. A split or stock dividend moves that multiplier and no balance.
interface IStockToken is IERC20Metadata {
    /// Also emitted at initialization.
    event NameChanged(string name);
    /// Also emitted at initialization.
    event SymbolChanged(string symbol);
    /// Also emitted at initialization, with a zero `oldCompliance`.
    event ComplianceSet(address indexed oldCompliance, address indexed newCompliance);
    /// Shares of one token, 18 decimals. Also emitted at initialization, with a zero `oldSharesPerTokenWad`.
    event SharesPerTokenUpdated(uint256 oldSharesPerTokenWad, uint256 newSharesPerTokenWad);

    /// Transfers, mints and burns are paused; what the venue's contracts pay out is not.
    error TokenPaused();
    error AdminCannotBeZero();
    error ConfigurerCannotBeZero();
    error MinterCannotBeZero();
    error BurnerCannotBeZero();
    error PauserCannotBeZero();
    error ComplianceCannotBeZero();
    error SharesPerTokenCannotBeZero();
    /// The configurator moves the figure by MAX_SPLIT_RATIO at most, up or down.
    error SplitRatioOutOfBounds(uint256 sharesPerTokenWad, uint256 newSharesPerTokenWad);
    /// The configurator may move the figure again at `availableAt` (Unix seconds).
    error SplitTooSoon(uint256 availableAt);

    /// Mints `amount` (18 decimals) to an approved wallet. Role MINTER_ROLE.
    function mint(address to, uint256 amount) external;

    /// Burns `amount` (18 decimals) of the caller. Role BURNER_ROLE.
    function burn(uint256 amount) external;

    /// Burns `amount` (18 decimals) of `account` out of the caller's allowance. Role BURNER_ROLE.
    function burnFrom(address account, uint256 amount) external;

    /// Sets the ERC-20 name. Role DEFAULT_ADMIN_ROLE.
    function setName(string calldata newName) external;

    /// Sets the ERC-20 symbol. Role DEFAULT_ADMIN_ROLE.
    function setSymbol(string calldata newSymbol) external;

    /// Sets the register of approved wallets. Role DEFAULT_ADMIN_ROLE. Reverts `ComplianceCannotBeZero`.
    function setCompliance(address newCompliance) external;

    /// Sets how many shares (18 decimals) one token is. Role CONFIGURE_ROLE within MAX_SPLIT_RATIO and once in
    /// MIN_SPLIT_INTERVAL_SEC (the figure that already is changes nothing), role DEFAULT_ADMIN_ROLE whatever it is.
    /// Reverts `SplitRatioOutOfBounds`, `SplitTooSoon`, `SharesPerTokenCannotBeZero`.
    function setSharesPerToken(uint256 newSharesPerTokenWad) external;

    /// Stops transfers, mints and burns, but for what the venue's contracts pay out: withdrawals that their users
    /// claim. Role PAUSE_ROLE.
    function pause() external;

    /// Ends a pause. Role DEFAULT_ADMIN_ROLE: who may pause may not undo it.
    function unpause() external;

    /// The register of approved wallets that transfers ask, an `ICompliance`.
    function compliance() external view returns (address);

    /// Whether the token is paused; what the venue's contracts pay out is not.
    function paused() external view returns (bool);

    /// Shares of one token, 18 decimals.
    function sharesPerToken() external view returns (uint256);

    /// Shares that `account` holds, 18 decimals, rounded down.
    function sharesOf(address account) external view returns (uint256);
}
