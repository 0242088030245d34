// SPDX-License-Identifier: MIT
pragma solidity ^0.8.28;

// The proxy every contract of the venue stands behind, and the timelock that administrates them where there is real value.
// Imported so that a build has their artifacts for the deployer.
import {TimelockController} from "@openzeppelin/contracts/governance/TimelockController.sol";
import {ERC1967Proxy} from "@openzeppelin/contracts/proxy/ERC1967/ERC1967Proxy.sol";
