// SPDX-License-Identifier: MIT
pragma solidity ^0.8.28;

import {OperatorPool} from "src/delegation/OperatorPool.sol";
import {DelegationFixture} from "test/delegation/DelegationFixture.sol";

/// Plays users, the operators of two pools, outsiders, admin, guardian and time, and keeps its own account of what every user has
/// said last. Each action predicts whether it must work; every outcome is counted by name.
contract DelegationHandler is DelegationFixture {
    struct Signature {
        address user;
        address delegatee;
        uint64 nonce;
        uint32 deadline;
        bytes signature;
    }

    uint256 private constant USERS = 3;
    uint256 private constant MAX_SIGNATURES = 64;

    OperatorPool[2] public pools;
    address[2] public operators;
    address[USERS] public users;
    uint256[USERS] private _keys;
    /// The latest `MAX_SIGNATURES` of them, good and stale.
    Signature[] private _signatures;
    uint256 private _signatureCount;
    uint256 private _lastSignature;
    uint256 private _rotations;

    /// What every user has said last, how often it has spoken, and the calls made as it.
    mapping(address user => address) public stated;
    mapping(address user => uint64) public statements;
    mapping(address user => uint256) public executed;
    mapping(bytes32 action => uint256) public successes;

    function setUp() public override {
        super.setUp();
        pools[0] = pool;
        pools[1] = newPool();
        operators = [operator, makeAddress("second operator")];
        vm.startPrank(admin);
        pools[1].grantRole(pool.GUARDIAN_ROLE(), guardian);
        pools[1].grantRole(pool.OPERATOR_ROLE(), operators[1]);
        pools[1].setRouter(address(oneClick), true);
        vm.stopPrank();
        for (uint256 i; i < USERS; ++i) {
            (users[i], _keys[i]) = makeAccount(string.concat("user", vm.toString(i)));
        }
    }

    // --- users ---

    /// A user signs for a pool or an outsider, for now or for a nonce to come, and lets it get around.
    function sign(uint256 who, uint256 whom, uint256 ahead, uint256 life) external {
        address[3] memory delegatees = [address(pools[0]), address(pools[1]), outsider];
        _sign(who % USERS, delegatees[whom % 3], uint64(ahead % 3), bound(life, 0, 2 days));
    }

    function undelegate(uint256 who, bool byUserFor) external {
        address user = users[who % USERS];
        bytes memory call =
            byUserFor ? abi.encodeCall(oneClick.undelegateFor, (user)) : abi.encodeCall(oneClick.undelegate, ());
        _try(user, address(oneClick), call, true, "undelegate");
        _said(user, address(0));
    }

    // --- signatures, old and new, brought by anyone ---

    function enableFresh(uint256 who, uint256 which) external {
        _enable(who % USERS, which % 2);
    }

    /// Any signature that was ever made; when `current`, one made just now among them.
    function bringSignature(uint256 which, bool current) external {
        if (current) _sign(which % USERS, address(pools[which % 2]), 0, 0);
        if (_signatures.length == 0) return;
        _bring(_signatures[current ? _lastSignature : which % _signatures.length]);
    }

    /// A signature brought as that of another user, or for another delegatee.
    function bringForOther(uint256 which, uint256 who) external {
        if (_signatures.length == 0) return;
        Signature memory signed = _signatures[which % _signatures.length];
        address user = users[who % USERS];
        address delegatee = user == signed.user ? makeAddress("stranger") : signed.delegatee;
        bytes memory call = abi.encodeCall(oneClick.delegateBySig, (user, delegatee, signed.deadline, signed.signature));
        _try(outsider, address(oneClick), call, false, "bringForOther");
    }

    // --- operators ---

    /// After the user has been asked for its word, or just so.
    function execute(uint256 who, uint256 which, uint256 value, bool asked) external {
        address user = users[who % USERS];
        uint256 p = which % 2;
        if (asked) _enable(who % USERS, p);
        bool good = stated[user] == address(pools[p]) && !pools[p].paused() && !oneClick.paused();
        bytes memory inner = abi.encodePacked(abi.encodeCall(target.act, (value)), users[(who % USERS + 1) % USERS]);
        bytes memory call = abi.encodeCall(pools[p].execute, (address(oneClick), user, address(target), inner));
        if (_try(operators[p], address(pools[p]), call, good, "execute")) _reached(user);
    }

    function executeHidden(uint256 who, uint256 which) external {
        uint256 p = which % 2;
        bytes memory inner = abi.encodeCall(target.hidden, (who));
        bytes memory call =
            abi.encodeCall(pools[p].execute, (address(oneClick), users[who % USERS], address(target), inner));
        _try(operators[p], address(pools[p]), call, false, "executeHidden");
    }

    function disable(uint256 who, uint256 which, bool asked) external {
        address user = users[who % USERS];
        uint256 p = which % 2;
        if (asked) _enable(who % USERS, p);
        bytes memory call = abi.encodeCall(pools[p].disable, (address(oneClick), user));
        bool good = stated[user] == address(pools[p]);
        if (_try(operators[p], address(pools[p]), call, good, "disable")) _said(user, address(0));
    }

    // --- outsiders ---

    /// The outsider has a user's word at times, gets it just now when `asked`, and can use it like any delegatee.
    function outsiderExecutes(uint256 who, uint256 value, bool asked) external {
        address user = users[who % USERS];
        if (asked) {
            _sign(who % USERS, outsider, 0, 0);
            _bring(_signatures[_lastSignature]);
        }
        bytes memory call =
            abi.encodeCall(oneClick.execute, (user, address(target), abi.encodeCall(target.act, (value))));
        if (_try(outsider, address(oneClick), call, stated[user] == outsider, "outsiderExecutes")) _reached(user);
    }

    function outsiderTries(uint256 who, uint256 which) external {
        address user = users[who % USERS];
        bytes memory inner = abi.encodeCall(target.act, (who));
        bytes memory call = abi.encodeCall(oneClick.execute, (user, address(target), inner));
        _try(operators[which % 2], address(oneClick), call, false, "outsiderTries");
        _try(user, address(oneClick), call, false, "outsiderTries");
        call = abi.encodeCall(pool.execute, (address(oneClick), user, address(target), inner));
        _try(outsider, address(pools[which % 2]), call, false, "outsiderTries");
        _try(operators[which % 2], address(pools[1 - which % 2]), call, false, "outsiderTries");
        _try(guardian, address(oneClick), abi.encodeCall(oneClick.undelegateFor, (user)), false, "outsiderTries");
        vm.prank(outsider);
        (bool success,) = address(target).call(abi.encodePacked(inner, user));
        vm.assertTrue(success);
        vm.assertEq(target.lastUser(), outsider, "a forged forwarder was believed");
        ++executed[outsider];
    }

    // --- administration and time ---

    function rotate(uint256 which) external {
        uint256 p = which % 2;
        address former = operators[p];
        operators[p] = makeAddress(string.concat("operator", vm.toString(++_rotations)));
        bytes32 role = pool.OPERATOR_ROLE();
        vm.startPrank(admin);
        pools[p].revokeRole(role, former);
        pools[p].grantRole(role, operators[p]);
        vm.stopPrank();
        bytes memory inner = abi.encodeCall(target.act, (which));
        bytes memory call =
            abi.encodeCall(pools[p].execute, (address(oneClick), users[which % USERS], address(target), inner));
        _try(former, address(pools[p]), call, false, "former operator");
        ++successes["rotate"];
    }

    function pause(uint256 which) external {
        address paused = which % 3 == 2 ? address(oneClick) : address(pools[which % 3]);
        _try(guardian, paused, abi.encodeCall(pool.pause, ()), true, "pause");
        // What must stay open while paused is tried at once.
        this.undelegate(which, which % 2 == 0);
        this.execute(which, which, which, false);
        _try(admin, paused, abi.encodeCall(pool.unpause, ()), true, "unpause");
    }

    function timePasses(uint256 time) external {
        vm.warp(block.timestamp + bound(time, 1, 1 days));
        ++successes["timePasses"];
    }

    function userCount() external pure returns (uint256) {
        return USERS;
    }

    function outcome(address user) external view returns (address delegatee, uint64 nonce, uint256 callsAs) {
        return (oneClick.delegateOf(user), oneClick.nonces(user), target.callsAs(user));
    }

    function outsiders() external view returns (address[5] memory) {
        return [outsider, operators[0], operators[1], address(pools[0]), address(oneClick)];
    }

    function _sign(uint256 i, address delegatee, uint64 ahead, uint256 life) private {
        address user = users[i];
        uint64 nonce = statements[user] + ahead;
        uint32 deadline = uint32(block.timestamp + life);
        bytes memory signature = signWith(_keys[i], oneClick.delegateDigest(user, delegatee, nonce, deadline));
        _lastSignature = _signatureCount++ % MAX_SIGNATURES;
        if (_lastSignature == _signatures.length) _signatures.push();
        _signatures[_lastSignature] = Signature(user, delegatee, nonce, deadline, signature);
        ++successes["sign"];
    }

    function _enable(uint256 i, uint256 p) private {
        bytes memory signature = signDelegation(_keys[i], users[i], address(pools[p]));
        bytes memory call = abi.encodeCall(pools[p].enable, (address(oneClick), users[i], FAR, signature));
        if (_try(operators[p], address(pools[p]), call, true, "enable")) _said(users[i], address(pools[p]));
    }

    function _bring(Signature memory signed) private {
        bool good = signed.nonce == statements[signed.user] && block.timestamp <= signed.deadline;
        bytes memory call =
            abi.encodeCall(oneClick.delegateBySig, (signed.user, signed.delegatee, signed.deadline, signed.signature));
        if (_try(outsider, address(oneClick), call, good, "bring")) _said(signed.user, signed.delegatee);
    }

    /// Makes a call and holds the outcome against what must come of it.
    function _try(address from, address to, bytes memory data, bool expected, bytes32 action)
        private
        returns (bool success)
    {
        vm.prank(from);
        (success,) = to.call(data);
        vm.assertEq(success, expected, string(abi.encodePacked(action)));
        if (success) ++successes[action];
        else ++successes[keccak256(abi.encode(action, "refused"))];
    }

    function _said(address user, address delegatee) private {
        stated[user] = delegatee;
        ++statements[user];
    }

    function _reached(address user) private {
        vm.assertEq(target.lastUser(), user, "the call came as somebody else");
        ++executed[user];
    }
}
