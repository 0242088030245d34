// SPDX-License-Identifier: MIT
pragma solidity ^0.8.28;

import {ERC20} from "@openzeppelin/contracts/token/ERC20/ERC20.sol";
import {IAggregator} from "src/perp/interfaces/IMarket.sol";

/// A well-behaved token anybody may mint.
contract TestToken is ERC20 {
    uint8 private immutable _decimals;

    constructor(string memory symbol_, uint8 decimals_) ERC20(symbol_, symbol_) {
        _decimals = decimals_;
    }

    function decimals() public view override returns (uint8) {
        return _decimals;
    }

    function mint(address to, uint256 amount) external {
        _mint(to, amount);
    }
}

/// Keeps one per cent of every transfer.
contract TaxedToken is TestToken {
    constructor() TestToken("TAX", 18) {}

    function _update(address from, address to, uint256 value) internal override {
        if (from != address(0) && to != address(0)) {
            super._update(from, address(0xdead), value / 100);
            value -= value / 100;
        }
        super._update(from, to, value);
    }
}

/// Calls back whoever receives it, like tokens with hooks do.
contract HookedToken is TestToken {
    address public hooked;
    bytes public call;
    bytes public answer;

    constructor() TestToken("HOOK", 18) {}

    function hook(address target, bytes calldata data) external {
        (hooked, call) = (target, data);
    }

    function _update(address from, address to, uint256 value) internal override {
        super._update(from, to, value);
        if (hooked == address(0)) return;
        (, answer) = hooked.call(call);
    }
}

/// A feed that costs its reader one storage word.
contract TestFeed is IAggregator {
    uint8 public immutable decimals;
    int184 private _answer;
    uint64 private _updatedAt;
    bool private _fixedTime;

    constructor(uint8 decimals_, int256 answer) {
        decimals = decimals_;
        _answer = int184(answer);
    }

    /// Sets the answer; it counts as fresh whenever it is asked for.
    function set(int256 answer) external {
        (_answer, _fixedTime) = (int184(answer), false);
    }

    function setAt(int256 answer, uint256 updatedAt) external {
        (_answer, _updatedAt, _fixedTime) = (int184(answer), uint64(updatedAt), true);
    }

    function latestRoundData() external view returns (uint80, int256, uint256, uint256, uint80) {
        uint256 updatedAt = _fixedTime ? _updatedAt : block.timestamp;
        return (1, _answer, updatedAt, updatedAt, 1);
    }
}
