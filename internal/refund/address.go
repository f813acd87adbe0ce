package refund

import (
	"crypto/ed25519"
	"encoding/hex"
	"slices"
	"strings"

	"github.com/florinpay/florin/internal/chain"
	"github.com/florinpay/florin/internal/fault"
	"github.com/florinpay/florin/internal/payment"
)

// Reasons why an address is refused that reads well.
var (
	// ErrLost: nobody could move money from there.
	ErrLost = fault.About(fault.Invalid, "address",
		"belongs to nobody, or to a token itself; money sent there is lost: enter the address of your own wallet")
	// ErrDeposit: payers are shown it.
	ErrDeposit = fault.About(fault.Invalid, "address",
		"is where a payment is sent to, not your wallet: what came there would go back to the shop")
	// ErrOtherWallet: it did not sign, or not pay.
	ErrOtherWallet = fault.About(fault.Invalid, "address", "is not that of the wallet that paid")
)

// burned are addresses that people send what nobody is to have. The zero address is none (chain.ParseAddress).
var burned = []chain.Address{
	"0x000000000000000000000000000000000000dEaD", "0xdEAD000000000000000042069420694206942069",
	"1nc1nerator11111111111111111111111111111111",
}

// precompiled is the beginning of addresses of EVM networks that are part of the machine and belong to nobody.
const precompiled = "0x000000000000000000000000000000000000"

// readAddress reads where the payer wants the money, as it was typed. profiles are all networks: a token contract of
// one EVM network is no wallet on another.
func readAddress(n chain.Network, text string, profiles []chain.Profile) (chain.Watched, error) {
	w, err := chain.ParseAddress(n, strings.TrimSpace(text))
	if err != nil {
		return w, fault.Within("address", err)
	}
	if slices.Contains(burned, w.Address) || n.EVM() && strings.HasPrefix(string(w.Address), precompiled) {
		return w, ErrLost
	}
	for _, p := range profiles {
		for _, a := range p.Assets {
			if a.Contract == w.Address {
				return w, ErrLost
			}
		}
	}
	return w, nil
}

// Message is what the wallet that paid signs to have the refund sent to itself.
func (r Refund) Message() string {
	return "Send my refund of " + r.Units.Display(r.Asset.Decimals) + " " + r.Asset.Symbol + " to the wallet that signs this.\n\nRefund " +
		string(r.ID)
}

// paidFrom reports whether money of the payment came from the wallet on a network of the same kind.
func (r Refund) paidFrom(p payment.Payment, wallet chain.Address) bool {
	return slices.ContainsFunc(p.Deposits, func(d payment.Deposit) bool {
		return d.State == payment.DepositFinal && d.Transfer.From == wallet &&
			d.Transfer.Network.EVM() == r.Asset.Network.EVM()
	})
}

// signer returns the wallet of the network that signed the message: on EVM networks by EIP-191, on Solana by Ed25519
// with the key that is the wallet's address.
func (s *Service) signer(n chain.Network, message string, signed Signed) (chain.Address, error) {
	if n.EVM() {
		w, err := s.d.SignerOf(message, signed.Signature)
		if err != nil {
			return "", ErrOtherWallet
		}
		return w, nil
	}
	w, err := chain.ParseAddress(n, signed.Account)
	raw, hexErr := hex.DecodeString(strings.TrimPrefix(signed.Signature, "0x"))
	if err != nil || hexErr != nil || len(raw) != ed25519.SignatureSize ||
		!ed25519.Verify(ed25519.PublicKey(w.Raw), []byte(message), raw) {
		return "", ErrOtherWallet
	}
	return w.Address, nil
}
