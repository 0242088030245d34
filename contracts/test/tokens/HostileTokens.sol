// SPDX-License-Identifier: MIT
pragma solidity ^0.8.28;

import {ERC20} from "@openzeppelin/contracts/token/ERC20/ERC20.sol";

/// @title A cash token of any number of decimals. Listed as a stock, it is its own register of approved wallets.
contract CashToken is ERC20 {
    uint8 private immutable DECIMALS;

    constructor(uint8 decimals_) ERC20("Cash", "CASH") {
        DECIMALS = decimals_;
    }

    function mint(address to, uint256 amount) external {
        _mint(to, amount);
    }

    function burn(uint256 amount) external {
        _burn(msg.sender, amount);
    }

    function paused() external pure returns (bool) {
        return false;
    }

    function compliance() external view returns (address) {
        return address(this);
    }

    function isCompliant(address) external pure returns (bool) {
        return true;
    }

    function decimals() public view override returns (uint8) {
        return DECIMALS;
    }
}

/// @title Keeps 1 % of every transfer once told to.
contract FeeToken is CashToken {
    bool public taking;

    constructor(uint8 decimals_) CashToken(decimals_) {}

    function setTaking(bool newTaking) external {
        taking = newTaking;
    }

    function _update(address from, address to, uint256 amount) internal override {
        if (!taking || from == address(0) || to == address(0)) return super._update(from, to, amount);
        super._update(from, address(0), amount / 100);
        super._update(from, to, amount - amount / 100);
    }
}

/// @title Refuses to pay chosen holders, as the big dollars do.
contract RefusingToken is CashToken {
    mapping(address => bool) public refused;

    constructor() CashToken(6) {}

    function refuse(address holder, bool isRefused) external {
        refused[holder] = isRefused;
    }

    function _update(address from, address to, uint256 amount) internal override {
        require(!refused[to], "refused");
        super._update(from, to, amount);
    }
}

/// @title Makes one call of the attacker's choice in the middle of every transfer and keeps what came of it.
contract ReentrantToken is CashToken {
    address public target;
    bytes public payload;
    bool public called;
    bool public succeeded;
    bytes public answer;

    constructor(uint8 decimals_) CashToken(decimals_) {}

    /// The token is also a user: it acts for its attacker.
    function act(address callee, bytes calldata data) external returns (bytes memory) {
        (bool done, bytes memory result) = callee.call(data);
        require(done, "act failed");
        return result;
    }

    function arm(address newTarget, bytes calldata newPayload) external {
        (target, payload, called) = (newTarget, newPayload, false);
    }

    function _update(address from, address to, uint256 amount) internal override {
        super._update(from, to, amount);
        if (target == address(0) || called) return;
        called = true;
        (succeeded, answer) = target.call(payload);
    }
}
