// SPDX-License-Identifier: MIT
pragma solidity 0.8.37;

import {ERC20} from "@openzeppelin/contracts/token/ERC20/ERC20.sol";

/// @title HostileToken
/// @notice A token that misbehaves in one of the ways tokens do, by accident or on purpose.
contract HostileToken is ERC20 {
    enum Behaviour {
        ReturnsFalse, // moves nothing, returns false
        ReturnsNothing, // moves, returns nothing: valid, but older than the standard
        ReturnsTwo, // moves, returns something that is no bool
        Reverts, // custom error
        RevertsEmpty, // no revert data
        TakesFee, // a tenth goes elsewhere
        Calls, // moves, and makes the configured call before and after
        BombsOnSuccess, // moves, returns far more than asked for
        BombsOnFailure, // reverts with far more data than is useful
        BurnsGas, // uses all it gets
        BurnsGasInBalanceOf,
        RevertsInBalanceOf,
        ShortBalanceOf, // returns fewer than 32 bytes
        Lies, // says true and moves nothing
        Heavy // moves, but takes 200,000 gas for it
    }

    error Hostile();

    Behaviour private immutable BEHAVIOUR;
    address private target;
    bytes private data;

    constructor(Behaviour behaviour) ERC20("Hostile", "HOSTILE") {
        BEHAVIOUR = behaviour;
    }

    function mint(address to, uint256 amount) external {
        _mint(to, amount);
    }

    function callOnTransfer(address target_, bytes calldata data_) external {
        target = target_;
        data = data_;
    }

    function balanceOf(address account) public view override returns (uint256) {
        if (BEHAVIOUR == Behaviour.BurnsGasInBalanceOf) _burnGas();
        if (BEHAVIOUR == Behaviour.RevertsInBalanceOf) revert Hostile();
        if (BEHAVIOUR == Behaviour.ShortBalanceOf) {
            assembly {
                mstore(0, not(0))
                return(0, 31)
            }
        }
        return super.balanceOf(account);
    }

    function transfer(address to, uint256 amount) public override returns (bool) {
        Behaviour b = BEHAVIOUR;
        if (b == Behaviour.ReturnsFalse) return false;
        if (b == Behaviour.Lies) return true;
        if (b == Behaviour.Reverts) revert Hostile();
        if (b == Behaviour.BurnsGas) _burnGas();
        if (b == Behaviour.Heavy) {
            uint256 end = gasleft() - 200_000; // without so much it reverts
            while (gasleft() > end) {}
        }
        if (b == Behaviour.RevertsEmpty) {
            assembly {
                revert(0, 0)
            }
        }
        if (b == Behaviour.BombsOnFailure) {
            _revertWithBomb();
        }
        if (b == Behaviour.TakesFee) {
            _transfer(msg.sender, address(this), amount / 10);
            amount -= amount / 10;
        }
        if (b == Behaviour.Calls) _call();
        _transfer(msg.sender, to, amount);
        if (b == Behaviour.Calls) _call();
        if (b == Behaviour.ReturnsNothing) {
            assembly {
                return(0, 0)
            }
        }
        if (b == Behaviour.ReturnsTwo) {
            assembly {
                mstore(0, 2)
                return(0, 32)
            }
        }
        if (b == Behaviour.BombsOnSuccess) {
            assembly {
                mstore(0, 1)
                return(0, 150000)
            }
        }
        return true;
    }

    /// @dev The result of the call is ignored: the attack continues either way.
    function _call() private {
        if (target != address(0)) {
            (bool success, ) = target.call(data);
            success;
        }
    }

    function _revertWithBomb() private pure {
        bytes4 selector = Hostile.selector;
        assembly {
            mstore(0, selector)
            revert(0, 150000)
        }
    }

    function _burnGas() private view {
        for (uint256 i = 0; ; ++i) {
            keccak256(abi.encode(i, gasleft()));
        }
    }
}
