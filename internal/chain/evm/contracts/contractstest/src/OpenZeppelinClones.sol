// SPDX-License-Identifier: MIT
pragma solidity 0.8.37;

import {Clones} from "@openzeppelin/contracts/proxy/Clones.sol";

/// @title OpenZeppelinClones
/// @notice The library the forwarders' creation code is held against.
contract OpenZeppelinClones {
    function predict(
        address implementation,
        bytes calldata args,
        bytes32 salt,
        address deployer
    ) external pure returns (address) {
        return Clones.predictDeterministicAddressWithImmutableArgs(implementation, args, salt, deployer);
    }

    function fetchArgs(address clone) external view returns (bytes memory) {
        return Clones.fetchCloneArgs(clone);
    }
}
