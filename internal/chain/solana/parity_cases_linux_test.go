package solana_test

import (
	"encoding/binary"

	solanago "github.com/gagliardetto/solana-go"
)

// parityCase is one transaction; the cases build on each other.
type parityCase struct {
	name  string
	fails bool
	list  func(w *world) []solanago.Instruction
	by    func(w *world) []solanago.PrivateKey
}

func (c parityCase) signers(w *world) []solanago.PrivateKey {
	if c.by == nil {
		return []solanago.PrivateKey{w.alice}
	}
	return c.by(w)
}

func does(name string, list func(w *world) []solanago.Instruction) parityCase {
	return parityCase{name: name, list: list}
}

func fails(name string, list func(w *world) []solanago.Instruction) parityCase {
	return parityCase{name: name, list: list, fails: true}
}

func one(f func(w *world) solanago.Instruction) func(w *world) []solanago.Instruction {
	return func(w *world) []solanago.Instruction { return []solanago.Instruction{f(w)} }
}

func (w *world) pk() solanago.PublicKey { return w.alice.PublicKey() }

// recover empties the account in EUR of an account of Alice into another one.
func (w *world) recover(parent, mint, to solanago.PublicKey) solanago.Instruction {
	return solanago.NewInstruction(solanago.SPLAssociatedTokenAccountProgramID, solanago.AccountMetaSlice{
		solanago.Meta(ata(parent, w.eur)).WRITE(), solanago.Meta(w.eur), solanago.Meta(to).WRITE(),
		solanago.Meta(parent), solanago.Meta(mint), solanago.Meta(w.pk()).WRITE().SIGNER(),
		solanago.Meta(solanago.TokenProgramID),
	}, []byte{2})
}

// unsigned removes the signature that an instruction requires.
func unsigned(i solanago.Instruction) solanago.Instruction {
	data, _ := i.Data()
	var accounts []*solanago.AccountMeta
	for _, m := range i.Accounts() {
		accounts = append(accounts, &solanago.AccountMeta{PublicKey: m.PublicKey, IsWritable: m.IsWritable})
	}
	return solanago.NewInstruction(i.ProgramID(), accounts, data)
}

// readonly makes an account of an instruction read-only.
func readonly(i solanago.Instruction) solanago.Instruction {
	data, _ := i.Data()
	var accounts []*solanago.AccountMeta
	for _, m := range i.Accounts() {
		accounts = append(accounts, &solanago.AccountMeta{PublicKey: m.PublicKey, IsSigner: m.IsSigner})
	}
	return solanago.NewInstruction(i.ProgramID(), accounts, data)
}

func budgetOf(kind byte, data []byte) solanago.Instruction {
	return solanago.NewInstruction(solanago.ComputeBudget, nil, append([]byte{kind}, data...))
}

var parityCases = []parityCase{
	does("SystemTransfer", one(func(w *world) solanago.Instruction {
		return transferSOL(w.pk(), w.bob.PublicKey(), 5_000_000)
	})),
	does("SystemTransferNothing", one(func(w *world) solanago.Instruction {
		return transferSOL(w.pk(), w.bob.PublicKey(), 0)
	})),
	fails("SystemTransferTooMuch", one(func(w *world) solanago.Instruction {
		return transferSOL(w.pk(), w.bob.PublicKey(), 5*solanago.LAMPORTS_PER_SOL)
	})),
	fails("SystemTransferBelowRent", one(func(w *world) solanago.Instruction {
		return transferSOL(w.pk(), w.spare.PublicKey(), 1_000)
	})),
	fails("SystemTransferUnsigned", func(w *world) []solanago.Instruction {
		return []solanago.Instruction{
			unsigned(transferSOL(w.bob.PublicKey(), w.payer, 1_000)), transferSOL(w.pk(), w.payer, 1),
		}
	}),
	fails("SystemTransferOfTokenAccount", one(func(w *world) solanago.Instruction {
		return transferSOL(w.usd, w.payer, 1)
	})).with(
		func(w *world) []solanago.PrivateKey { return []solanago.PrivateKey{w.usdKey} }),
	fails("CreateAccountThatExists", one(func(w *world) solanago.Instruction {
		return createAccount(w.payer, w.pk(), w.rent(165), 165, solanago.TokenProgramID)
	})),
	fails("SystemGarbled", one(func(w *world) solanago.Instruction {
		return system(
			2, []*solanago.AccountMeta{solanago.Meta(w.pk()).WRITE().SIGNER(), solanago.Meta(w.payer).WRITE()}, 1, 2,
		)
	})),

	does("Transfer", one(func(w *world) solanago.Instruction { return transfer(w.a, w.b, w.pk(), 100) })),
	does("TransferNothing", one(func(w *world) solanago.Instruction { return transfer(w.a, w.b, w.pk(), 0) })),
	does("TransferToItself", one(func(w *world) solanago.Instruction { return transfer(w.a, w.a, w.pk(), 10) })),
	fails("TransferTooMuch", one(func(w *world) solanago.Instruction { return transfer(w.a, w.b, w.pk(), 5_000) })),
	fails("TransferOfAnother", one(func(w *world) solanago.Instruction { return transfer(w.b, w.a, w.pk(), 1) })),
	fails("TransferOtherMint", one(func(w *world) solanago.Instruction { return transfer(w.ae, w.b, w.pk(), 1) })),
	fails("TransferUnsigned", func(w *world) []solanago.Instruction {
		return []solanago.Instruction{
			unsigned(transfer(w.b, w.a, w.bob.PublicKey(), 1)), transferSOL(w.pk(), w.payer, 1),
		}
	}),
	fails("TransferReadonly", func(w *world) []solanago.Instruction {
		return []solanago.Instruction{readonly(transfer(w.a, w.b, w.pk(), 1))}
	}),
	fails("TransferToWallet", one(func(w *world) solanago.Instruction {
		return transfer(w.a, w.bob.PublicKey(), w.pk(), 1)
	})),
	fails("TransferToNothing", one(func(w *world) solanago.Instruction {
		return transfer(w.a, w.spare.PublicKey(), w.pk(), 1)
	})),
	fails("TransferGarbled", one(func(w *world) solanago.Instruction {
		return tokens(
			[]byte{3, 1}, solanago.Meta(w.a).WRITE(), solanago.Meta(w.b).WRITE(), solanago.Meta(w.pk()).SIGNER(),
		)
	})),
	does("TransferChecked", one(func(w *world) solanago.Instruction {
		return transferChecked(w.a, w.usd, w.b, w.pk(), 100, 6)
	})),
	fails("TransferCheckedDecimals", one(func(w *world) solanago.Instruction {
		return transferChecked(w.a, w.usd, w.b, w.pk(), 1, 9)
	})),
	fails("TransferCheckedMint", one(func(w *world) solanago.Instruction {
		return transferChecked(w.a, w.eur, w.b, w.pk(), 1, 6)
	})),
	fails("AllOrNothing", func(w *world) []solanago.Instruction {
		return []solanago.Instruction{transfer(w.a, w.b, w.pk(), 1), transfer(w.a, w.b, w.pk(), 5_000)}
	}),

	does("CreateIdempotentThatExists", one(func(w *world) solanago.Instruction {
		return createATA(w.payer, w.bob.PublicKey(), w.usd)
	})),
	does("Create", one(func(w *world) solanago.Instruction {
		return associatedWith([]byte{0}, w.payer, w.bob.PublicKey(), w.eur)
	})),
	does("CreateWithoutData", one(func(w *world) solanago.Instruction {
		return associatedWith(nil, w.payer, w.payer, w.eur)
	})),
	fails("CreateThatExists", one(func(w *world) solanago.Instruction {
		return associatedWith([]byte{0}, w.payer, w.bob.PublicKey(), w.eur)
	})),
	does("CreateOffCurve", one(func(w *world) solanago.Instruction {
		return createATA(w.payer, ata(w.pk(), w.usd), w.eur)
	})),
	does("PayNested", one(func(w *world) solanago.Instruction {
		return transfer(w.ae, ata(w.a, w.eur), w.pk(), 7)
	})),
	fails("RecoverNestedUnsigned", one(func(w *world) solanago.Instruction {
		return unsigned(w.recover(w.a, w.usd, w.ae))
	})),
	fails("RecoverNestedOfAnother", one(func(w *world) solanago.Instruction {
		return w.recover(w.b, w.usd, w.ae)
	})),
	fails("RecoverNestedElsewhere", one(func(w *world) solanago.Instruction {
		return w.recover(w.a, w.usd, ata(w.bob.PublicKey(), w.eur))
	})),
	fails("RecoverNestedOfOtherMint", one(func(w *world) solanago.Instruction {
		return w.recover(w.a, w.eur, w.ae)
	})),
	does("RecoverNested", one(func(w *world) solanago.Instruction {
		return w.recover(w.a, w.usd, w.ae)
	})),
	fails("RecoverNestedTwice", one(func(w *world) solanago.Instruction {
		return w.recover(w.a, w.usd, w.ae)
	})),
	fails("CreateOfNoMint", one(func(w *world) solanago.Instruction {
		return createATA(w.payer, w.pk(), w.bob.PublicKey())
	})),
	fails("CreateElsewhere", one(func(w *world) solanago.Instruction {
		i := createATA(w.payer, w.spare.PublicKey(), w.usd)
		i.Accounts()[1].PublicKey = ata(w.spare.PublicKey(), w.eur)
		return i
	})),
	does("CreateOnDust", func(w *world) []solanago.Instruction {
		return []solanago.Instruction{
			transferSOL(w.payer, ata(w.spare.PublicKey(), w.usd), 1_000_000),
			createATA(w.payer, w.spare.PublicKey(), w.usd),
		}
	}),

	does("MintTo", one(func(w *world) solanago.Instruction { return mintTo(w.usd, w.b, w.payer, 50) })),
	fails("MintToByAnother", one(func(w *world) solanago.Instruction { return mintTo(w.usd, w.b, w.pk(), 50) })),
	fails("MintToOtherMint", one(func(w *world) solanago.Instruction { return mintTo(w.eur, w.b, w.payer, 50) })),

	fails("CloseWithBalance", one(func(w *world) solanago.Instruction { return closeAccount(w.a, w.payer, w.pk()) })),
	fails("CloseOfAnother", one(func(w *world) solanago.Instruction {
		return closeAccount(ata(w.bob.PublicKey(), w.eur), w.payer, w.pk())
	})),
	does("EmptyAndClose", func(w *world) []solanago.Instruction {
		return []solanago.Instruction{
			transferChecked(w.ae, w.eur, ata(w.bob.PublicKey(), w.eur), w.pk(), 1_000, 6),
			closeAccount(w.ae, w.payer, w.pk()),
		}
	}),
	fails(
		"TransferFromClosed",
		one(func(w *world) solanago.Instruction { return transfer(w.ae, ata(w.bob.PublicKey(), w.eur), w.pk(), 1) }),
	),
	does("ReopenPayClose", func(w *world) []solanago.Instruction {
		return []solanago.Instruction{
			createATA(w.payer, w.pk(), w.eur), mintTo(w.eur, w.ae, w.payer, 7),
			transfer(w.ae, ata(w.bob.PublicKey(), w.eur), w.pk(), 7), closeAccount(w.ae, w.pk(), w.pk()),
		}
	}),

	does("Freeze", one(func(w *world) solanago.Instruction { return freeze(w.b, w.usd, w.payer) })),
	fails("FreezeTwice", one(func(w *world) solanago.Instruction { return freeze(w.b, w.usd, w.payer) })),
	fails("TransferToFrozen", one(func(w *world) solanago.Instruction { return transfer(w.a, w.b, w.pk(), 1) })),
	does("Thaw", one(func(w *world) solanago.Instruction {
		return tokens([]byte{11}, solanago.Meta(w.b).WRITE(), solanago.Meta(w.usd), solanago.Meta(w.payer).SIGNER())
	})),
	does("SetOwner", one(func(w *world) solanago.Instruction { return setOwner(w.a, w.pk(), w.bob.PublicKey()) })),
	fails("SetOwnerByFormer", one(func(w *world) solanago.Instruction { return setOwner(w.a, w.pk(), w.pk()) })),

	does("Memo", one(func(w *world) solanago.Instruction {
		return solanago.NewInstruction(
			solanago.MemoProgramID, solanago.AccountMetaSlice{solanago.Meta(w.pk()).SIGNER()}, []byte("order 7"),
		)
	})),
	fails("MemoUnsigned", one(func(w *world) solanago.Instruction {
		return solanago.NewInstruction(
			solanago.MemoProgramID, solanago.AccountMetaSlice{solanago.Meta(w.bob.PublicKey())}, []byte("order 7"),
		)
	})),
	does("ComputeLimit", func(w *world) []solanago.Instruction {
		return []solanago.Instruction{
			budgetOf(2, binary.LittleEndian.AppendUint32(nil, 100_000)), transferSOL(w.pk(), w.payer, 1),
		}
	}),
	fails("TokenUnknownInstruction", one(func(w *world) solanago.Instruction {
		return tokens([]byte{200}, solanago.Meta(w.a).WRITE())
	})),
}

func (c parityCase) with(by func(w *world) []solanago.PrivateKey) parityCase {
	c.by = by
	return c
}
