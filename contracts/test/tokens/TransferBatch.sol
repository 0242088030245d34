// SPDX-License-Identifier: MIT
pragma solidity ^0.8.28;

import {IERC20} from "@openzeppelin/contracts/token/ERC20/IERC20.sol";

/// @title Pays many recipients in one transaction: what the indexer's speed is measured with.
contract TransferBatch {
    error NotTransferred(uint256 index);

    /// Moves `amounts[i]` of the token from the caller, who has approved it, to `recipients[i]`.
    function transferEach(IERC20 token, address[] calldata recipients, uint256[] calldata amounts) external {
        for (uint256 i; i < recipients.length; ++i) {
            if (!token.transferFrom(msg.sender, recipients[i], amounts[i])) revert NotTransferred(i);
        }
    }
}
