package main_test

import (
	"bufio"
	"bytes"
	"encoding/base64"
	"encoding/binary"
	"encoding/json"
	"fmt"
	"net/http"
	"os/exec"
	"regexp"
	"slices"
	"strings"
	"syscall"
	"testing"
	"time"

	solanago "github.com/gagliardetto/solana-go"

	"github.com/florinpay/florin/internal/testkit"
	keys "github.com/florinpay/florin/internal/wallet"
)

// TestServe_FaultySolana: the program reads the real runtime of Solana through endpoints of which some leave money
// out, cannot return a transaction, or are silent.
func TestServe_FaultySolana(t *testing.T) {
	t.Parallel()
	runtime := startRuntime(t)
	noMeta := func(json.RawMessage) json.RawMessage {
		return json.RawMessage(`{"slot":1,"blockTime":1,"meta":null,"transaction":{"message":{"accountKeys":[]},"signatures":[]}}`)
	}
	failing := func(json.RawMessage) json.RawMessage { return nil }
	noLoaded := func(r json.RawMessage) json.RawMessage {
		return bytes.ReplaceAll(r, []byte(`"loadedAddresses"`), []byte(`"unloaded"`))
	}
	for name, c := range map[string]struct {
		endpoints int
		// alter makes endpoints faulty for a payment to an address.
		alter     func(f *faultySolana, owner string)
		meanwhile string // its status while that lasts; empty: either
	}{
		"Empty":          {3, func(f *faultySolana, _ string) { f.set(0, f.without(f.usdt, f.usdc)) }, ""},
		"HiddenToken":    {3, func(f *faultySolana, _ string) { f.set(0, f.without(f.usdc)) }, ""},
		"HiddenByThird":  {3, func(f *faultySolana, _ string) { f.set(2, f.without(f.usdc)) }, ""},
		"HiddenByOne":    {1, func(f *faultySolana, _ string) { f.set(0, f.without(f.usdc)) }, "STARTED"},
		"Silent":         {3, func(f *faultySolana, _ string) { f.nodes[0].slow(time.Minute) }, "COMPLETED"},
		"TwoSilent":      {3, func(f *faultySolana, _ string) { f.silence(0, 1) }, "STARTED"},
		"FailingOfThree": {3, func(f *faultySolana, to string) { f.set(0, onTransactions(to, failing)) }, "COMPLETED"},
		"FailingOfTwo":   {2, func(f *faultySolana, to string) { f.set(0, onTransactions(to, failing)) }, "STARTED"},
		"FailingOfOne":   {1, func(f *faultySolana, to string) { f.set(0, onTransactions(to, failing)) }, "STARTED"},
		"NoMetaOfThree":  {3, func(f *faultySolana, to string) { f.set(0, onTransactions(to, noMeta)) }, "COMPLETED"},
		"NoMetaOfTwo":    {2, func(f *faultySolana, to string) { f.set(1, onTransactions(to, noMeta)) }, "STARTED"},
		"NoLoadedOfOne":  {1, func(f *faultySolana, to string) { f.set(0, onTransactions(to, noLoaded)) }, "COMPLETED"},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			f := openFaultySolana(t, runtime, c.endpoints)
			paid, owner := f.start(t, "SOL", "USDC", 500)
			other, otherOwner := f.start(t, "SOL", "USDT", 700)
			c.alter(f, owner)
			f.pay(t, f.usdc, owner, 500)
			f.pay(t, f.usdt, otherOwner, 700)
			if strings.Contains(name, "Of") { // one transaction is not readable
				f.within(t, 45*time.Second, other, "COMPLETED", 7)
				f.startNow(t, "SOL")
			}
			switch c.meanwhile {
			case "COMPLETED":
				f.within(t, time.Minute, paid, c.meanwhile, 5)
			case "STARTED":
				time.Sleep(15 * time.Second)
				f.within(t, 0, paid, c.meanwhile, 0)
			default:
				time.Sleep(8 * time.Second)
			}
			for i, n := range f.nodes {
				f.set(i, nil)
				n.slow(0)
			}
			f.within(t, 2*time.Minute, paid, "COMPLETED", 5)
			f.within(t, 2*time.Minute, other, "COMPLETED", 7)
		})
	}
}

// solanaRuntime is the real Solana virtual machine, which makes slots in real time.
type solanaRuntime struct {
	url        string
	rich       solanago.PrivateKey
	usdt, usdc solanago.PublicKey
}

const runtimeScript = `const { Surfnet } = require('@solana/surfpool-linux-x64-gnu');
const net = Surfnet.startWithConfig({ offline: true, blockProductionMode: 'clock', slotTimeMs: 200 });
console.log(JSON.stringify({ url: net.rpcUrl, key: Array.from(net.payerSecretKey) }));
setInterval(() => net.drainEvents(), 100);
process.stdin.resume(); process.stdin.on('end', () => process.exit(0));`

func startRuntime(t *testing.T) *solanaRuntime {
	t.Helper()
	testkit.MustEngine(t, "@solana/surfpool-linux-x64-gnu")
	directory, err := testkit.EngineDirectory()
	testkit.Must(t, err)
	command := exec.Command("node", "-e", runtimeScript)
	command.Dir = directory
	command.SysProcAttr = &syscall.SysProcAttr{Pdeathsig: syscall.SIGKILL} // it must not outlive the test
	stdin, err := command.StdinPipe()
	testkit.Must(t, err)
	stdout, err := command.StdoutPipe()
	testkit.Must(t, err)
	testkit.Must(t, command.Start())
	t.Cleanup(func() {
		_ = stdin.Close()
		_ = command.Wait() // closing stdin ends it; its exit status does not matter
	})
	var hello struct {
		URL string
		Key []uint16
	}
	testkit.Must(t, json.NewDecoder(bufio.NewReader(stdout)).Decode(&hello))
	s := &solanaRuntime{url: hello.URL}
	for _, b := range hello.Key {
		s.rich = append(s.rich, byte(b))
	}
	s.usdt, s.usdc = s.mint(t), s.mint(t)
	return s
}

func (s *solanaRuntime) ask(t *testing.T, into any, method string, params ...any) {
	t.Helper()
	body, err := json.Marshal(map[string]any{"jsonrpc": "2.0", "id": 1, "method": method, "params": params})
	testkit.Must(t, err)
	res, err := http.Post(s.url, "application/json", bytes.NewReader(body))
	testkit.Must(t, err)
	defer res.Body.Close()
	answer := struct{ Result, Error any }{Result: into}
	testkit.Must(t, json.NewDecoder(res.Body).Decode(&answer))
	if answer.Error != nil {
		t.Fatalf("%s: %v", method, answer.Error)
	}
}

// send signs a transaction, and waits until it is carried out.
func (s *solanaRuntime) send(t *testing.T, list []solanago.Instruction, more ...solanago.PrivateKey) {
	t.Helper()
	var recent struct {
		Value struct{ Blockhash solanago.Hash }
	}
	s.ask(t, &recent, "getLatestBlockhash", map[string]string{"commitment": "confirmed"})
	tx, err := solanago.NewTransaction(list, recent.Value.Blockhash, solanago.TransactionPayer(s.rich.PublicKey()))
	testkit.Must(t, err)
	_, err = tx.Sign(func(k solanago.PublicKey) *solanago.PrivateKey {
		all := append(more, s.rich)
		return &all[slices.IndexFunc(all, func(p solanago.PrivateKey) bool { return p.PublicKey() == k })]
	})
	testkit.Must(t, err)
	var signature string
	how := map[string]any{"encoding": "base64", "skipPreflight": true}
	s.ask(t, &signature, "sendTransaction", tx.MustToBase64(), how)
	eventually(t, "a transaction is carried out", func() bool {
		var said struct {
			Value []*struct{ Err any }
		}
		s.ask(t, &said, "getSignatureStatuses", []string{signature})
		if len(said.Value) == 1 && said.Value[0] != nil && said.Value[0].Err != nil {
			t.Fatalf("the transaction fails: %v", said.Value[0].Err)
		}
		return len(said.Value) == 1 && said.Value[0] != nil
	})
}

// mint makes a token of six decimals.
func (s *solanaRuntime) mint(t *testing.T) solanago.PublicKey {
	t.Helper()
	key, err := solanago.NewRandomPrivateKey()
	testkit.Must(t, err)
	const size = 82
	var rent uint64
	s.ask(t, &rent, "getMinimumBalanceForRentExemption", size)
	payer, mint := s.rich.PublicKey(), key.PublicKey()
	create := binary.LittleEndian.AppendUint64(make([]byte, 4), rent)
	create = append(binary.LittleEndian.AppendUint64(create, size), solanago.TokenProgramID[:]...)
	initialize := append(append([]byte{20, 6}, payer[:]...), 0)
	s.send(t, []solanago.Instruction{
		solanago.NewInstruction(solanago.SystemProgramID, solanago.AccountMetaSlice{
			solanago.Meta(payer).WRITE().SIGNER(), solanago.Meta(mint).WRITE().SIGNER(),
		}, create),
		solanago.NewInstruction(
			solanago.TokenProgramID, solanago.AccountMetaSlice{solanago.Meta(mint).WRITE()}, initialize,
		),
	}, key)
	return mint
}

// pay makes cents of a mint and sends them to an owner.
func (s *solanaRuntime) pay(t *testing.T, mint solanago.PublicKey, owner string, cents uint64) {
	t.Helper()
	payer, to := s.rich.PublicKey(), solanago.MustPublicKeyFromBase58(owner)
	units := binary.LittleEndian.AppendUint64(nil, cents*10_000)
	account := func(of solanago.PublicKey) solanago.PublicKey {
		a, _, err := solanago.FindAssociatedTokenAddress(of, mint)
		testkit.Must(t, err)
		return a
	}
	create := func(of solanago.PublicKey) solanago.Instruction {
		return solanago.NewInstruction(solanago.SPLAssociatedTokenAccountProgramID, solanago.AccountMetaSlice{
			solanago.Meta(payer).WRITE().SIGNER(), solanago.Meta(account(of)).WRITE(), solanago.Meta(of),
			solanago.Meta(mint), solanago.Meta(solanago.SystemProgramID), solanago.Meta(solanago.TokenProgramID),
		}, []byte{1})
	}
	s.send(t, []solanago.Instruction{
		create(payer), create(to),
		solanago.NewInstruction(solanago.TokenProgramID, solanago.AccountMetaSlice{
			solanago.Meta(mint).WRITE(), solanago.Meta(account(payer)).WRITE(), solanago.Meta(payer).SIGNER(),
		}, append([]byte{7}, units...)),
		solanago.NewInstruction(solanago.TokenProgramID, solanago.AccountMetaSlice{
			solanago.Meta(account(payer)).WRITE(), solanago.Meta(mint), solanago.Meta(account(to)).WRITE(),
			solanago.Meta(payer).SIGNER(),
		}, append(append([]byte{12}, units...), 6)),
	})
}

// faultySolana is a shop on the real runtime, read through some nodes.
type faultySolana struct {
	*faultyShop
	*solanaRuntime
}

func openFaultySolana(t *testing.T, runtime *solanaRuntime, count int) *faultySolana {
	t.Helper()
	f := &faultySolana{&faultyShop{shop: &shop{}}, runtime}
	var urls []string
	for i := range count {
		n := newFaultyNode(t, runtime.url)
		f.nodes, urls = append(f.nodes, n), append(urls, n.URL)
		f.set(i, nil)
	}
	_, words, err := keys.GenerateSeed()
	testkit.Must(t, err)
	_, gas := keys.GenerateSolana()
	f.open(t, []string{
		"FLORIN_SOL_RPC=" + strings.Join(urls, ","),
		"FLORIN_SOL_SEED=" + words.Reveal(), "FLORIN_SOL_GAS_KEY=" + gas.Reveal(),
		"FLORIN_SOL_USDT=" + runtime.usdt.String(), "FLORIN_SOL_USDC=" + runtime.usdc.String(),
	}, map[string]any{"solana": solanaWallet})
	return f
}

// set makes a node answer otherwise; nil: as the runtime does, with the right time of blocks.
func (f *faultySolana) set(node int, alter alteration) {
	f.nodes[node].set(func(method string, params, result json.RawMessage) json.RawMessage {
		if alter != nil {
			result = alter(method, params, result)
		}
		return f.dated(method, params, result)
	})
}

var blockTime = regexp.MustCompile(`"blockTime":\d+`)

// dated corrects the time of a block, which the runtime gives in thousands of seconds.
func (s *solanaRuntime) dated(method string, params, result json.RawMessage) json.RawMessage {
	var slots []json.RawMessage
	var tx struct{ Slot json.RawMessage }
	switch {
	case method == "getBlock" && json.Unmarshal(params, &slots) == nil && len(slots) > 0:
	case method == "getTransaction" && json.Unmarshal(result, &tx) == nil && tx.Slot != nil:
		slots = []json.RawMessage{tx.Slot}
	default:
		return result
	}
	res, err := http.Post(s.url, "application/json", strings.NewReader(
		`{"jsonrpc":"2.0","id":1,"method":"getBlockTime","params":[`+string(slots[0])+`]}`))
	if err != nil {
		return result
	}
	defer res.Body.Close()
	var at struct{ Result int64 }
	if json.NewDecoder(res.Body).Decode(&at) != nil || at.Result == 0 {
		return result
	}
	return blockTime.ReplaceAll(result, fmt.Appendf(nil, `"blockTime":%d`, at.Result))
}

func (f *faultySolana) silence(nodes ...int) {
	for _, i := range nodes {
		f.nodes[i].slow(time.Minute)
	}
}

// without leaves all accounts of the mints and their history out.
func (s *solanaRuntime) without(mints ...solanago.PublicKey) alteration {
	holds := func(account json.RawMessage) bool {
		var a struct{ Data []string }
		if json.Unmarshal(account, &a) != nil || len(a.Data) == 0 {
			return false
		}
		layout, err := base64.StdEncoding.DecodeString(a.Data[0])
		return err == nil && len(layout) >= 165 && slices.Contains(mints, solanago.PublicKey(layout[:32]))
	}
	return func(method string, _, result json.RawMessage) json.RawMessage {
		var listed struct {
			Context json.RawMessage   `json:"context"`
			Value   []json.RawMessage `json:"value"`
		}
		switch {
		case method == "getSignaturesForAddress" && len(mints) > 1:
			return json.RawMessage("[]")
		case method != "getMultipleAccounts" || json.Unmarshal(result, &listed) != nil:
			return result
		}
		for i, a := range listed.Value {
			if holds(a) {
				listed.Value[i] = json.RawMessage("null")
			}
		}
		out, _ := json.Marshal(listed) // of what was JSON
		return out
	}
}

// onTransactions alters the transactions that name an owner.
func onTransactions(owner string, alter func(json.RawMessage) json.RawMessage) alteration {
	return func(method string, _, result json.RawMessage) json.RawMessage {
		if method == "getTransaction" && strings.Contains(string(result), owner) {
			return alter(result)
		}
		return result
	}
}
