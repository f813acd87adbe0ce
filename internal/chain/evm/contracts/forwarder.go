package contracts

import (
	"encoding/binary"

	"github.com/ethereum/go-ethereum/common"
	"github.com/ethereum/go-ethereum/crypto"
)

// NativeCoin stands for the native coin of a chain in a list of tokens to flush.
var NativeCoin = common.Address{}

// MaxFirstSweeps is how many forwarders without code, with one token each, one
// transaction can deploy and flush: it may use 2^24 gas on the public networks
// (EIP-7825), refunds not counted, and must keep a token's allowance in hand.
const MaxFirstSweeps = 250

// Salt distinguishes the forwarders of one settlement address:
// keccak256(payment number, 8 bytes big endian ‖ instance id). The number is
// the payment's internal row number, the same on every network; the instance id
// keeps two installations that serve one settlement address from sharing
// deposit addresses.
func Salt(number uint64, instance [16]byte) [32]byte {
	var n [8]byte
	binary.BigEndian.PutUint64(n[:], number)
	return crypto.Keccak256Hash(n[:], instance[:])
}

// ForwarderAddress is the deposit address that pays settlement, whether or not
// it has code yet (EIP-1014).
func ForwarderAddress(factory, settlement common.Address, salt [32]byte) common.Address {
	initCode := cloneInitCode(ImplementationAddress(factory), settlement)
	return crypto.CreateAddress2(factory, salt, crypto.Keccak256(initCode))
}
