// SPDX-License-Identifier: MIT
pragma solidity 0.8.37;

/// @title TestFeed
/// @notice A price feed of development chains (Chainlink's AggregatorV3Interface), where anybody may set the price.
contract TestFeed {
    string public description;
    uint8 public decimals;
    int256 private answer;
    uint256 private updatedAt;
    bool private stopped;

    constructor(string memory description_, uint8 decimals_) {
        description = description_;
        decimals = decimals_;
    }

    /// @notice Sets the price and when it was set; a stopped feed answers again.
    function set(int256 answer_, uint256 updatedAt_) external {
        answer = answer_;
        updatedAt = updatedAt_;
        stopped = false;
    }

    /// @notice Lets the feed answer nothing, like one that was retired.
    function stop() external {
        stopped = true;
    }

    function latestRoundData()
        external
        view
        returns (uint80 roundId, int256 answer_, uint256 startedAt, uint256 updatedAt_, uint80 answeredInRound)
    {
        require(!stopped, "retired");
        return (1, answer, updatedAt, updatedAt, 1);
    }
}
