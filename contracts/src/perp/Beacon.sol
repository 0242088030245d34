// SPDX-License-Identifier: MIT
pragma solidity ^0.8.28;

import {UpgradeableBeacon} from "@openzeppelin/contracts/proxy/beacon/UpgradeableBeacon.sol";

/// Names the Instrument implementation of one market type; its owner can replace it for all of them at once.
contract Beacon is UpgradeableBeacon {
    constructor(address implementation_, address owner_) UpgradeableBeacon(implementation_, owner_) {}
}
