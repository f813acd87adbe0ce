// SPDX-License-Identifier: MIT
pragma solidity 0.8.37;

import {ERC20} from "@openzeppelin/contracts/token/ERC20/ERC20.sol";

/// @title FreezableToken
/// @notice A stablecoin whose issuer can freeze accounts and halt all transfers, as USDC's can.
contract FreezableToken is ERC20 {
    mapping(address => bool) public frozen;
    bool public paused;

    constructor() ERC20("Freezable", "FRZ") {}

    function mint(address to, uint256 amount) external {
        _mint(to, amount);
    }

    function freeze(address account, bool on) external {
        frozen[account] = on;
    }

    function pause(bool on) external {
        paused = on;
    }

    function _update(address from, address to, uint256 amount) internal override {
        require(!paused, "Pausable: paused");
        require(!frozen[from] && !frozen[to], "Blacklistable: account is blacklisted");
        super._update(from, to, amount);
    }
}
