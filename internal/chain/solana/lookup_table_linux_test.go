package solana_test

import (
	"encoding/binary"
	"encoding/hex"
	"encoding/json"
	"fmt"
	"math"
	"strings"
	"testing"

	solanago "github.com/gagliardetto/solana-go"

	"github.com/florinpay/florin/internal/chain"
	"github.com/florinpay/florin/internal/chain/chaintest"
	"github.com/florinpay/florin/internal/fault"
)

// TestScan_LookupTable: a transaction of version 0 that names the deposit
// account through an address lookup table only, as wallets and exchanges send
// them, is credited to the unit, confirmed and found.
func TestScan_LookupTable(t *testing.T) {
	t.Parallel()
	h := newSurfpool(t)
	to, payer, mint := h.Address(), h.rich.PublicKey(), h.mints[h.Credited().Contract]
	from, account := ata(payer, mint), ata(solanago.PublicKey(to.Raw), mint)
	h.Pay(chaintest.Payment{To: to, Asset: h.Credited(), Units: 5}) // makes the accounts
	h.mustSend([]solanago.Instruction{mintTo(mint, from, payer, 100)})
	h.Mine(1)
	table, addresses := newKey(t).PublicKey(), solanago.PublicKeySlice{mint, account}
	h.setTable(t, table, addresses)

	build, err := solanago.NewTransaction([]solanago.Instruction{
		transferChecked(from, mint, account, payer, 37, 6),
	}, h.Blockhash(),
		solanago.TransactionPayer(payer), solanago.TransactionAddressTables(
			map[solanago.PublicKey]solanago.PublicKeySlice{table: addresses},
		))
	if err != nil {
		t.Fatal(err)
	}
	if _, err := build.Sign(func(solanago.PublicKey) *solanago.PrivateKey { return &h.rich }); err != nil {
		t.Fatal(err)
	}
	raw, err := build.MarshalBinary()
	if err != nil || build.Message.NumLookups() == 0 {
		t.Fatalf("%d lookups, %v", build.Message.NumLookups(), err)
	}
	h.Send(raw)
	h.Mine(1)
	h.included(t, build.Signatures[0])
	found, err := h.reader.Find(t.Context(), chain.TxHash(build.Signatures[0].String()))
	if err != nil {
		t.Fatal(err)
	}
	if got, err := h.tryScan(t, to); !fault.Is(err, fault.Unavailable) {
		t.Errorf("what this index leaves out is believed: %+v, %v", got, err)
	}
	h.reader = newHarness(t, h.bank, h.indexed(t, account, found).url()).reader
	got := h.scanned(t, to)
	wantUnits(t, got, 5, 37)
	heads, err := h.reader.Heads(t.Context())
	if err != nil {
		t.Fatal(err)
	}
	for _, tr := range got {
		if verdict, err := chain.JudgeAll(t.Context(), h.reader, []chain.Transfer{tr}, heads.Latest); err != nil ||
			verdict != chain.Stands {
			t.Errorf("%+v is confirmed as %d, %v", tr, verdict, err)
		}
	}
}

// indexed is a node that lists the transaction under the account, as validators
// do with every account that a transaction loads and this runtime does not.
func (h *harness) indexed(t *testing.T, account solanago.PublicKey, found chain.Found) *node {
	t.Helper()
	n := newNode(t, h.URL())
	tx := found.Transfers[0].Tx
	n.set("getSignaturesForAddress", func(params, result json.RawMessage) json.RawMessage {
		if !strings.Contains(string(params), account.String()) || strings.Contains(string(result), string(tx)) {
			return result
		}
		entry := fmt.Sprintf(`[{"signature":%q,"slot":%d,"err":null},`, tx, found.Block.Number)
		return json.RawMessage(strings.Replace(string(result), "[", entry, 1))
	})
	return n
}

// tryScan scans up to now.
func (h *harness) tryScan(t *testing.T, owner chain.Watched) ([]chain.Transfer, error) {
	t.Helper()
	heads, err := h.reader.Heads(t.Context())
	if err != nil {
		t.Fatal(err)
	}
	got, _, err := h.reader.Scan(t.Context(), 0, heads.Latest, watching(owner))
	return got, err
}

// setTable puts an address lookup table onto the cluster.
func (h *harness) setTable(t *testing.T, at solanago.PublicKey, addresses solanago.PublicKeySlice) {
	t.Helper()
	data := binary.LittleEndian.AppendUint32(nil, 1)              // a table
	data = binary.LittleEndian.AppendUint64(data, math.MaxUint64) // never deactivated
	data = binary.LittleEndian.AppendUint64(data, 1)              // last extended in slot 1
	data = append(data, make([]byte, 56-len(data))...)            // without an authority
	for _, a := range addresses {
		data = append(data, a[:]...)
	}
	var answer any
	call(t, h.URL(), &answer, "surfnet_setAccount", at.String(), map[string]any{
		"lamports": 10_000_000, "data": hex.EncodeToString(data), "owner": "AddressLookupTab1e1111111111111111111111111", "executable": false,
	})
}
