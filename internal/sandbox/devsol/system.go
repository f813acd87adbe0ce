package devsol

import (
	"encoding/binary"

	solana "github.com/gagliardetto/solana-go"
)

// maxAccountSize is the largest size, in bytes, of a new account.
const maxAccountSize = 10 << 20

// system is the system program: it creates accounts and moves SOL.
func system(c *call) any {
	if len(c.data) < 4 {
		return errInvalidData
	}
	data := c.data[4:]
	switch binary.LittleEndian.Uint32(c.data) {
	case 0:
		if len(data) < 48 {
			return errInvalidData
		}
		if len(c.keys) < 2 {
			return errNotEnoughKeys
		}
		return c.createAccount(
			0, 1, binary.LittleEndian.Uint64(data), binary.LittleEndian.Uint64(data[8:]), solana.PublicKey(data[16:48]),
		)
	case 2:
		if len(data) < 8 {
			return errInvalidData
		}
		if len(c.keys) < 2 {
			return errNotEnoughKeys
		}
		return c.transferLamports(0, 1, binary.LittleEndian.Uint64(data))
	}
	return errInvalidData
}

func (c *call) createAccount(from, to int, lamports, size uint64, owner solana.PublicKey) any {
	if !c.key(from).signer || !c.key(to).signer {
		return errMissingSigner
	}
	if a := c.account(to); a.Lamports > 0 || len(a.Data) > 0 || a.Owner != solana.SystemProgramID {
		return custom(systemAccountInUse)
	}
	if size > maxAccountSize {
		return custom(3) // InvalidAccountDataLength
	}
	if why := c.transferLamports(from, to, lamports); why != nil {
		return why
	}
	a := c.account(to)
	a.Owner, a.Data = owner, make([]byte, size)
	return c.put(to, a)
}

func (c *call) transferLamports(from, to int, lamports uint64) any {
	if !c.key(from).signer {
		return errMissingSigner
	}
	source := c.account(from)
	if len(source.Data) > 0 {
		return errInvalidArgument
	}
	if source.Owner != solana.SystemProgramID && lamports > 0 {
		return "ExternalAccountLamportSpend"
	}
	if source.Lamports < lamports {
		return custom(systemLacksLamports)
	}
	source.Lamports -= lamports
	if why := c.put(from, source); why != nil {
		return why
	}
	target := c.account(to)
	target.Lamports += lamports
	return c.put(to, target)
}
