package main_test

import (
	"bufio"
	"bytes"
	"crypto/rand"
	"encoding/hex"
	"encoding/json"
	"fmt"
	"os"
	"strings"
	"testing"

	"github.com/florinpay/florin/internal/secret"
	"github.com/florinpay/florin/internal/testkit"
	walletkeys "github.com/florinpay/florin/internal/wallet"
)

// TestMemory looks into the memory of the program: nothing holds what a request
// carried as a secret once other requests have followed, however it was written:
// inline or as a variable, accepted, refused or malformed. No cache keeps the text of
// a document with a literal in it. What the collector has freed it overwrites here,
// since nobody can say when its place is used again.
func TestMemory(t *testing.T) {
	t.Parallel()
	i := newInstallation(t, "GOGC=20", "GODEBUG=clobberfree=1")
	private := randomHex(t)
	parsed, err := walletkeys.ParseEVM(secret.New(private))
	testkit.Must(t, err)
	i.must(t, "canary-password-1", "user", "create", "--email", "memory@shop.example", "--json")
	var key struct{ Key string }
	made := i.must(t, "", "key", "create", "--email", "memory@shop.example", "--wallet", string(parsed.Wallet()),
		"--credits", "50", "--json")
	testkit.Must(t, json.Unmarshal([]byte(made), &key))
	s := i.serve(t)
	secrets := map[string]string{
		"private key of a rotation": private, "wrong private key": randomHex(t), "malformed private key": randomHex(t),
		"private key of a document that is refused": randomHex(t), "private key of a document that does not parse": randomHex(t),
		"private key in a variable": randomHex(t), "private key of a recharge": randomHex(t),
		"private key in a block": randomHex(t), "password": randomHex(t), "password in a variable": randomHex(t),
		"private key in a JSON body that is refused": randomHex(t), "key": key.Key, "secret of a custodian": randomHex(t),
	}
	revoke := func(key, private string) string {
		return `mutation { revokeApiKey(apiKey: "` + key + `", privateKey: "` + private + `") { code newApiKey } }`
	}
	rotated := s.graphQL(t, revoke(key.Key, "0x"+private), nil)
	next, ok := rotated["data"].(map[string]any)["revokeApiKey"].(map[string]any)["newApiKey"].(string)
	if !ok {
		t.Fatalf("no new key: %v", rotated)
	}
	for _, document := range []string{
		revoke(next, secrets["wrong private key"]), revoke(next, "zz"+secrets["malformed private key"]),
		`mutation { revokeApiKey(apiKey: "x", privateKey: "` + secrets["private key of a document that is refused"] + `") { nothing } }`,
		`mutation { revokeApiKey(apiKey: "x", privateKey: "` + secrets["private key of a document that does not parse"] + `" { code } }`,
		`mutation { rechargeApiKey(apiKey: "` + next + `", privateKey: "` + secrets["private key of a recharge"] + `", unit: 1) { code } }`,
		`mutation { revokeApiKey(apiKey: "x", privateKey: """` + secrets["private key in a block"] + `""") { code } }`,
		`mutation { UserLogin(email: "memory@shop.example", password: "` + secrets["password"] + `") { code } }`,
		`mutation { createCustodianAccount(input: {apiKey: "` + next + `", secret: "` + secrets["secret of a custodian"] +
			`", wallets: {polygon: "` + string(parsed.Wallet()) + `"}}) { code } }`,
	} {
		s.graphQL(t, document, nil)
	}
	s.graphQL(t, `mutation($p: String!) { UserLogin(email: "memory@shop.example", password: $p) { code } }`,
		map[string]any{"p": secrets["password in a variable"]})
	s.graphQL(t, `mutation($p: String!) { revokeApiKey(apiKey: "x", privateKey: $p) { code } }`,
		map[string]any{"p": secrets["private key in a variable"]})
	s.post(t, "/create-payment", `{"apiKey":"`+secrets["private key in a JSON body that is refused"]+`","amount":`)
	var left map[string]int
	const rounds, requests = 10, 6_000 // stacks are overwritten only by use
	for range rounds {
		s.repeat(t, requests)
		if left = occurrences(t, s.cmd.Process.Pid, secrets); len(left) == 0 {
			return
		}
	}
	t.Errorf("in memory after %d requests: %v", rounds*requests, left)
}

// repeat sends requests of many lengths, but of few documents, which a cache would
// hold beside those before them.
func (s *server) repeat(t *testing.T, requests int) {
	t.Helper()
	other := strings.Repeat("7", 64)
	documents := []string{
		`query($n: String!) { getTxnDetails(txnid: $n) { code message transaction { txnid } } }`,
		`mutation { revokeApiKey(apiKey: "x", privateKey: "` + other + `") { code newApiKey } }`,
		`mutation { revokeApiKey(apiKey: "x", privateKey: """` + other + `""") { code } }`,
		`mutation { revokeApiKey(apiKey: "x", privateKey: "` + other + `") { nothing } }`,
		`mutation { revokeApiKey(apiKey: "x", privateKey: "` + other + `" { code } }`,
		`mutation { createCustodianAccount(input: {apiKey: "x", secret: "` + other + `"}) { code } }`,
	}
	var fill []string // takes the places of short texts that are garbage, of every size
	for n := range 120 {
		fill = append(fill, strings.Repeat("y", 48+n%80))
	}
	for n := range requests {
		s.graphQL(t, documents[n%len(documents)], map[string]any{"n": strings.Repeat("x", n%500), "fill": fill})
	}
}

func randomHex(t *testing.T) string {
	t.Helper()
	b := make([]byte, 32)
	if _, err := rand.Read(b); err != nil {
		t.Fatal(err)
	}
	return hex.EncodeToString(b)
}

func (s *server) graphQL(t *testing.T, query string, variables map[string]any) map[string]any {
	t.Helper()
	body, err := json.Marshal(map[string]any{"query": query, "variables": variables})
	testkit.Must(t, err)
	_, answer := s.post(t, "/graphql", string(body))
	return answer
}

// occurrences counts the secrets in what a process may write to of its memory.
func occurrences(t *testing.T, pid int, secrets map[string]string) map[string]int {
	t.Helper()
	maps, err := os.Open(fmt.Sprintf("/proc/%d/maps", pid))
	testkit.Must(t, err)
	defer func() { _ = maps.Close() }()
	memory, err := os.Open(fmt.Sprintf("/proc/%d/mem", pid))
	testkit.Must(t, err)
	defer func() { _ = memory.Close() }()
	found, read := make(map[string]int), 0
	for lines := bufio.NewScanner(maps); lines.Scan(); {
		var from, to uint64
		var rights string
		if _, err := fmt.Sscanf(lines.Text(), "%x-%x %s", &from, &to, &rights); err != nil {
			t.Fatalf("%s: %v", lines.Text(), err)
		}
		if !strings.HasPrefix(rights, "rw") {
			continue
		}
		region := make([]byte, to-from)
		n, _ := memory.ReadAt(region, int64(from)) // a part that is not there ends it
		read += n
		for name, text := range secrets {
			if count := bytes.Count(region[:n], []byte(text)); count > 0 {
				found[name] += count
			}
		}
	}
	if read < 1<<20 {
		t.Fatalf("only %d bytes of memory were read", read)
	}
	return found
}
