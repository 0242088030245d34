// SPDX-License-Identifier: MIT
pragma solidity ^0.8.28;

/// A contract whose events exercise the block follower: state that is set, changed and removed, a transaction that
/// succeeds without a log, one that reverts, logs of several contracts in one transaction.
contract EventProbe {
    struct Point {
        address owner;
        uint128 size;
    }

    event Set(address indexed sender, uint256 indexed key, int256 value, uint32 nonce, bool isLarge);
    event Removed(uint256 indexed key);
    event Described(string indexed tag, string text, Point[] points);

    error Refused(uint256 key);

    uint32 private nonce;

    function set(uint256 key, int256 value) external {
        emit Set(msg.sender, key, value, ++nonce, value > 1e18 || value < -1e18);
    }

    function setMany(uint256 firstKey, uint256 count) external {
        for (uint256 i = 0; i < count; ++i) {
            emit Set(msg.sender, firstKey + i, int256(i), ++nonce, false);
        }
    }

    function remove(uint256 key) external {
        emit Removed(key);
    }

    function describe(string calldata tag, string calldata text) external {
        Point[] memory points = new Point[](1);
        points[0] = Point(msg.sender, 7);
        emit Described(tag, text, points);
    }

    /// Logs of `other` first, then one of this contract.
    function setThrough(EventProbe other, uint256 key, int256 value) external {
        other.set(key, value);
        emit Set(msg.sender, key, value, ++nonce, false);
    }

    function stayQuiet() external {
        ++nonce;
    }

    function fail(uint256 key) external pure {
        revert Refused(key);
    }
}
