package devsol

import (
	"encoding/binary"

	solana "github.com/gagliardetto/solana-go"
)

// Instructions of the token program, by the first byte of their data.
const (
	tokenInitializeMint     = 0
	tokenTransfer           = 3
	tokenSetAuthority       = 6
	tokenMintTo             = 7
	tokenClose              = 9
	tokenFreeze             = 10
	tokenThaw               = 11
	tokenTransferChecked    = 12
	tokenInitializeAccount3 = 18
	tokenInitializeMint2    = 20
)

// token is the classic token program, as far as sweeps and wallets use it.
func token(c *call) any {
	if len(c.data) == 0 {
		return custom(tokenInvalidInstr)
	}
	data := c.data[1:]
	switch c.data[0] {
	case tokenInitializeMint, tokenInitializeMint2:
		return c.initializeMint(data)
	case tokenInitializeAccount3:
		return c.initializeAccount(data)
	case tokenTransfer, tokenTransferChecked:
		return c.moveTokens(data, c.data[0] == tokenTransferChecked)
	case tokenMintTo:
		return c.mintTo(data)
	case tokenClose:
		return c.closeAccount()
	case tokenSetAuthority:
		return c.setAuthority(data)
	case tokenFreeze:
		return c.freeze(stateFrozen)
	case tokenThaw:
		return c.freeze(stateInitialized)
	}
	return custom(tokenInvalidInstr)
}

// amount decodes the u64 at the start of an instruction.
func amount(data []byte) (uint64, bool) {
	if len(data) < 8 {
		return 0, false
	}
	return binary.LittleEndian.Uint64(data), true
}

// blank returns the first account, which must be of the token program, of the size, unused and rent-exempt: its state
// is at the offset.
func (c *call) blank(size, state int) (a Account, why any) {
	a = c.account(0)
	switch {
	case a.Owner != solana.TokenProgramID || len(a.Data) != size:
		return a, errAccountData
	case a.Data[state] != 0:
		return a, custom(tokenAlreadyInUse)
	case a.Lamports < c.config.rentExempt(size):
		return a, custom(tokenNotRentExempt)
	}
	return a, nil
}

func (c *call) initializeMint(data []byte) any {
	if len(data) < 34 {
		return custom(tokenInvalidInstr)
	}
	if len(c.keys) < 1 {
		return errNotEnoughKeys
	}
	a, why := c.blank(mintSize, 45)
	if why != nil {
		return why
	}
	authority := solana.PublicKey(data[1:33])
	m := mintAccount{decimals: data[0], authority: &authority}
	if data[33] == 1 && len(data) >= 66 {
		freezer := solana.PublicKey(data[34:66])
		m.freezer = &freezer
	}
	a.Data = m.write()
	return c.put(0, a)
}

func (c *call) initializeAccount(data []byte) any {
	if len(data) < 32 {
		return custom(tokenInvalidInstr)
	}
	if len(c.keys) < 2 {
		return errNotEnoughKeys
	}
	a, why := c.blank(tokenSize, 108)
	if why != nil {
		return why
	}
	if _, ok := readMint(c.account(1)); !ok {
		return custom(tokenInvalidMint)
	}
	a.Data = tokenAccount{mint: c.key(1).PublicKey, owner: solana.PublicKey(data[:32]), state: stateInitialized}.write()
	return c.put(0, a)
}

// tokenAt decodes the n-th account as a token account.
func (c *call) tokenAt(n int) (Account, tokenAccount, any) {
	a := c.account(n)
	if a.Owner != solana.TokenProgramID {
		if !a.exists() || len(a.Data) != tokenSize {
			return a, tokenAccount{}, errAccountData
		}
		return a, tokenAccount{}, errWrongProgram
	}
	if len(a.Data) != tokenSize {
		return a, tokenAccount{}, errAccountData
	}
	t, ok := readToken(a)
	if !ok {
		return a, t, errUninitialized
	}
	return a, t, nil
}

// signedBy checks that the n-th account is the authority and has signed.
func (c *call) signedBy(n int, authority solana.PublicKey) any {
	if c.key(n).PublicKey != authority {
		return custom(tokenOwnerMismatch)
	}
	if !c.key(n).signer {
		return errMissingSigner
	}
	return nil
}

// moveTokens is Transfer (source, target, owner) and TransferChecked (source,
// mint, target, owner).
func (c *call) moveTokens(data []byte, checked bool) any {
	units, ok := amount(data)
	if !ok || checked && len(data) < 9 {
		return custom(tokenInvalidInstr)
	}
	from, to, owner := 0, 1, 2
	if checked {
		to, owner = 2, 3
	}
	if len(c.keys) <= owner {
		return errNotEnoughKeys
	}
	source, s, why := c.tokenAt(from)
	if why != nil {
		return why
	}
	_, t, why := c.tokenAt(to)
	if why != nil {
		return why
	}
	switch {
	case s.state == stateFrozen || t.state == stateFrozen:
		return custom(tokenFrozen)
	case s.amount < units:
		return custom(tokenInsufficient)
	case s.mint != t.mint:
		return custom(tokenMintMismatch)
	}
	if checked {
		if c.key(1).PublicKey != s.mint {
			return custom(tokenMintMismatch)
		}
		if m, ok := readMint(c.account(1)); !ok || m.decimals != data[8] {
			return custom(tokenDecimalsMismatch)
		}
	}
	if why := c.signedBy(owner, s.owner); why != nil {
		return why
	}
	if c.key(from).PublicKey == c.key(to).PublicKey || units == 0 {
		return nil
	}
	s.amount -= units
	source.Data = s.write()
	if why := c.put(from, source); why != nil {
		return why
	}
	target := c.account(to)
	t.amount += units
	target.Data = t.write()
	return c.put(to, target)
}

// mintTo mints tokens: mint, account, authority.
func (c *call) mintTo(data []byte) any {
	units, ok := amount(data)
	if !ok {
		return custom(tokenInvalidInstr)
	}
	if len(c.keys) < 3 {
		return errNotEnoughKeys
	}
	account, t, why := c.tokenAt(1)
	if why != nil {
		return why
	}
	if t.state == stateFrozen {
		return custom(tokenFrozen)
	}
	if t.mint != c.key(0).PublicKey {
		return custom(tokenMintMismatch)
	}
	minting := c.account(0)
	m, ok := readMint(minting)
	if !ok {
		return errAccountData
	}
	if m.authority == nil {
		return custom(tokenFixedSupply)
	}
	if why := c.signedBy(2, *m.authority); why != nil {
		return why
	}
	if m.supply+units < m.supply || t.amount+units < t.amount {
		return custom(14) // Overflow
	}
	m.supply += units
	t.amount += units
	minting.Data, account.Data = m.write(), t.write()
	if why := c.put(0, minting); why != nil {
		return why
	}
	return c.put(1, account)
}

// closeAccount sends the rent of an emptied account to a target: account, target, owner.
func (c *call) closeAccount() any {
	if len(c.keys) < 3 {
		return errNotEnoughKeys
	}
	if c.key(0).PublicKey == c.key(1).PublicKey {
		return errAccountData
	}
	account, t, why := c.tokenAt(0)
	if why != nil {
		return why
	}
	if t.amount != 0 {
		return custom(tokenNonNativeBalance)
	}
	authority := t.owner
	if t.closer != nil {
		authority = *t.closer
	}
	if why := c.signedBy(2, authority); why != nil {
		return why
	}
	target := c.account(1)
	target.Lamports += account.Lamports
	if why := c.put(1, target); why != nil {
		return why
	}
	return c.put(0, missing())
}

// Kinds of authority of SetAuthority.
const (
	authorityMint   = 0
	authorityFreeze = 1
	authorityOwner  = 2
	authorityClose  = 3
)

// setAuthority transfers a right: account or mint, present authority.
func (c *call) setAuthority(data []byte) any {
	if len(data) < 2 || data[1] == 1 && len(data) < 34 {
		return custom(tokenInvalidInstr)
	}
	if len(c.keys) < 2 {
		return errNotEnoughKeys
	}
	var to *solana.PublicKey
	if data[1] == 1 {
		k := solana.PublicKey(data[2:34])
		to = &k
	}
	a := c.account(0)
	if m, ok := readMint(a); ok {
		return c.setMintAuthority(a, m, data[0], to)
	}
	a, t, why := c.tokenAt(0)
	if why != nil {
		return why
	}
	if t.state == stateFrozen {
		return custom(tokenFrozen)
	}
	switch data[0] {
	case authorityOwner:
		if why := c.signedBy(1, t.owner); why != nil {
			return why
		}
		if to == nil {
			return custom(tokenInvalidInstr)
		}
		t.owner = *to
	case authorityClose:
		holder := t.owner
		if t.closer != nil {
			holder = *t.closer
		}
		if why := c.signedBy(1, holder); why != nil {
			return why
		}
		t.closer = to
	default:
		return custom(15) // AuthorityTypeNotSupported
	}
	a.Data = t.write()
	return c.put(0, a)
}

func (c *call) setMintAuthority(a Account, m mintAccount, kind byte, to *solana.PublicKey) any {
	holder := &m.authority
	switch kind {
	case authorityMint:
	case authorityFreeze:
		holder = &m.freezer
	default:
		return custom(15) // AuthorityTypeNotSupported
	}
	if *holder == nil {
		return custom(tokenFixedSupply)
	}
	if why := c.signedBy(1, **holder); why != nil {
		return why
	}
	*holder = to
	a.Data = m.write()
	return c.put(0, a)
}

// freeze is FreezeAccount and ThawAccount: account, mint, authority.
func (c *call) freeze(state byte) any {
	if len(c.keys) < 3 {
		return errNotEnoughKeys
	}
	a, t, why := c.tokenAt(0)
	if why != nil {
		return why
	}
	if t.state == state {
		return custom(13) // InvalidState
	}
	if t.mint != c.key(1).PublicKey {
		return custom(tokenMintMismatch)
	}
	m, ok := readMint(c.account(1))
	if !ok {
		return errAccountData
	}
	if m.freezer == nil {
		return custom(tokenCannotFreeze)
	}
	if why := c.signedBy(2, *m.freezer); why != nil {
		return why
	}
	t.state = state
	a.Data = t.write()
	return c.put(0, a)
}
