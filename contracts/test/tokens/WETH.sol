// SPDX-License-Identifier: MIT
pragma solidity ^0.8.28;

// The wrapped native coin of development chains; other chains have their own. Imported so that a build has its artifact.
import {WETH} from "solady/tokens/WETH.sol";
