// SPDX-License-Identifier: MIT
pragma solidity ^0.8.28;

import {IGate} from "./interfaces/IGate.sol";
import {IInstrument} from "./interfaces/IInstrument.sol";
import {BeaconProxy} from "@openzeppelin/contracts/proxy/beacon/BeaconProxy.sol";

/// The address of one instrument. The beacon is its only constructor argument, so that the address follows from Gate,
/// beacon and index alone; what the instrument is to be, it asks its deployer. Source: perp-protocol 1.1.
contract InstrumentProxy is BeaconProxy {
    constructor(address beacon)
        BeaconProxy(beacon, abi.encodeCall(IInstrument.initialize, (IGate(msg.sender).instrumentInitData())))
    {}
}
