package refund

import (
	"cmp"
	"context"
	"errors"
	"slices"
	"time"

	"github.com/florinpay/florin/internal/audit"
	"github.com/florinpay/florin/internal/chain"
	"github.com/florinpay/florin/internal/fault"
	"github.com/florinpay/florin/internal/input"
	"github.com/florinpay/florin/internal/money"
	"github.com/florinpay/florin/internal/payment"
)

// Store keeps refunds. Every method is one transaction.
type Store interface {
	// UpdateRefunds locks the payment, calls decide and persists its Change. decide may run again. It fails with
	// payment.ErrUnknown, and with ErrTaken where the transfer of a final refund has settled another one.
	UpdateRefunds(ctx context.Context, id payment.ID, decide func(Account) (Change, error)) (Refund, error)
	// Refund returns one refund, or ErrUnknown.
	Refund(ctx context.Context, id ID) (Refund, error)
	// RefundsOf lists the refunds of a payment, the oldest first.
	RefundsOf(ctx context.Context, id payment.ID) ([]Refund, error)
	// Payable lists the refunds of payments of the keys on the network that wait for the merchant's transfer, the
	// oldest first.
	Payable(ctx context.Context, keys []int64, n chain.Network) ([]Refund, error)
	// Awaited lists, for each address that an open refund of the network has, all its refunds.
	Awaited(ctx context.Context, n chain.Network) ([]Refund, error)
	// Read stores that the addresses of the refunds were read up to the block, unless the payer gave another meanwhile.
	Read(ctx context.Context, read []Refund, block uint64) error
	// IsDeposit reports whether the address is one that payers are shown.
	IsDeposit(ctx context.Context, a chain.Address) (bool, error)
}

// Deps are what the Service uses.
type Deps struct {
	Store    Store
	Payments *payment.Service
	Readers  map[chain.Network]chain.Reader
	Links    Links
	// CheckWallet refuses an address of the network that nobody could move tokens from; nil: none is refused.
	CheckWallet func(context.Context, chain.Network, chain.Address) error
	// Solana builds transactions that the merchant's wallet signs; nil: that wallet is not asked on Solana.
	Solana Wallets
	// SignerOf returns the wallet that signed a message (EIP-191), or fails.
	SignerOf func(message, signature string) (chain.Address, error)
	Now      func() time.Time
	NewID    func(time.Time) ID
}

// Service is what the surfaces use.
type Service struct{ d Deps }

// New returns the service.
func New(d Deps) *Service { return &Service{d} }

// MaxReason bounds the reason of a refund, in characters.
const MaxReason = 500

// Checked returns the ask as it is read, or says which of its fields is wrong, whatever is left of the payment.
func (a Ask) Checked() (Ask, error) {
	reason, err := input.Lines("reason", a.Reason, MaxReason)
	if a.Amount != "" {
		_, wrong := money.ParseMicros("amount", a.Amount)
		err = errors.Join(wrong, err)
	}
	a.Reason = reason
	return a, err
}

// Request makes a refund of a key's payment. It fails as Account.Request, and with payment.ErrUnknown for a payment of
// another key.
func (s *Service) Request(ctx context.Context, keyID int64, txnid string, ask Ask, act audit.Act) (Refund, error) {
	r := act.Record(act.Account, audit.ActionRefund, txnid, cmp.Or(act.Key, ask.Reason))
	p, err := s.d.Payments.Owned(ctx, keyID, txnid)
	if err != nil {
		return Refund{}, err
	}
	if ask, err = ask.Checked(); err != nil {
		return Refund{}, err
	}
	if ask.ID == "" {
		ask.ID = s.d.NewID(s.d.Now())
	}
	return s.update(ctx, p.ID, act, r, func(a Account, now time.Time) (Change, error) { return a.Request(ask, now) })
}

// Owned returns a refund of a key's payment, or ErrUnknown.
func (s *Service) Owned(ctx context.Context, keyID int64, id string) (Refund, error) {
	read, err := chain.ParseTxnID(id) // it is a ULID, too
	if err != nil {
		return Refund{}, ErrUnknown
	}
	r, err := s.d.Store.Refund(ctx, ID(read.String()))
	if err == nil && r.KeyID != keyID {
		err = ErrUnknown
	}
	if err != nil {
		return Refund{}, err
	}
	return r, nil
}

// Get returns a refund, or ErrUnknown.
func (s *Service) Get(ctx context.Context, id ID) (Refund, error) { return s.d.Store.Refund(ctx, id) }

// Of lists the refunds of a key's payment, the oldest first.
func (s *Service) Of(ctx context.Context, keyID int64, txnid string) ([]Refund, error) {
	p, err := s.d.Payments.Owned(ctx, keyID, txnid)
	if err != nil {
		return nil, err
	}
	return s.d.Store.RefundsOf(ctx, p.ID)
}

// Holdings lists what is left of a payment that could be paid back.
func (s *Service) Holdings(ctx context.Context, p payment.Payment) ([]Holding, []Refund, error) {
	list, err := s.d.Store.RefundsOf(ctx, p.ID)
	if p.Kind == payment.KindTopUp {
		return nil, list, err
	}
	return Account{p, list}.Holdings(), list, err
}

// Waiting lists the refunds of payments of the keys on the network that have an address, and that no wallet was asked
// to send.
func (s *Service) Waiting(ctx context.Context, keys []int64, n chain.Network) ([]Refund, error) {
	list, err := s.d.Store.Payable(ctx, keys, n)
	return slices.DeleteFunc(list, func(r Refund) bool { return !r.AskedAt.IsZero() }), err
}

// AskAll records that the merchant's wallet is asked to send the refunds, which wait for it, and returns those of them
// that no other wallet was asked for, as they are from then on.
func (s *Service) AskAll(ctx context.Context, list []Refund, act audit.Act) ([]Refund, error) {
	asked := make([]Refund, 0, len(list))
	for _, r := range list {
		r, err := s.Ask(ctx, r, act)
		if errors.Is(err, ErrEnded) || errors.Is(err, ErrAsked) {
			continue // paid meanwhile, or handed to another wallet
		}
		if err != nil {
			return nil, err
		}
		asked = append(asked, r)
	}
	return asked, nil
}

// ByToken returns the refund of a payer's link, or ErrUnknown.
func (s *Service) ByToken(ctx context.Context, token string) (Refund, error) {
	id, err := s.d.Links.Read(token)
	if err != nil {
		return Refund{}, err
	}
	return s.d.Store.Refund(ctx, id)
}

// GiveAddress stores where the payer with the link wants the money. It fails with fault.Invalid about the field
// address, and as Account.GiveAddress.
func (s *Service) GiveAddress(ctx context.Context, token, text string) (Refund, error) {
	return s.give(ctx, token, text, false)
}

// Prove is GiveAddress with the wallet that paid, which has signed Message. It fails with
// ErrOtherWallet for any other wallet.
func (s *Service) Prove(ctx context.Context, token string, signed Signed) (Refund, error) {
	r, err := s.ByToken(ctx, token)
	if err != nil {
		return r, err
	}
	wallet, err := s.signer(r.Asset.Network, r.Message(), signed)
	if err != nil {
		return r, err
	}
	p, err := s.d.Payments.Get(ctx, string(r.PaymentID))
	if err == nil && !r.paidFrom(p, wallet) {
		err = ErrOtherWallet
	}
	if err != nil {
		return r, err
	}
	return s.give(ctx, token, string(wallet), true)
}

func (s *Service) give(ctx context.Context, token, text string, proven bool) (Refund, error) {
	r, err := s.ByToken(ctx, token)
	if err != nil {
		return r, err
	}
	w, err := s.address(ctx, r.Asset.Network, text)
	if err != nil {
		return r, err
	}
	return s.update(ctx, r.PaymentID, audit.Act{}, audit.Record{}, func(a Account, now time.Time) (Change, error) {
		return a.GiveAddress(r.ID, w, proven, now)
	})
}

// address checks where the payer wants the money.
func (s *Service) address(ctx context.Context, on chain.Network, text string) (chain.Watched, error) {
	var profiles []chain.Profile
	for _, n := range chain.Networks() {
		if offered, ok := s.d.Payments.Network(n); ok {
			profiles = append(profiles, offered.Profile)
		}
	}
	w, err := readAddress(on, text, profiles)
	if err != nil {
		return w, err
	}
	own, err := s.d.Store.IsDeposit(ctx, w.Address)
	if err != nil {
		return w, err
	}
	if own {
		return w, ErrDeposit
	}
	if s.d.CheckWallet != nil {
		err = s.d.CheckWallet(chain.AsStranger(ctx), on, w.Address)
	}
	return w, fault.Within("address", err)
}

// Ask records that the merchant's wallet is asked to send the refunds of a payment.
func (s *Service) Ask(ctx context.Context, r Refund, act audit.Act) (Refund, error) {
	return s.update(ctx, r.PaymentID, act, r.record(act, audit.ActionRefundSend, ""),
		func(a Account, now time.Time) (Change, error) { return a.Ask(r.ID, now) })
}

// record is the act on the refund, as the audit log of its merchant has it.
func (r Refund) record(act audit.Act, action audit.Action, detail string) audit.Record {
	return act.Record(act.Account, action, string(r.PaymentID), detail)
}

// Unsend records that nothing was sent for the refund, in the merchant's word.
func (s *Service) Unsend(ctx context.Context, r Refund, act audit.Act) (Refund, error) {
	return s.update(ctx, r.PaymentID, act, r.record(act, audit.ActionRefundUnsend, ""),
		func(a Account, now time.Time) (Change, error) { return a.Unsend(r.ID, now) })
}

// Cancel ends a refund.
func (s *Service) Cancel(ctx context.Context, r Refund, act audit.Act) (Refund, error) {
	return s.update(ctx, r.PaymentID, act, r.record(act, audit.ActionRefundCancel, act.Key),
		func(a Account, now time.Time) (Change, error) { return a.Cancel(r.ID, now) })
}

// Confirm records the transaction that the merchant names, and settles what it pays if it is final. One that the
// network does not know yet is taken; one that it knows to pay something else is refused.
func (s *Service) Confirm(ctx context.Context, r Refund, hash chain.TxHash, act audit.Act) (Refund, error) {
	var found chain.Found
	if reader, ok := s.d.Readers[r.Asset.Network]; ok && r.Payable() {
		var err error
		if found, err = reader.Find(chain.AsStranger(ctx), hash); err != nil && ctx.Err() != nil {
			return r, ctx.Err()
		}
		if err := r.refuses(found); err != nil {
			return r, err
		}
	}
	detail := string(hash)
	if act.Key != "" {
		detail = act.Key + ": " + detail
	}
	sent, err := s.update(ctx, r.PaymentID, act, r.record(act, audit.ActionRefundHash, detail),
		func(a Account, now time.Time) (Change, error) { return a.Send(r.ID, hash, now) })
	if err != nil || !found.Final || !sent.Payable() {
		return sent, err
	}
	if err := s.settle(ctx, r.Asset.Network, found.Each()); err != nil {
		return sent, nil //nolint:nilerr // the watcher settles it a moment later
	}
	return s.d.Store.Refund(ctx, r.ID)
}

// refuses says why the transaction, as it was found, cannot be that of the refund; nil if it may be.
func (r Refund) refuses(found chain.Found) error {
	switch {
	case !found.Exists || found.Block.Hash == "" && !found.Failed:
		return nil
	case found.Failed:
		return refused(fault.ReasonNotRefund, "this transaction failed: it moved no money")
	case slices.ContainsFunc(found.Each(), r.Fits):
		return nil
	}
	return refused(fault.ReasonNotRefund,
		"this transaction does not send exactly %s %s to %s after the refund was requested",
		r.Units.Display(r.Asset.Decimals), r.Asset.Symbol, r.Address.Address)
}

// settle lets final transfers settle the refunds that they pay, and keeps those that pay none.
func (s *Service) settle(ctx context.Context, n chain.Network, transfers []chain.Transfer) error {
	list, err := s.d.Store.Awaited(ctx, n)
	if err != nil {
		return err
	}
	if err := s.each(ctx, Match(list, transfers), Account.Settle); err != nil {
		return err
	}
	if list, err = s.d.Store.Awaited(ctx, n); err != nil {
		return err
	}
	return s.each(ctx, Strays(list, transfers), Account.Note)
}

// each lets the accounts decide on transfers. One that fails holds up no other.
func (s *Service) each(
	ctx context.Context, pairs []Pair, decide func(Account, ID, chain.Transfer, time.Time) (Change, error),
) (failed error) {
	for _, pair := range pairs {
		_, err := s.update(ctx, pair.Refund.PaymentID, audit.Act{}, audit.Record{},
			func(a Account, now time.Time) (Change, error) { return decide(a, pair.Refund.ID, pair.Transfer, now) })
		failed = errors.Join(failed, err)
	}
	return failed
}

// update lets the account decide, and stores the change with the record of the act and the answer of its request.
func (s *Service) update(
	ctx context.Context, id payment.ID, act audit.Act, r audit.Record, decide func(Account, time.Time) (Change, error),
) (Refund, error) {
	return s.d.Store.UpdateRefunds(ctx, id, func(a Account) (Change, error) {
		now := s.d.Now()
		c, err := decide(a, now)
		if err != nil || c.None() {
			return c, err
		}
		c.Payment.Audit = r.Entries
		c.Payment.Kept, err = act.Keep.Of(c.Refund)
		return c, err
	})
}
