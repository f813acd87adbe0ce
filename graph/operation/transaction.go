package operation

import (
	"slices"
	"strings"

	"github.com/florinpay/florin/graph/model"
	"github.com/florinpay/florin/internal/chain"
	"github.com/florinpay/florin/internal/fault"
	"github.com/florinpay/florin/internal/money"
	"github.com/florinpay/florin/internal/payment"
)

func domainNetwork(n model.Network) (chain.Network, error) {
	if n == "" {
		return "", fault.New(fault.Invalid, "network is required: BEP20, POLYGON, BASE or SOL")
	}
	return chain.ParseNetwork(string(n))
}

// domainToken reads a token in any case, as networks are read.
func domainToken(t model.Token) (money.Token, error) {
	if t == "" {
		return "", fault.New(fault.Invalid, "token is required: USDT or USDC")
	}
	return money.ParseToken(strings.ToUpper(strings.TrimSpace(string(t))))
}

func (o *Operations) transactionResult(p payment.Payment) *model.TransactionResult {
	return &model.TransactionResult{Transaction: o.transaction(p)}
}

func (o *Operations) ownTransactionResult(p payment.Payment) *model.TransactionResult {
	return &model.TransactionResult{Transaction: o.ownTransaction(p)}
}

// ownTransaction writes a payment as the owner of its key sees it: with what the
// merchant stored for itself.
func (o *Operations) ownTransaction(p payment.Payment) *model.Transaction {
	t := o.transaction(p)
	t.Metadata, t.CustomerEmail = metadata(p.Metadata), optional(p.CustomerEmail)
	return t
}

// transaction writes the public fields of a payment: what anyone who knows its
// txnid may read.
func (o *Operations) transaction(p payment.Payment) *model.Transaction {
	t := &model.Transaction{
		Txnid: string(p.ID), Amount: model.DecimalOf(p.Amount), AmountInToken: model.DecimalOf(p.Amount),
		Status: model.TransactionStatus(p.Status), IsExpired: p.Status == payment.Expired,
		Countdown: int(p.Countdown(o.d.Now())),
		ExpiresAt: model.At(p.ExpiresAt), CreatedAt: model.At(p.CreatedAt),
		ReceivedAmount: model.DecimalOf(p.Received().Micros()),
		Reference:      optional(p.Reference),
		Price:          price(p),
	}
	o.addRoute(t, p)
	o.addDeposit(t, p)
	return t
}

// addRoute writes the deposit address that the payer was shown.
func (o *Operations) addRoute(t *model.Transaction, p payment.Payment) {
	route, ok := p.Route()
	if !ok {
		return
	}
	network, token := model.Network(route.Network), model.Token(p.Choice.Token)
	t.Network, t.Token = &network, &token
	t.Wallet = &model.DepositWallet{Address: string(route.Address.Address)}
	// No link for a payment that is paid or ended: a payer would pay it.
	if network, ok := o.d.Payments.Network(route.Network); ok && p.Status == payment.Started && p.Missing() > 0 {
		t.PaymentURI = optional(payment.URI(p, network.Profile))
	}
}

// addDeposit writes the paying transaction and its confirmations.
func (o *Operations) addDeposit(t *model.Transaction, p payment.Payment) {
	if p.Hash == "" {
		return
	}
	t.Hash = optional(string(p.Hash))
	i := slices.IndexFunc(p.Deposits, func(d payment.Deposit) bool { return d.Transfer.Tx == p.Hash })
	if i < 0 {
		return
	}
	d := p.Deposits[i]
	if network, ok := o.d.Payments.Network(d.Transfer.Network); ok {
		t.BlockchainLink = optional(network.Profile.TxURL(p.Hash))
	}
	have, need := confirmations(d, o.d.Payments.Health(d.Transfer.Network))
	t.Confirmations, t.RequiredConfirmations = &have, &need
}

// confirmations returns how many blocks stand on the deposit's, its own
// included, and how many it needs to be final. Networks do not count blocks
// any more; what is needed is how far their final block lies behind the newest.
func confirmations(d payment.Deposit, h payment.Health) (have, need int) {
	need = blocks(h.Final.Number, h.Latest.Number)
	switch d.State {
	case payment.DepositFinal:
		have = need
	case payment.DepositSeen:
		have = min(blocks(d.Transfer.Block.Number, h.Latest.Number), need-1)
	case payment.DepositVanished:
	}
	return have, need
}

// blocks counts from one block to another, both included; at least 1.
func blocks(from, to uint64) int {
	if to <= from {
		return 1
	}
	return int(min(to-from, 1<<30)) + 1
}

func metadata(m map[string]string) *model.StringMap {
	if len(m) == 0 {
		return nil
	}
	s := model.Strings(m)
	return &s
}

// optional returns nil for an empty text: the interface says null then.
func optional(s string) *string {
	if s == "" {
		return nil
	}
	return &s
}
