// SPDX-License-Identifier: MIT
pragma solidity 0.8.37;

import {IERC20} from "@openzeppelin/contracts/token/ERC20/IERC20.sol";
import {SafeERC20} from "@openzeppelin/contracts/token/ERC20/utils/SafeERC20.sol";
import {LowLevelCall} from "@openzeppelin/contracts/utils/LowLevelCall.sol";

/// @title Forwarder
/// @notice A deposit address. Whatever arrives here can leave to one place only: the settlement address written
/// into the code of the clone when it was made. There is no owner, no key, no upgrade and no other way out, so
/// anybody may trigger a flush and nobody can divert one.
/// @dev Runs by delegatecall from minimal clones (OpenZeppelin Clones, ERC-1167 with the 20 bytes of the settlement
/// address as immutable argument). It has no storage and approves nothing. Its only calls are balanceOf on a token,
/// transfer on a token with the settlement as recipient, and a plain transfer of the native coin to the settlement.
contract Forwarder {
    using SafeERC20 for IERC20;

    /// @notice The call reached the implementation itself, which is no deposit address.
    error NotAForwarder();

    /// @notice The settlement address refused the native coin.
    error NativeTransferFailed();

    address private immutable IMPLEMENTATION = address(this);

    /// @notice Accepts the native coin; before the clone has code the address takes it anyway. The bare
    /// implementation refuses it, since it could never send it on.
    receive() external payable {
        if (address(this) == IMPLEMENTATION) revert NotAForwarder();
    }

    /// @notice Sends the whole balance of one token to the settlement address.
    /// @param token An ERC-20 contract, or the zero address for the native coin.
    /// @return amount What left this address, in base units; 0 if there was nothing. A token that takes a fee on
    /// transfers delivers less.
    function flush(address token) external returns (uint256 amount) {
        address to = settlement();
        if (token == address(0)) {
            amount = address(this).balance;
            if (amount != 0 && !LowLevelCall.callNoReturn(to, amount, "")) revert NativeTransferFailed();
        } else {
            amount = IERC20(token).balanceOf(address(this));
            if (amount != 0) IERC20(token).safeTransfer(to, amount);
        }
    }

    /// @notice The only address this forwarder ever pays.
    /// @dev The argument follows the 45 bytes of the proxy in the clone's own code, as Clones.fetchCloneArgs has it.
    function settlement() public view returns (address to) {
        if (address(this) == IMPLEMENTATION) revert NotAForwarder();
        assembly ("memory-safe") {
            mstore(0x00, 0)
            extcodecopy(address(), 0x0c, 0x2d, 0x14)
            to := mload(0x00)
        }
    }
}
