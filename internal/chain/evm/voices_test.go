package evm_test

import (
	"encoding/json"
	"errors"
	"strings"
	"testing"

	"github.com/florinpay/florin/internal/chain"
	"github.com/florinpay/florin/internal/chain/chaintest"
	"github.com/florinpay/florin/internal/chain/evm"
)

// liar calls its newest block final, and says that every address holds 5 of everything.
var liar = chaintest.Faults{
	Tag: func(string) string { return "latest" },
	Answer: func(method string, _ []json.RawMessage) (any, bool) {
		return "0x" + strings.Repeat("0", 63) + "5", method == "eth_call"
	},
}

// respelled returns other addresses of the same endpoint.
func respelled(address string) []string {
	local := strings.Replace(address, "127.0.0.1", "LocalHost", 1)
	user := strings.Replace(address, "//", "//user:key@", 1)
	return []string{address + "/v2/KEY", address + "/?key=1", local, user}
}

// TestVoices: one node under two addresses is one opinion, whichever of them comes first, so a liar and its alias do
// not outvote an honest endpoint.
func TestVoices(t *testing.T) {
	t.Parallel()
	for i := range respelled("") {
		for first := range 2 {
			s := newScript(t, 2)
			lie, honest := s.endpoints[0].URL, s.endpoints[1].URL
			alias := respelled(lie)[i]
			list := []string{lie, alias, honest}
			if first == 1 {
				list = []string{honest, alias, lie}
			}
			var err error
			s.reader, err = evm.New(evm.Config{
				Profile: s.profile, Endpoints: list, Now: s.clock.Now, Clock: s.clock.pauses(),
			})
			if err != nil {
				t.Fatal(err)
			}
			s.Mine(20)
			s.endpoints[0].Set(liar)
			heads := s.heads()
			if want := s.chain.Head().Number - scriptFinalDepth; heads.Final.Number != want {
				t.Errorf("%q: final is %d, want %d", list, heads.Final.Number, want)
			}
			of := []chain.Address{s.Address().Address}
			balances := func() error {
				_, err := s.reader.Balances(t.Context(), s.Credited(), of, heads.Final)
				return err
			}
			if err := balances(); !errors.Is(err, chain.ErrDisagree) {
				t.Errorf("%q: balances %v", list, err)
			}
			if got := chain.Voices(s.reader.Endpoints()); got != 2 {
				t.Errorf("%q: %d voices", list, got)
			}
			s.endpoints[1].Set(chaintest.Faults{Down: 1})
			if err := balances(); !errors.Is(err, chain.ErrNoEndpoint) {
				t.Errorf("%q, the honest one silent: balances %v", list, err)
			}
		}
	}
}

// TestVoices_Confirm: an alias of its source does not confirm a transfer.
func TestVoices_Confirm(t *testing.T) {
	t.Parallel()
	s := newScript(t, 2)
	reader, err := evm.New(evm.Config{
		Profile: s.profile, Endpoints: []string{s.endpoints[0].URL, s.endpoints[0].URL + "/KEY", s.endpoints[1].URL},
		Now: s.clock.Now, Clock: s.clock.pauses(),
	})
	if err != nil {
		t.Fatal(err)
	}
	s.reader = reader
	p, _ := s.pay()
	s.Finalize()
	at := s.heads().Final
	got, err := s.scan(0, at, p.To)
	if err != nil || len(got) != 1 {
		t.Fatalf("scanned %+v, %v", got, err)
	}
	s.endpoints[1].Set(denies)
	if v, err := chain.JudgeAll(t.Context(), s.reader, got, at); err != nil || v != chain.Undecided {
		t.Errorf("the other one denies it: verdict %d, %v", v, err)
	}
	if v, err := chain.JudgeAll(t.Context(), s.reader, chaintest.Recorded(got[0]), at); err != nil ||
		v != chain.Undecided {
		t.Errorf("one denies what is recorded: %d, %v", v, err)
	}
}

// TestVoices_Spare: where one address of a node fails, another one of it answers in its place.
func TestVoices_Spare(t *testing.T) {
	t.Parallel()
	s := newScript(t, 1)
	dead := newProxy(t, s.endpoints[0].URL)
	dead.turn(false)
	reader, err := evm.New(evm.Config{
		Profile: s.profile, Endpoints: []string{dead.URL + "/a", dead.URL + "/b", s.endpoints[0].URL},
		Now: s.clock.Now, Clock: s.clock.pauses(),
	})
	if err != nil {
		t.Fatal(err)
	}
	s.reader = reader
	s.Mine(20)
	of := []chain.Address{s.Address().Address}
	at := s.chain.Head()
	if got, err := reader.Balances(t.Context(), s.Credited(), of, at); !errors.Is(err, chain.ErrNoEndpoint) {
		t.Errorf("one voice is silent: %v, %v", got, err)
	}
	dead.turn(true)
	if _, err := reader.Balances(t.Context(), s.Credited(), of, at); err != nil {
		t.Errorf("its second address answers: %v", err)
	}
}

// TestVoices_Majority: of five endpoints, two of one mind decide nothing, and three do.
func TestVoices_Majority(t *testing.T) {
	t.Parallel()
	for first := range 4 {
		s := newScript(t, 5)
		s.Mine(20)
		s.endpoints[first].Set(liar)
		s.endpoints[first+1].Set(liar)
		heads := s.heads()
		if want := s.chain.Head().Number - scriptFinalDepth; heads.Final.Number != want {
			t.Errorf("%d and the next lie: final is %d, want %d", first, heads.Final.Number, want)
		}
		of := []chain.Address{s.Address().Address}
		got, err := s.reader.Balances(t.Context(), s.Credited(), of, heads.Final)
		if err != nil || !got[0].IsZero() {
			t.Errorf("%d and the next lie: balances %v, %v", first, got, err)
		}
	}
}
