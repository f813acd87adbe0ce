// SPDX-License-Identifier: MIT
pragma solidity 0.8.37;

/// @title HostileSettlement
/// @notice A settlement contract that misbehaves when it is sent the native coin.
contract HostileSettlement {
    enum Behaviour {
        Accepts,
        Refuses,
        BurnsGas,
        Bombs, // reverts with far more than anybody wants to read
        Calls // makes the configured call
    }

    error Hostile();

    Behaviour public behaviour;
    address private target;
    bytes private data;

    constructor(Behaviour behaviour_) {
        behaviour = behaviour_;
    }

    function callOnReceive(address target_, bytes calldata data_) external {
        target = target_;
        data = data_;
    }

    receive() external payable {
        if (behaviour == Behaviour.Refuses) revert Hostile();
        if (behaviour == Behaviour.Bombs) {
            assembly {
                revert(0, 150000)
            }
        }
        if (behaviour == Behaviour.BurnsGas) {
            for (uint256 i = 0; ; ++i) {
                keccak256(abi.encode(i, gasleft()));
            }
        }
        if (behaviour == Behaviour.Calls) {
            (bool success, ) = target.call(data);
            success;
        }
    }
}
