// SPDX-License-Identifier: MIT
pragma solidity 0.8.37;

import {Create2} from "@openzeppelin/contracts/utils/Create2.sol";
import {Forwarder} from "./Forwarder.sol";

/// @title ForwarderFactory
/// @notice Makes deposit addresses and empties them into the settlement addresses they were made for.
/// @dev No owner, no storage, no upgrade. The address of a forwarder depends on this factory, the settlement address
/// and a salt, and on nothing else; it can take deposits long before it has code.
contract ForwarderFactory {
    /// @notice One deposit address and what to send on from it.
    /// @param settlement Where the money goes; part of the address.
    /// @param salt Tells the forwarders of one settlement address apart.
    /// @param tokens ERC-20 contracts; the zero address stands for the native coin.
    struct Item {
        address settlement;
        bytes32 salt;
        address[] tokens;
    }

    /// @notice A forwarder sent its balance of a token to its settlement address. A token with nothing to send is
    /// passed over in silence.
    event Flushed(address indexed forwarder, address indexed token, uint256 amount);

    /// @notice A token could not be sent on; it stays where it is and the batch goes on.
    /// @param reason The first four bytes of the revert data, zero if there were fewer.
    event FlushFailed(address indexed forwarder, address indexed token, bytes4 reason);

    /// @notice Too little gas was left to give a token its full allowance: raise the limit or split the batch.
    error OutOfGasForToken();

    /// @notice Reason of FlushFailed for an item whose settlement is the zero address: its money would be burnt.
    error ZeroSettlement();

    /// @notice Gas one token may use, so that a token which burns all it gets cannot starve the rest of the batch.
    /// The stablecoins need less than a quarter; a heavier token is flushed by calling its forwarder directly.
    uint256 public constant GAS_PER_TOKEN = 300_000;

    /// @dev A call keeps back 1/64 of the gas (EIP-150). With this much left, the call gets GAS_PER_TOKEN in full and
    /// enough remains to report its failure.
    uint256 private constant GAS_NEEDED = (GAS_PER_TOKEN * 64) / 63 + 10_000;

    /// @notice The code that every forwarder runs.
    Forwarder public immutable implementation = new Forwarder();

    /// @notice Deploys the forwarders that have no code yet and flushes their tokens. Anybody may call it.
    function sweep(Item[] calldata items) external {
        for (uint256 i = 0; i < items.length; ++i) {
            Item calldata item = items[i];
            bytes memory creationCode = _creationCode(item.settlement);
            address forwarder = Create2.computeAddress(item.salt, keccak256(creationCode));
            if (item.settlement == address(0)) {
                emit FlushFailed(forwarder, address(0), ZeroSettlement.selector);
                continue;
            }
            if (forwarder.code.length == 0) Create2.deploy(0, item.salt, creationCode);
            address[] calldata tokens = item.tokens;
            for (uint256 j = 0; j < tokens.length; ++j) {
                _flush(forwarder, tokens[j]);
            }
        }
    }

    /// @notice The address of a forwarder, whether or not it has code yet.
    function forwarderAddress(address settlement, bytes32 salt) external view returns (address) {
        return Create2.computeAddress(salt, keccak256(_creationCode(settlement)));
    }

    /// @dev What OpenZeppelin's Clones.cloneDeterministicWithImmutableArgs deploys; built here so that one copy serves
    /// both the address and the deployment. 0x41 is the length of the proxy, 45 bytes, and of its argument, 20.
    function _creationCode(address settlement) private view returns (bytes memory) {
        return
            abi.encodePacked(
                hex"61_0041_3d81600a3d39f3_363d3d373d3d3d363d73",
                implementation,
                hex"5af43d82803e903d91602b57fd5bf3",
                settlement
            );
    }

    /// @dev Were the gas not checked, a gas limit too low would look like a bad token, and gas estimation would settle
    /// for it. At most 32 bytes of what comes back are looked at, however much a token returns.
    function _flush(address forwarder, address token) private {
        if (gasleft() < GAS_NEEDED) revert OutOfGasForToken();
        bytes4 selector = Forwarder.flush.selector;
        bool success;
        bytes32 result;
        assembly ("memory-safe") {
            mstore(0x00, selector)
            mstore(0x04, token)
            success := call(GAS_PER_TOKEN, forwarder, 0, 0x00, 0x24, 0x00, 0x20)
            // What was not returned must not be taken for a reason: the selector stands there still.
            if lt(returndatasize(), 0x04) {
                mstore(0x00, 0)
            }
            result := mload(0x00)
        }
        if (!success) emit FlushFailed(forwarder, token, bytes4(result));
        else if (result != 0) emit Flushed(forwarder, token, uint256(result));
    }
}
