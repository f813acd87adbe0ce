package contracts

import (
	"math/big"

	"github.com/ethereum/go-ethereum/common"
	"github.com/ethereum/go-ethereum/core/types"
)

// The deterministic deployment proxy is a contract without owner that hands its
// calldata to CREATE2: 32 bytes of salt, then init code. It was deployed by a
// transaction without chain id whose signature was chosen rather than made, so
// its address is the same on every chain and the key of its sender is unknown.
var (
	// DeployerAddress is where the deterministic deployment proxy lives on every EVM chain.
	DeployerAddress = common.HexToAddress("0x4e59b44847b379578588920cA78FbF26c0B4956C")
	// DeployerSigner is the sender of the presigned deployment; it must hold
	// DeployerFunding before that is broadcast.
	DeployerSigner = common.HexToAddress("0x3fab184622dc19b6109349b94811493bf2a45362")
	// DeployerCodeHash is the keccak256 of the proxy's runtime code.
	DeployerCodeHash = common.HexToHash("0x2fa86add0aed31f33a762c9d88e807c475bd51d0f52bd0955754b2608f7e4989")
)

// DeployerFunding is the price of the presigned deployment in wei: 100,000 gas at 100 gwei.
func DeployerFunding() *big.Int { return big.NewInt(100_000 * 100_000_000_000) }

// DeployerTransaction is the presigned transaction that deploys the proxy. It
// predates EIP-155, so nodes take it only if they accept transactions without
// chain id. Development chains need it; public networks have the proxy already.
func DeployerTransaction() *types.Transaction {
	r := new(big.Int).SetBytes(common.FromHex("0x2222222222222222222222222222222222222222222222222222222222222222"))
	return types.NewTx(&types.LegacyTx{
		Nonce:    0,
		GasPrice: big.NewInt(100_000_000_000),
		Gas:      100_000,
		Value:    new(big.Int),
		Data: common.FromHex("0x604580600e600039806000f350fe" +
			"7fffffffffffffffffffffffffffffffffffffffffffffffffffffffffffffffe0" +
			"3601600081602082378035828234f58015156039578182fd5b8082525050506014600cf3"),
		V: big.NewInt(27),
		R: r,
		S: r,
	})
}

// DeployerCalldata is what to send to DeployerAddress to have it deploy initCode under salt.
func DeployerCalldata(salt [32]byte, initCode []byte) []byte {
	return append(salt[:], initCode...)
}
