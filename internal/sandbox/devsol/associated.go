package devsol

import (
	"encoding/binary"

	solana "github.com/gagliardetto/solana-go"
)

// recoverNested is the kind of instruction that empties the associated account of an associated account.
const recoverNested = 2

// associated is the associated token account program: it creates the account on which an owner receives a
// mint.
//
//	accounts: payer, account, owner, mint, system program, token program
func associated(c *call) any {
	kind := byte(0)
	if len(c.data) > 0 {
		kind = c.data[0]
	}
	if kind == recoverNested {
		return c.recoverNested()
	}
	if kind > 1 {
		return errInvalidData
	}
	if len(c.keys) < 6 {
		return errNotEnoughKeys
	}
	const payer, account, owner, mint, tokenProgram = 0, 1, 2, 3, 5
	if c.key(tokenProgram).PublicKey != solana.TokenProgramID {
		return errWrongProgram
	}
	address, _, err := solana.FindAssociatedTokenAddress(c.key(owner).PublicKey, c.key(mint).PublicKey)
	if err != nil || address != c.key(account).PublicKey {
		return errInvalidSeeds
	}
	a := c.account(account)
	if held, ok := readToken(a); kind == 1 && ok {
		if held.owner != c.key(owner).PublicKey {
			return custom(0) // InvalidOwner
		}
		if held.mint != c.key(mint).PublicKey {
			return errAccountData
		}
		return nil
	}
	if a.Owner != solana.SystemProgramID {
		return errIllegalOwner
	}
	if c.account(mint).Owner != solana.TokenProgramID {
		return errWrongProgram
	}
	if _, ok := readMint(c.account(mint)); !ok {
		return errAccountData
	}
	if need := c.config.rentExempt(tokenSize); a.Lamports < need {
		if why := c.transferLamports(payer, account, need-a.Lamports); why != nil {
			return why
		}
		a = c.account(account)
	}
	a.Owner = solana.TokenProgramID
	a.Data = tokenAccount{mint: c.key(mint).PublicKey, owner: c.key(owner).PublicKey, state: stateInitialized}.write()
	return c.put(account, a)
}

// recoverNested moves all that lies on a nested account to the owner's associated account of its mint, and closes it.
//
//	accounts: nested account, its mint, destination, the associated account that owns it, that one's mint, owner,
//	token program
func (c *call) recoverNested() any {
	if len(c.keys) < 7 {
		return errNotEnoughKeys
	}
	const nested, mint, destination, parent, parentMint, owner = 0, 1, 2, 3, 4, 5
	for _, is := range [][3]int{{parent, owner, parentMint}, {nested, parent, mint}, {destination, owner, mint}} {
		address, _, err := solana.FindAssociatedTokenAddress(c.key(is[1]).PublicKey, c.key(is[2]).PublicKey)
		if err != nil || address != c.key(is[0]).PublicKey {
			return errInvalidSeeds
		}
	}
	if !c.key(owner).signer {
		return errMissingSigner
	}
	for _, n := range []int{parentMint, parent, nested} {
		if c.account(n).Owner != solana.TokenProgramID {
			return errIllegalOwner
		}
	}
	_, held, why := c.tokenAt(nested)
	if why != nil {
		return why
	}
	signs := c.key(parent)
	signs.signer = true // the program signs for the accounts that it has made
	within := func(keys ...meta) *call { return &call{view: c.view, config: c.config, program: c.program, keys: keys} }
	moved := binary.LittleEndian.AppendUint64(nil, held.amount)
	if why := within(c.key(nested), c.key(destination), signs).moveTokens(moved, false); why != nil {
		return why
	}
	return within(c.key(nested), c.key(owner), signs).closeAccount()
}
