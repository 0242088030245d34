// SPDX-License-Identifier: MIT
pragma solidity ^0.8.28;

import {IERC165} from "@openzeppelin/contracts/utils/introspection/IERC165.sol";
import {IDelegationTarget} from "src/delegation/interfaces/IDelegationTarget.sol";

/// @title A target that trusts one forwarder (ERC-2771) and writes down as whom it was called, and with what.
contract ForwardProbe is IDelegationTarget, IERC165 {
    address public immutable trustedForwarder;

    address public lastUser;
    bytes public lastCalldata;
    uint256 public value;
    mapping(address user => uint256) public callsAs;
    mapping(bytes32 orderId => address user) public ownerOf;

    /// What every call says it puts at risk.
    uint256 public spendWad;

    error Refused(address user, uint256 why);
    error CallerNotOwner();

    constructor(address trustedForwarder_) {
        trustedForwarder = trustedForwarder_;
    }

    function setSpend(uint256 newSpendWad) external {
        spendWad = newSpendWad;
    }

    function spendOf(address, bytes calldata) external view returns (uint256) {
        return spendWad;
    }

    function supportsInterface(bytes4 interfaceId) external pure returns (bool) {
        return interfaceId == type(IERC165).interfaceId || interfaceId == type(IDelegationTarget).interfaceId;
    }

    function act(uint256 newValue) external returns (address user, uint256 doubled) {
        user = _note();
        value = newValue;
        unchecked {
            doubled = newValue * 2;
        }
    }

    /// Never listed.
    function hidden(uint256 newValue) external {
        _note();
        value = newValue;
    }

    function place(bytes32 orderId) external {
        ownerOf[orderId] = _note();
    }

    function cancel(bytes32 orderId) external {
        if (ownerOf[orderId] != _note()) revert CallerNotOwner();
        delete ownerOf[orderId];
    }

    function refuse(uint256 why) external {
        revert Refused(_note(), why);
    }

    /// Reverts with exactly these bytes, none included.
    function revertWith(bytes calldata data) external pure {
        bytes memory copy = data;
        assembly {
            revert(add(copy, 32), mload(copy))
        }
    }

    /// Calls back into whatever the caller likes; what a careless target would do.
    function callBack(address target, bytes calldata data) external returns (bool success, bytes memory answer) {
        _note();
        return target.call(data);
    }

    fallback(bytes calldata) external returns (bytes memory) {
        _note();
        return "fallback";
    }

    function _note() private returns (address user) {
        user = msg.sender == trustedForwarder ? address(bytes20(msg.data[msg.data.length - 20:])) : msg.sender;
        lastUser = user;
        lastCalldata = msg.data;
        ++callsAs[user];
    }
}

/// @title A contract wallet (ERC-1271) of any temper.
contract ProbeWallet {
    enum Answer {
        OwnersSignature,
        Refuse,
        Revert,
        Nothing,
        MagicInHighBytesOnly,
        DirtyMagic,
        TrueWord,
        BurnGas
    }

    bytes4 private constant MAGIC = 0x1626ba7e;

    Answer public answer;
    bytes32 public acceptedDigest;
    bytes32 public acceptedSignatureHash;
    address private _callTarget;
    bytes private _callData;

    function setAnswer(Answer newAnswer) external {
        answer = newAnswer;
    }

    /// From now on this one signature of this one digest is good.
    function accept(bytes32 digest, bytes calldata signature) external {
        acceptedDigest = digest;
        acceptedSignatureHash = keccak256(signature);
    }

    /// While asked for a signature, tries this call first.
    function callWhenAsked(address target, bytes calldata data) external {
        (_callTarget, _callData) = (target, data);
    }

    /// The wallet's owner acts through it.
    function act(address target, bytes calldata data) external {
        (bool success, bytes memory result) = target.call(data);
        if (success) return;
        assembly {
            revert(add(result, 32), mload(result))
        }
    }

    function isValidSignature(bytes32 digest, bytes calldata signature) external returns (bytes4) {
        if (_callTarget != address(0)) {
            (bool changed,) = _callTarget.call{gas: 300_000}(_callData);
            require(!changed, "state was changed while asked");
        }
        if (answer == Answer.Revert) revert("no");
        if (answer == Answer.Nothing) _return("");
        if (answer == Answer.MagicInHighBytesOnly) _return(abi.encodePacked(MAGIC));
        if (answer == Answer.DirtyMagic) _return(abi.encodePacked(MAGIC, bytes27(0), bytes1(0x01)));
        if (answer == Answer.TrueWord) _return(abi.encode(true));
        if (answer == Answer.BurnGas) {
            assembly {
                invalid()
            }
        }
        bool good = digest == acceptedDigest && keccak256(signature) == acceptedSignatureHash;
        return good && answer == Answer.OwnersSignature ? MAGIC : bytes4(0xffffffff);
    }

    function _return(bytes memory data) private pure {
        assembly {
            return(add(data, 32), mload(data))
        }
    }
}

/// @title Does the same, whoever calls: what is measured beyond it is the way to it.
contract GasProbe is IDelegationTarget, IERC165 {
    uint256 public orders = 1;

    function order(address, int96, uint32) external returns (bytes32) {
        return bytes32(++orders);
    }

    /// As much of the daily amount as an order of 1 USD.
    function spendOf(address, bytes calldata) external pure returns (uint256) {
        return 1e18;
    }

    function supportsInterface(bytes4 interfaceId) external pure returns (bool) {
        return interfaceId == type(IERC165).interfaceId || interfaceId == type(IDelegationTarget).interfaceId;
    }
}
