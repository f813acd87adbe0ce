package devchain

import (
	"errors"
	"fmt"
	"math/big"
	"strconv"

	"github.com/ethereum/go-ethereum/core"
	"github.com/ethereum/go-ethereum/core/rawdb"
	"github.com/ethereum/go-ethereum/core/types"
	"github.com/ethereum/go-ethereum/eth"
	"github.com/ethereum/go-ethereum/eth/ethconfig"
	"github.com/ethereum/go-ethereum/eth/filters"
	"github.com/ethereum/go-ethereum/node"
	"github.com/ethereum/go-ethereum/p2p"
	"github.com/ethereum/go-ethereum/params"
	"github.com/ethereum/go-ethereum/rpc"

	"github.com/florinpay/florin/internal/chain/evm/contracts"
)

// blockGasLimit is what a block may use; one transaction may use 2^24
// (EIP-7825), as on the public networks.
const blockGasLimit = 60_000_000

// newNode assembles and starts an Ethereum node without peers, as
// ethclient/simulated does, with a chain id of our own and an HTTP endpoint.
func newNode(c Config) (*node.Node, *eth.Ethereum, error) {
	stack, err := node.New(nodeConfig(c))
	if err != nil {
		return nil, nil, fmt.Errorf("devchain: open %q: %w", c.DataDir, err)
	}
	backend, err := eth.New(stack, chainConfig(c))
	if err != nil {
		return nil, nil, errors.Join(
			fmt.Errorf("devchain: chain %d in %q: %w", c.ChainID, c.DataDir, err), stack.Close(),
		)
	}
	filterSystem := filters.NewFilterSystem(backend.APIBackend, filters.Config{})
	stack.RegisterAPIs([]rpc.API{{Namespace: "eth", Service: filters.NewFilterAPI(filterSystem)}})
	if err := stack.Start(); err != nil {
		return nil, nil, errors.Join(fmt.Errorf("devchain: start: %w", err), stack.Close())
	}
	backend.SetSynced() // there are no peers to wait for before transactions are taken
	return stack, backend, nil
}

func nodeConfig(c Config) *node.Config {
	modules := []string{"eth", "net", "web3"}
	conf := node.DefaultConfig
	conf.Name = "devchain"
	conf.DataDir = c.DataDir
	conf.P2P = p2p.Config{NoDiscovery: true}
	conf.UseLightweightKDF = true
	conf.AllowUnprotectedTxs = true // the deterministic proxy's deployment has no chain id
	conf.HTTPHost, conf.HTTPPort, conf.HTTPModules = "127.0.0.1", c.Port, modules
	conf.WSHost, conf.WSPort, conf.WSModules = "127.0.0.1", c.Port, modules
	return &conf
}

func chainConfig(c Config) *ethconfig.Config {
	conf := ethconfig.Defaults
	conf.Genesis = genesis(c.ChainID)
	conf.NetworkId = c.ChainID
	conf.SyncMode = ethconfig.FullSync
	conf.TxPool.NoLocals = true
	conf.LogNoHistory = true // logs are searched without an index
	conf.RPCTxFeeCap = 0
	// Every block's state goes to disk at once: a killed process loses none.
	conf.StateScheme = rawdb.HashScheme
	conf.NoPruning = true
	conf.SnapshotCache = 0
	conf.TrieCleanCache, conf.TrieDirtyCache, conf.DatabaseCache, conf.DatabaseHandles = 16, 0, 16, 64
	return &conf
}

// genesis funds the faucet and the signer of the deterministic proxy's deployment. Of the system contracts it
// has only those without which no block is valid: those that record every block's hash and beacon root would
// make even empty blocks grow the database.
func genesis(chainID uint64) *core.Genesis {
	config := *params.AllDevChainProtocolChanges
	config.ChainID = new(big.Int).SetUint64(chainID)
	config.BogotaTime = nil
	system := core.SystemContractAllocs()
	return &core.Genesis{
		Config: &config,
		// No header contains the chain id. Here it changes the first block's hash, so that opening a directory of
		// another chain is an error.
		ExtraData: strconv.AppendUint(nil, chainID, 10),
		GasLimit:  blockGasLimit,
		Alloc: types.GenesisAlloc{
			params.WithdrawalQueueAddress:    system[params.WithdrawalQueueAddress],
			params.ConsolidationQueueAddress: system[params.ConsolidationQueueAddress],
			FaucetAddress():                  {Balance: new(big.Int).Lsh(big.NewInt(1), 120)},
			contracts.DeployerSigner:         {Balance: contracts.DeployerFunding()},
		},
	}
}
