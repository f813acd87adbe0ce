package contracts_test

import (
	"bytes"
	"encoding/hex"
	"encoding/json"
	"os"
	"os/exec"
	"path/filepath"
	"testing"

	"github.com/ethereum/go-ethereum/accounts/abi/abigen"
	"github.com/ethereum/go-ethereum/common/compiler"
	"github.com/ethereum/go-ethereum/crypto"

	"github.com/florinpay/florin/internal/testkit"
)

// generated lists what go generate makes of each directory of Solidity sources.
var generated = []struct{ pkg, sources, artifact, bindings string }{
	{"contracts", "src", "forwarder.json", "bindings.go"},
	{"contractstest", "contractstest/src", "contractstest/contractstest.json", "contractstest/bindings.go"},
}

// TestCompile compiles the sources again: the committed bytecode must be theirs,
// to the byte, since deposit addresses follow from it.
func TestCompile(t *testing.T) {
	t.Parallel()
	testkit.MustEngine(t, "solc/package.json")
	for _, g := range generated {
		t.Run(g.pkg, func(t *testing.T) {
			t.Parallel()
			var stdout, stderr bytes.Buffer
			node := exec.CommandContext(t.Context(), "node", "compile.js", g.sources)
			node.Stdout, node.Stderr = &stdout, &stderr
			if err := node.Run(); err != nil {
				t.Fatalf("node compile.js %s: %v\n%s", g.sources, err, stderr.Bytes())
			}
			if !bytes.Equal(stdout.Bytes(), read(t, g.artifact)) {
				t.Errorf("%s is not what %s compiles to: run go generate and mind that new bytecode means new deposit addresses",
					g.artifact, g.sources)
			}
		})
	}
}

// TestBindings generates the bindings again from the committed artifacts.
func TestBindings(t *testing.T) {
	t.Parallel()
	for _, g := range generated {
		compiled, err := compiler.ParseCombinedJSON(read(t, g.artifact), "", "", "", "")
		if err != nil {
			t.Fatal(err)
		}
		var names, abis, bins []string
		ids := map[string]string{} // as abigen names contracts: by a hash of where they come from
		for name, contract := range compiled {
			abi, err := json.Marshal(contract.Info.AbiDefinition)
			if err != nil {
				t.Fatal(err)
			}
			names = append(names, filepath.Ext(name)[len(".sol:"):])
			ids[hex.EncodeToString(crypto.Keccak256([]byte(name)))[:34]] = names[len(names)-1]
			abis, bins = append(abis, string(abi)), append(bins, contract.Code)
		}
		code, err := abigen.BindV2(names, abis, bins, g.pkg, ids, map[string]string{})
		if err != nil {
			t.Fatal(err)
		}
		if code != string(read(t, g.bindings)) {
			t.Errorf("%s does not belong to %s: run go generate", g.bindings, g.artifact)
		}
	}
}

func read(t *testing.T, name string) []byte {
	t.Helper()
	content, err := os.ReadFile(name)
	if err != nil {
		t.Fatal(err)
	}
	return content
}
