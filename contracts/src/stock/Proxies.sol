// SPDX-License-Identifier: MIT
pragma solidity ^0.8.28;

// The proxy every contract of the venue stands behind. Imported so that a build has its artifact for the deployer.
import {ERC1967Proxy} from "@openzeppelin/contracts/proxy/ERC1967/ERC1967Proxy.sol";
