// SPDX-License-Identifier: MIT
pragma solidity ^0.8.28;

interface IInitializeOnce {
    event Initialized(uint8 version);

    error AlreadyInitialized();
}
