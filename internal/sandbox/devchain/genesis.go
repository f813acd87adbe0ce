package devchain

import (
	"fmt"
	"math/big"
	"strconv"

	"github.com/ethereum/go-ethereum/core"
	"github.com/ethereum/go-ethereum/core/rawdb"
	"github.com/ethereum/go-ethereum/core/state"
	"github.com/ethereum/go-ethereum/core/types"
	"github.com/ethereum/go-ethereum/params"
	"github.com/ethereum/go-ethereum/triedb"
	"github.com/ethereum/go-ethereum/triedb/hashdb"

	"github.com/florinpay/florin/internal/chain/evm/contracts"
)

// blockGasLimit is what a block may use; one transaction may use 2^24
// (EIP-7825), as on the public networks.
const blockGasLimit = 60_000_000

// rulesOf are those of today's public networks, with a chain id of our own.
func rulesOf(chainID uint64) *params.ChainConfig {
	rules := *params.AllDevChainProtocolChanges
	rules.ChainID = new(big.Int).SetUint64(chainID)
	rules.BogotaTime = nil
	return &rules
}

// genesis makes the first block and its state, in memory: it funds the faucet and the signer of the deterministic
// proxy's deployment.
func genesis(rules *params.ChainConfig) (*block, state.Database, error) {
	first := core.Genesis{
		Config: rules,
		// No header contains the chain id. Here it changes the first block's hash, so that opening a directory of
		// another chain is an error.
		ExtraData: strconv.AppendUint(nil, rules.ChainID.Uint64(), 10),
		GasLimit:  blockGasLimit,
		Alloc: types.GenesisAlloc{
			FaucetAddress():          {Balance: new(big.Int).Lsh(big.NewInt(1), 120)},
			contracts.DeployerSigner: {Balance: contracts.DeployerFunding()},
		},
	}
	disk := rawdb.NewMemoryDatabase()
	tries := triedb.NewDatabase(disk, &triedb.Config{HashDB: &hashdb.Config{}})
	made, err := first.Commit(disk, tries, nil)
	if err != nil {
		return nil, nil, fmt.Errorf("devchain: first block: %w", err)
	}
	b := &block{
		hash: made.Hash(), root: made.Root(), time: made.Time(), baseFee: made.BaseFee().Uint64(),
		content: &content{block: made},
	}
	return b, state.NewDatabase(tries, nil), nil
}
