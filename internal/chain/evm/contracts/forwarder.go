package contracts

import (
	"github.com/ethereum/go-ethereum/common"
	"github.com/ethereum/go-ethereum/crypto"
)

// NativeCoin stands for the native coin of a chain in a list of tokens to flush.
var NativeCoin = common.Address{}

// MaxFirstSweeps is how many forwarders without code, with one token each, one
// transaction can deploy and flush: it may use 2^24 gas on the public networks
// (EIP-7825), refunds not counted, and must keep a token's allowance in hand.
const MaxFirstSweeps = 250

// saltDomain keeps the salts apart from those of other programs. Changing it
// moves every deposit address, so a new one is a new chain.AddressScheme.
const saltDomain = "florin/deposit/v1"

// Salt distinguishes the forwarders of one settlement address:
// keccak256(saltDomain ‖ the 16 bytes of the txnid). It is the same on every
// network, and nothing but the txnid enters into it, so that nothing but the
// txnid is needed to find the address again.
func Salt(txnid [16]byte) [32]byte {
	return crypto.Keccak256Hash([]byte(saltDomain), txnid[:])
}

// ForwarderAddress is the deposit address that pays settlement, whether or not
// it has code yet (EIP-1014).
func ForwarderAddress(factory, settlement common.Address, salt [32]byte) common.Address {
	initCode := cloneInitCode(ImplementationAddress(factory), settlement)
	return crypto.CreateAddress2(factory, salt, crypto.Keccak256(initCode))
}
