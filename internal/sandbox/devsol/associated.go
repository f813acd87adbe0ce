package devsol

import solana "github.com/gagliardetto/solana-go"

// associated is the associated token account program: it creates the account on which an owner receives a
// mint.
//
//	accounts: payer, account, owner, mint, system program, token program
func associated(c *call) any {
	kind := byte(0)
	if len(c.data) > 0 {
		kind = c.data[0]
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
