package contracts

import (
	"bytes"
	"sync"

	"github.com/ethereum/go-ethereum/common"
	"github.com/ethereum/go-ethereum/crypto"
)

// factorySalt is the CREATE2 salt of the factory. Changing it moves every deposit address.
var factorySalt = crypto.Keccak256Hash([]byte("florin forwarder factory 1"))

// What stands on a chain where the factory was deployed as FactoryDeployment
// says. Compare these with the chain before offering a network. They are
// pinned: a change of compiler, library or source that moves them moves every
// deposit address, and must be made on purpose.
var (
	// FactoryCodeHash is the keccak256 of the factory's runtime code at FactoryAddress.
	FactoryCodeHash = common.HexToHash("0xbc83aeb44e64b245c17c3ee58be838c8eefd0870c5183785bba34db8df2aef47")
	// ImplementationCodeHash is the keccak256 of the forwarder implementation's runtime code.
	ImplementationCodeHash = common.HexToHash("0xb931a07c9377347dd07104ca516db0ab9dd99dc5685deb8ca414d3c7a7d2ea2c")
)

// FactoryInitCode is the creation bytecode of the factory; it takes no constructor arguments.
func FactoryInitCode() []byte { return common.FromHex(ForwarderFactoryMetaData.Bin) }

// FactoryDeployment is the transaction that deploys the factory: any account
// may send it, once per chain. Sent again, it fails and changes nothing.
func FactoryDeployment() (to common.Address, calldata []byte) {
	return DeployerAddress, DeployerCalldata(factorySalt, FactoryInitCode())
}

// FactoryAddress is the address of the factory, the same on every EVM chain.
func FactoryAddress() common.Address { return factoryAddress() }

var factoryAddress = sync.OnceValue(func() common.Address {
	return crypto.CreateAddress2(DeployerAddress, factorySalt, crypto.Keccak256(FactoryInitCode()))
})

// ImplementationAddress is the address of the code that the clones of a factory
// run: the factory's first creation.
func ImplementationAddress(factory common.Address) common.Address {
	return crypto.CreateAddress(factory, 1)
}

// RuntimeCodeOfForwarder is the code a deployed forwarder has: an ERC-1167
// clone followed by its settlement address.
func RuntimeCodeOfForwarder(factory, settlement common.Address) []byte {
	return cloneInitCode(ImplementationAddress(factory), settlement)[clonePreambleLength:]
}

// The creation code of a clone, as OpenZeppelin's Clones writes it: push the
// runtime length, copy, return; then the minimal proxy of ERC-1167 around the
// implementation; then the immutable argument.
const (
	clonePreamble       = "\x61\x00\x41\x3d\x81\x60\x0a\x3d\x39\xf3" // 0x41 = 45 bytes of proxy + 20 of argument
	clonePreambleLength = len(clonePreamble)
	cloneHead           = "\x36\x3d\x3d\x37\x3d\x3d\x3d\x36\x3d\x73"
	cloneTail           = "\x5a\xf4\x3d\x82\x80\x3e\x90\x3d\x91\x60\x2b\x57\xfd\x5b\xf3"
)

func cloneInitCode(implementation, settlement common.Address) []byte {
	return bytes.Join([][]byte{
		[]byte(clonePreamble), []byte(cloneHead), implementation[:], []byte(cloneTail), settlement[:],
	}, nil)
}
