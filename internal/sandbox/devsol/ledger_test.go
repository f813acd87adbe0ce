package devsol_test

import (
	"bytes"
	"encoding/base64"
	"encoding/json"
	"errors"
	"net/http"
	"testing"
	"time"

	solana "github.com/gagliardetto/solana-go"

	"github.com/florinpay/florin/internal/sandbox/devsol"
	"github.com/florinpay/florin/internal/testkit"
)

func start(t *testing.T, c devsol.Config) *devsol.Ledger {
	t.Helper()
	l, err := devsol.Start(c)
	testkit.Must(t, err)
	t.Cleanup(func() {
		if err := l.Close(); err != nil {
			t.Error(err)
		}
	})
	return l
}

// ask makes a call; failed is the code of its error.
func ask[T any](t *testing.T, l *devsol.Ledger, method string, params ...any) (result T, failed int) {
	t.Helper()
	body, err := json.Marshal(map[string]any{"jsonrpc": "2.0", "id": 1, "method": method, "params": params})
	testkit.Must(t, err)
	res, err := http.Post(l.URL(), "application/json", bytes.NewReader(body))
	testkit.Must(t, err)
	defer res.Body.Close()
	var answer struct {
		Result T
		Error  struct{ Code int }
	}
	testkit.Must(t, json.NewDecoder(res.Body).Decode(&answer))
	return answer.Result, answer.Error.Code
}

// must is ask for a call that must succeed.
func must[T any](t *testing.T, l *devsol.Ledger, method string, params ...any) T {
	t.Helper()
	result, failed := ask[T](t, l, method, params...)
	if failed != 0 {
		t.Fatalf("%s failed with %d", method, failed)
	}
	return result
}

var confirmed = map[string]any{"commitment": "confirmed", "transactionDetails": "none"}

type block struct {
	Blockhash   string
	BlockHeight uint64
	BlockTime   int64
}

func owner(t *testing.T) solana.PublicKey {
	t.Helper()
	key, err := solana.NewRandomPrivateKey()
	testkit.Must(t, err)
	return key.PublicKey()
}

func seal(t *testing.T, l *devsol.Ledger, n int) {
	t.Helper()
	testkit.Must(t, l.Seal(n))
}

type tokenAmount struct {
	Value []*struct {
		Data     [2]string
		Lamports uint64
	}
}

// units returns what an owner holds of a mint at a commitment.
func units(t *testing.T, l *devsol.Ledger, mint, of solana.PublicKey, commitment string) uint64 {
	t.Helper()
	account, _, err := solana.FindAssociatedTokenAddress(of, mint)
	testkit.Must(t, err)
	got := must[tokenAmount](t, l, "getMultipleAccounts", []string{account.String()}, map[string]any{"commitment": commitment, "encoding": "base64"})
	if got.Value[0] == nil {
		return 0
	}
	data, err := base64.StdEncoding.DecodeString(got.Value[0].Data[0])
	if err != nil || len(data) != 165 {
		t.Fatalf("account of %d bytes, %v", len(data), err)
	}
	var sum uint64
	for i := range 8 {
		sum |= uint64(data[64+i]) << (8 * i)
	}
	return sum
}

// TestLedger_Commitments: money is confirmed in its slot, and finalized only when that slot is final.
func TestLedger_Commitments(t *testing.T) {
	t.Parallel()
	l := start(t, devsol.Config{})
	to, mint := owner(t), l.Tokens().USDC
	if _, err := l.Pay(mint, to, 42); err != nil {
		t.Fatal(err)
	}
	for _, want := range []struct {
		slots            int
		confirmed, final uint64
	}{{0, 0, 0}, {1, 42, 0}, {devsol.DefaultFinalDepth - 1, 42, 0}, {1, 42, 42}} {
		seal(t, l, want.slots)
		if c, f := units(t, l, mint, to, "confirmed"), units(t, l, mint, to, "finalized"); c != want.confirmed ||
			f != want.final {
			t.Errorf("after %d more slots %d are confirmed and %d final, want %d and %d", want.slots, c, f, want.confirmed, want.final)
		}
	}
}

// TestLedger_Restart: the same directory gives the same slots, hashes and
// accounts, skipped slots and forks included.
func TestLedger_Restart(t *testing.T) {
	t.Parallel()
	dir := t.TempDir()
	first, err := devsol.Start(devsol.Config{Dir: dir})
	testkit.Must(t, err)
	to, mint := owner(t), first.Tokens().USDT
	for i, step := range []func() error{
		func() error { _, err := first.Pay(mint, to, 5); return err },
		func() error { return first.Seal(3) },
		func() error { return first.Skip(2) },
		func() error { _, err := first.Pay(mint, to, 7); return err },
		func() error { return first.Seal(2) },
		func() error { return first.Fork(1, false) },
		func() error { _, err := first.Pay(mint, to, 11); return err },
		func() error { return first.Seal(1) },
		func() error { return first.Fork(2, true) },
		func() error { return first.Seal(100) },
	} {
		if err := step(); err != nil {
			t.Fatalf("step %d: %v", i, err)
		}
	}
	head, had := first.Slot(), units(t, first, mint, to, "confirmed")
	var blocks []block
	for slot := head - 30; slot <= head; slot++ {
		b, _ := ask[block](t, first, "getBlock", slot, confirmed)
		blocks = append(blocks, b)
	}
	if had < 16 {
		t.Fatalf("%d units before the restart", had)
	}
	testkit.Must(t, first.Close())
	second := start(t, devsol.Config{Dir: dir})
	if second.Slot() < head || second.Tokens() != first.Tokens() {
		t.Fatalf("slot %d after %d", second.Slot(), head)
	}
	if got := units(t, second, mint, to, "confirmed"); got != had {
		t.Errorf("%d units after the restart, %d before", got, had)
	}
	for i, want := range blocks {
		if got, _ := ask[block](t, second, "getBlock", head-30+uint64(i), confirmed); got != want {
			t.Errorf("slot %d is %+v after the restart, %+v before", head-30+uint64(i), got, want)
		}
	}
	if _, err := second.Pay(mint, to, 1); err != nil {
		t.Fatal(err)
	}
	seal(t, second, 1)
	if got := units(t, second, mint, to, "confirmed"); got != had+1 {
		t.Errorf("%d units, want %d", got, had+1)
	}
}

// TestLedger_Signatures: a transaction that was tampered with is refused, and one that is sent twice is
// executed once.
func TestLedger_Signatures(t *testing.T) {
	t.Parallel()
	l := start(t, devsol.Config{})
	to, faucet := owner(t), l.Faucet()
	var hash struct {
		Value struct{ Blockhash solana.Hash }
	}
	hash.Value.Blockhash = must[struct {
		Value struct{ Blockhash solana.Hash }
	}](t, l, "getLatestBlockhash", confirmed).Value.Blockhash
	data := []byte{2, 0, 0, 0, 0, 0xca, 0x9a, 0x3b, 0, 0, 0, 0}
	accounts := solana.AccountMetaSlice{solana.Meta(faucet.PublicKey()).WRITE().SIGNER(), solana.Meta(to).WRITE()}
	transfer := solana.NewInstruction(solana.SystemProgramID, accounts, data)
	tx, err := solana.NewTransaction(
		[]solana.Instruction{transfer}, hash.Value.Blockhash, solana.TransactionPayer(faucet.PublicKey()),
	)
	testkit.Must(t, err)
	if _, err := tx.Sign(func(solana.PublicKey) *solana.PrivateKey { return &faucet }); err != nil {
		t.Fatal(err)
	}
	raw, err := tx.MarshalBinary()
	testkit.Must(t, err)
	encoding := map[string]any{"encoding": "base64", "skipPreflight": true}
	for at := range raw {
		bad := bytes.Clone(raw)
		bad[at] ^= 1
		if _, failed := ask[string](
			t, l, "sendTransaction", base64.StdEncoding.EncodeToString(bad), encoding,
		); failed == 0 {
			t.Errorf("taken with byte %d changed", at)
		}
	}
	for range 3 {
		if got := must[string](
			t, l, "sendTransaction", base64.StdEncoding.EncodeToString(raw), encoding,
		); got != tx.Signatures[0].String() {
			t.Errorf("signature %s, want %s", got, tx.Signatures[0])
		}
		seal(t, l, 1)
	}
	if got := l.Balance(to); got != 1_000_000_000 {
		t.Errorf("%d lamports, want 1000000000", got)
	}
}

// TestLedger_Fork: a final slot is never rolled back.
func TestLedger_Fork(t *testing.T) {
	t.Parallel()
	l := start(t, devsol.Config{FinalDepth: 5})
	seal(t, l, 20)
	before := must[block](t, l, "getBlock", l.Slot()-5, confirmed)
	if err := l.Fork(6, true); !errors.Is(err, devsol.ErrFinal) {
		t.Errorf("taking a final slot back: %v", err)
	}
	if err := l.Fork(5, true); err != nil {
		t.Error(err)
	}
	if after := must[block](t, l, "getBlock", l.Slot()-6, confirmed); after != before {
		t.Errorf("a final slot became %+v after %+v", after, before)
	}
}

// TestLedger_Timer: the timer makes slots near the wall clock, and Close stops it, also when called twice.
func TestLedger_Timer(t *testing.T) {
	t.Parallel()
	l := start(t, devsol.Config{SlotTime: 20 * time.Millisecond, SkipEvery: 3})
	deadline := time.Now().Add(time.Minute)
	for from := l.Slot(); l.Slot() < from+10; time.Sleep(5 * time.Millisecond) {
		if time.Now().After(deadline) {
			t.Fatal("no slots are made")
		}
	}
	b := must[block](t, l, "getBlock", l.Slot(), confirmed)
	if lag := time.Since(time.Unix(b.BlockTime, 0)); lag < -time.Minute || lag > time.Minute {
		t.Errorf("the newest slot is %s old", lag)
	}
	if b.BlockHeight >= l.Slot() {
		t.Errorf("height %d at slot %d, though slots were skipped", b.BlockHeight, l.Slot())
	}
	for range 2 {
		testkit.Must(t, l.Close())
	}
	if err := l.Seal(1); err == nil {
		t.Error("a closed ledger made a slot")
	}
}
