// SPDX-License-Identifier: MIT
pragma solidity ^0.8.28;

/// The cheatcodes these tests use; forge implements them at `VM_ADDRESS`.
interface Vm {
    struct Log {
        bytes32[] topics;
        bytes data;
        address emitter;
    }

    function prank(address sender) external;
    function startPrank(address sender) external;
    function stopPrank() external;
    function deal(address account, uint256 balance) external;
    function warp(uint256 timestamp) external;
    function roll(uint256 blockNumber) external;
    function chainId(uint256 id) external;
    function addr(uint256 privateKey) external pure returns (address);
    function sign(uint256 privateKey, bytes32 digest) external pure returns (uint8 v, bytes32 r, bytes32 s);
    function expectRevert() external;
    function expectRevert(bytes4 selector) external;
    function expectRevert(bytes calldata revertData) external;
    function expectEmit() external;
    function expectEmit(address emitter) external;
    function expectEmit(bool topic1, bool topic2, bool topic3, bool data, address emitter) external;
    function expectCall(address target, bytes calldata data) external;
    function recordLogs() external;
    function getRecordedLogs() external returns (Log[] memory);
    function assume(bool condition) external pure;
    function label(address account, string calldata name) external;
    function load(address target, bytes32 slot) external view returns (bytes32);
    function store(address target, bytes32 slot, bytes32 value) external;
    function etch(address target, bytes calldata code) external;
    function mockCall(address target, bytes calldata data, bytes calldata returned) external;
    function clearMockedCalls() external;
    function snapshotState() external returns (uint256);
    function revertToState(uint256 id) external returns (bool);
    function snapshotGasLastCall(string calldata group, string calldata name) external returns (uint256);
    function snapshotValue(string calldata group, string calldata name, uint256 value) external;
    function envOr(string calldata name, string calldata otherwise) external view returns (string memory);
    function exists(string calldata path) external view returns (bool);
    function readFile(string calldata path) external view returns (string memory);
    function parseJson(string calldata json, string calldata key) external pure returns (bytes memory);
    function parseJsonKeys(string calldata json, string calldata key) external pure returns (string[] memory);
    function parseJsonString(string calldata json, string calldata key) external pure returns (string memory);
    function parseJsonUint(string calldata json, string calldata key) external pure returns (uint256);
    function parseBytes(string calldata text) external pure returns (bytes memory);
    function split(string calldata text, string calldata separator) external pure returns (string[] memory);
    function replace(string calldata text, string calldata from, string calldata to)
        external
        pure
        returns (string memory);
    function toString(uint256 value) external pure returns (string memory);
    function toString(address value) external pure returns (string memory);
    function getCode(string calldata artifact) external view returns (bytes memory);

    function assertEq(uint256 left, uint256 right) external pure;
    function assertEq(uint256 left, uint256 right, string calldata what) external pure;
    function assertEq(int256 left, int256 right) external pure;
    function assertEq(int256 left, int256 right, string calldata what) external pure;
    function assertEq(address left, address right) external pure;
    function assertEq(address left, address right, string calldata what) external pure;
    function assertEq(bytes32 left, bytes32 right) external pure;
    function assertEq(bytes32 left, bytes32 right, string calldata what) external pure;
    function assertEq(bool left, bool right) external pure;
    function assertEq(bool left, bool right, string calldata what) external pure;
    function assertEq(bytes calldata left, bytes calldata right) external pure;
    function assertEq(string calldata left, string calldata right) external pure;
    function assertTrue(bool condition) external pure;
    function assertTrue(bool condition, string calldata what) external pure;
    function assertFalse(bool condition) external pure;
    function assertFalse(bool condition, string calldata what) external pure;
    function assertGe(uint256 left, uint256 right) external pure;
    function assertGe(uint256 left, uint256 right, string calldata what) external pure;
    function assertGe(int256 left, int256 right, string calldata what) external pure;
    function assertLe(uint256 left, uint256 right) external pure;
    function assertLe(uint256 left, uint256 right, string calldata what) external pure;
    function assertGt(uint256 left, uint256 right, string calldata what) external pure;
    function assertLt(uint256 left, uint256 right, string calldata what) external pure;
    function assertApproxEqAbs(uint256 left, uint256 right, uint256 maxDelta) external pure;
    function assertApproxEqAbs(uint256 left, uint256 right, uint256 maxDelta, string calldata what) external pure;
}

/// The part of a test library this project needs: the cheatcode handle, bounded fuzz inputs and the targets of an
/// invariant campaign. (The usual library is not on npm in a usable form.)
abstract contract TestBase {
    struct FuzzSelector {
        address addr;
        bytes4[] selectors;
    }

    bool public constant IS_TEST = true;
    address internal constant VM_ADDRESS = address(uint160(uint256(keccak256("hevm cheat code"))));
    Vm internal constant vm = Vm(VM_ADDRESS);

    address[] private _targetContracts;
    address[] private _targetSenders;
    FuzzSelector[] private _targetSelectors;
    mapping(string name => address) private _libraries;

    /// Maps any `value` into `[low, high]`; evenly but for the remainder.
    function bound(uint256 value, uint256 low, uint256 high) internal pure returns (uint256) {
        if (value >= low && value <= high) return value;
        uint256 span = high - low;
        if (span == type(uint256).max) return value;
        return low + value % (span + 1);
    }

    /// `bound` for signed values.
    function bound(int256 value, int256 low, int256 high) internal pure returns (int256) {
        if (value >= low && value <= high) return value;
        unchecked {
            uint256 span = uint256(high) - uint256(low);
            return int256(uint256(low) + uint256(value) % (span + 1));
        }
    }

    function makeAccount(string memory name) internal returns (address account, uint256 privateKey) {
        privateKey = uint256(keccak256(bytes(name)));
        account = vm.addr(privateKey);
        vm.label(account, name);
    }

    function makeAddress(string memory name) internal returns (address account) {
        (account,) = makeAccount(name);
    }

    /// Deploys a contract by artifact ("Cashier.sol:Cashier"): the very bytecode that venues deploy, with its libraries,
    /// where contracts/artifacts holds it; else a contract of these tests. Unlike `new`, this does not make the compiler
    /// build the contract again inside every test that deploys it. With `CONTRACTS=source` in the environment everything
    /// comes from the sources as they are, by the fast compiler: for work on a contract, not for gas.
    function deployCode(string memory artifact, bytes memory arguments) internal returns (address deployed) {
        _deployLibraries(artifact);
        bytes memory code = abi.encodePacked(creationCode(artifact), arguments);
        assembly ("memory-safe") {
            deployed := create(0, add(code, 32), mload(code))
        }
        require(deployed != address(0), artifact);
    }

    /// What `deployCode` deploys, without the constructor's arguments. Its libraries must have been deployed.
    function creationCode(string memory artifact) internal view returns (bytes memory) {
        string memory file = _fileOf(artifact);
        if (!_isDeployed(file)) return vm.getCode(artifact);
        string memory json = vm.readFile(file);
        string[] memory names = vm.parseJsonKeys(json, ".libraries");
        if (names.length == 0) return vm.getCode(file);
        string memory code = vm.parseJsonString(json, ".bytecode");
        for (uint256 i; i < names.length; ++i) {
            string memory placeholder = vm.parseJsonString(json, string.concat(".libraries.", names[i]));
            require(_libraries[names[i]] != address(0), names[i]);
            code = vm.replace(code, placeholder, vm.replace(vm.toString(_libraries[names[i]]), "0x", ""));
        }
        return vm.parseBytes(code);
    }

    /// Bytes of the code of a deployed contract.
    function runtimeSize(string memory artifact) internal view returns (uint256) {
        return vm.parseJsonUint(vm.readFile(_fileOf(artifact)), ".runtimeSize");
    }

    function _deployLibraries(string memory artifact) private {
        string memory file = _fileOf(artifact);
        if (!_isDeployed(file)) return;
        string[] memory names = vm.parseJsonKeys(vm.readFile(file), ".libraries");
        for (uint256 i; i < names.length; ++i) {
            if (_libraries[names[i]] != address(0)) continue;
            _libraries[names[i]] = deployCode(string.concat(names[i], ".sol:", names[i]), "");
        }
    }

    function _isDeployed(string memory file) private view returns (bool) {
        return vm.exists(file) && bytes(vm.envOr("CONTRACTS", string(""))).length == 0;
    }

    function _fileOf(string memory artifact) private pure returns (string memory) {
        return string.concat("contracts/artifacts/", vm.split(artifact, ":")[1], ".json");
    }

    function targetContract(address target) internal {
        _targetContracts.push(target);
    }

    function targetSender(address sender) internal {
        _targetSenders.push(sender);
    }

    function targetSelector(FuzzSelector memory selector) internal {
        _targetSelectors.push(selector);
    }

    function targetContracts() public view returns (address[] memory) {
        return _targetContracts;
    }

    function targetSenders() public view returns (address[] memory) {
        return _targetSenders;
    }

    function targetSelectors() public view returns (FuzzSelector[] memory) {
        return _targetSelectors;
    }
}
