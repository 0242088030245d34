// SPDX-License-Identifier: MIT
pragma solidity ^0.8.28;

/// @title Creates the stock tokens of a venue and keeps the list of them.
/// @dev A token's address follows from this contract, the ticker and what the token is initialized with (CREATE2), so a
/// repeated deployment finds the same addresses.
interface IStockTokenFactory {
    /// Who holds the roles of a new token; none may be zero.
    struct Roles {
        address admin;
        address configurator;
        address minter;
        address burner;
        address pauser;
    }

    /// A token was created. `symbol` is "a" and the ticker, `name` the company and " aStock".
    event TokenCreated(address indexed token, string ticker, string symbol, string name);

    error AddressCannotBeZero();
    /// Neither the ticker nor the company may be empty.
    error TextCannotBeEmpty();
    error TokenAlreadyCreated(string ticker);

    /// Deploys the token of an upper-case ticker behind its own upgradeable proxy. Role TOKEN_CREATOR_ROLE.
    /// Reverts `TextCannotBeEmpty`, `TokenAlreadyCreated`, and as `IStockToken` for a role that is zero.
    function createToken(string calldata ticker, string calldata company, Roles calldata roles)
        external
        returns (address token);

    /// How many tokens were created.
    function tokenCount() external view returns (uint16);

    /// The token with this index, from 0; zero when there is none.
    function tokenAtIndex(uint16 index) external view returns (address);

    /// The token of a ticker; zero when there is none.
    function tokenOf(string calldata ticker) external view returns (address);

    /// The code that new tokens run; each can be upgraded alone by its admin.
    function implementation() external view returns (address);

    /// The register of approved wallets that new tokens ask.
    function compliance() external view returns (address);
}
