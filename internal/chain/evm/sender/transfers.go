package sender

import (
	"context"
	"errors"
	"fmt"
	"math/big"

	"github.com/ethereum/go-ethereum/common"

	"github.com/florinpay/florin/internal/chain"
	"github.com/florinpay/florin/internal/chain/evm"
	"github.com/florinpay/florin/internal/chain/evm/rpc"
	"github.com/florinpay/florin/internal/fault"
	"github.com/florinpay/florin/internal/money"
	"github.com/florinpay/florin/internal/secret"
	"github.com/florinpay/florin/internal/wallet"
)

// Transfers makes, sends and tracks token transfers of one EVM network. The
// private key is given for each call and not kept. It is safe for concurrent
// use.
type Transfers struct {
	*tracker
	maxPrice *big.Int
}

var _ chain.TransferSender = Transfers{}

// NewTransfers returns the transfer sender of the adapter's network. maxPrice is
// the most one unit of gas may cost, in wei; zero takes DefaultMaxPrice.
func NewTransfers(a *evm.Adapter, maxPrice money.Units) Transfers {
	if maxPrice.IsZero() {
		maxPrice = DefaultMaxPrice(a.Network())
	}
	return Transfers{newTracker(a), maxPrice.Big()}
}

const transferSelector = "a9059cbb" // transfer(address,uint256)

// Sign makes and signs a transfer if the wallet can pay for it and its gas. It
// sends nothing.
func (r Transfers) Sign(ctx context.Context, privateKey secret.Text, t chain.TokenTransfer) (chain.SignedTx, error) {
	key, err := wallet.ParseEVM(privateKey)
	if err != nil {
		return chain.SignedTx{}, err
	}
	if key.Wallet() != t.From {
		return chain.SignedTx{}, errors.New("sign a transfer: the key is not that of the wallet")
	}
	i, err := r.transfer(t)
	if err != nil {
		return chain.SignedTx{}, err
	}
	p := pricedTx{txRequest: i}
	var acc rpc.Account
	var verdict error
	err = r.pool.Do(ctx, func(ctx context.Context, e *rpc.Endpoint) (err error) {
		acc, verdict, err = r.quote(ctx, e, &p, t)
		return err
	})
	if err = errors.Join(err, verdict); err != nil {
		return chain.SignedTx{}, err
	}
	tx, err := key.SignTx(p.unsigned(r.chainID(), acc.Pending), r.chainID())
	if err != nil {
		return chain.SignedTx{}, err
	}
	raw, err := tx.MarshalBinary()
	if err != nil {
		return chain.SignedTx{}, fmt.Errorf("encode a transfer: %w", err)
	}
	return chain.SignedTx{Tx: txHash(tx), Raw: raw, Nonce: acc.Pending}, nil
}

// transfer encodes the call of the token.
func (r Transfers) transfer(t chain.TokenTransfer) (txRequest, error) {
	contract, ok := r.reader.Contract(t.Asset)
	if !ok {
		return txRequest{}, fmt.Errorf("%s is not an asset of %s", t.Asset.Contract, r.profile.Network)
	}
	from, err := chain.ParseAddress(r.profile.Network, string(t.From))
	if err != nil {
		return txRequest{}, err
	}
	to, err := chain.ParseAddress(r.profile.Network, string(t.To))
	if err != nil {
		return txRequest{}, err
	}
	token := common.Address(contract)
	data := common.FromHex(transferSelector)
	data = append(data, common.LeftPadBytes(to.Raw, 32)...)
	data = append(data, common.LeftPadBytes(t.Amount.Big().Bytes(), 32)...)
	return txRequest{from: common.Address(from.Raw), to: &token, data: data}, nil
}

// quote fills in gas, fees and cost. verdict is a reason not to send that does
// not depend on the endpoint.
func (r Transfers) quote(
	ctx context.Context, e *rpc.Endpoint, p *pricedTx, t chain.TokenTransfer,
) (acc rpc.Account, verdict, err error) {
	if acc, err = rpc.ReadAccount(ctx, e, p.from); err != nil {
		return acc, nil, err
	}
	balanceOf := rpc.ContractCall(rpc.Address(*p.to), rpc.BalanceOfData(p.from[:]))
	held, err := rpc.CallWords(ctx, e, []rpc.Call{rpc.NewCall("eth_blockNumber"), balanceOf}, 0)
	if err != nil {
		return acc, nil, err
	}
	if held[0].Cmp(t.Amount) < 0 {
		return acc, fault.New(fault.PaymentRequired, "%s: %s holds %s on %s, and this costs %s",
			chain.ErrTransferFunds.Message, t.From, held[0].Format(t.Asset.Decimals), r.profile.Network,
			t.Amount.Format(t.Asset.Decimals)), nil
	}
	if p.fees, err = r.fees(ctx, e); err != nil {
		return acc, nil, err
	}
	if least := new(big.Int).Add(p.fees.Base, p.fees.Tip); least.Cmp(r.maxPrice) > 0 {
		return acc, fault.New(fault.Unavailable,
			"gas costs %s gwei a unit on %s at present, and at most %s are paid; try again later",
			gweiText(least), r.profile.Network, gweiText(r.maxPrice)), nil
	}
	p.fees.Max = smaller(p.fees.Max, r.maxPrice)
	if verdict, err = r.estimate(ctx, e, p); verdict != nil || err != nil {
		return acc, verdict, err
	}
	if acc.Balance.Cmp(p.cost) < 0 {
		return acc, fault.New(fault.PaymentRequired, "%s: %s holds %s, and the transfer takes up to %s",
			chain.ErrTransferGas.Message, t.From, r.coins(acc.Balance), r.coins(p.cost)), nil
	}
	return acc, nil, nil
}

// estimate runs the transfer on the node and sets gas and cost.
func (r Transfers) estimate(ctx context.Context, e *rpc.Endpoint, p *pricedTx) (verdict, err error) {
	estimate, failed, err := p.estimateGas(ctx, e)
	if err != nil {
		return nil, err
	}
	if failed != nil {
		if rpc.Reverted(failed) {
			return fault.New(fault.Unprocessable, "the token refuses the transfer from this wallet"), nil
		}
		return nil, rpc.CallError(failed)
	}
	if estimate > maxTxGas/2 {
		return nil, rpc.Malformed("eth_estimateGas")
	}
	p.gas = estimate + estimate*gasMargin/100
	return nil, r.setCost(ctx, e, p)
}

// Broadcast sends the bytes to every available endpoint.
func (r Transfers) Broadcast(ctx context.Context, b chain.SignedTx) error {
	return r.broadcastToAll(ctx, b.Tx, b.Raw)
}

// Judge says which of the transfers of one transaction are in a block at or below `at`.
func (r Transfers) Judge(ctx context.Context, transfers []chain.Transfer, at chain.Head) ([]chain.Verdict, error) {
	return r.reader.Judge(ctx, transfers, at)
}

// Track returns the status of the transfer. It is final, failed or replaced only if
// a quorum of endpoints agree: otherwise a merchant who has paid could be refused the
// units.
func (r Transfers) Track(ctx context.Context, from chain.Address, b chain.SignedTx) (chain.TransferOutcome, error) {
	tx, ok := rpc.ParseHash(string(b.Tx))
	if !ok {
		return chain.TransferOutcome{}, fmt.Errorf("track: %q is no transaction hash", b.Tx)
	}
	owner, err := chain.ParseAddress(r.profile.Network, string(from))
	if err != nil {
		return chain.TransferOutcome{}, err
	}
	heads, err := r.reader.Heads(ctx)
	if err != nil {
		return chain.TransferOutcome{}, err
	}
	txs := tracked{accountNonce{rpc.Address(owner.Raw), b.Nonce}, []rpc.Hash{tx}}
	report, err := r.track(ctx, txs, heads.Final, r.transferEffect)
	if err != nil {
		return chain.TransferOutcome{}, err
	}
	outcome, err := r.outcome(report)
	outcome.Final = heads.Final
	return outcome, err
}

// transferEffect is what a transaction moved, whichever endpoint says so.
func (r Transfers) transferEffect(report txReport) (any, error) {
	outcome, err := r.outcome(report)
	found := chain.Found{Failed: outcome.Status == chain.TxReverted, Transfers: outcome.Transfers}
	for i := range found.Transfers {
		t := &found.Transfers[i]
		*t = chain.Transfer{Key: t.Key, Asset: t.Asset, From: t.From, To: t.To, Units: t.Units}
	}
	return found, err
}

// outcome reads from receipt and transaction what was moved.
func (r Transfers) outcome(report txReport) (chain.TransferOutcome, error) {
	outcome := chain.TransferOutcome{Status: report.status, Block: report.block}
	if report.status != chain.TxFinal {
		return outcome, nil
	}
	receipt, _, err := rpc.ParseReceipt(report.receipt, report.tx)
	if err != nil {
		return chain.TransferOutcome{}, err
	}
	tx, _, err := rpc.ParseTransaction(report.transaction, report.tx)
	if err != nil {
		return chain.TransferOutcome{}, err
	}
	outcome.Transfers = r.reader.Moved(tx, receipt)
	for i := range outcome.Transfers {
		outcome.Transfers[i].Block, outcome.Transfers[i].Source = report.block, report.endpoint.Name()
	}
	return outcome, nil
}
