package app

import (
	"encoding/json"
	"fmt"
	"io"
	"io/fs"
	"net/http"
	"net/http/httptest"
	"os"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"testing"

	"github.com/florinpay/florin/internal/chain"
	"github.com/florinpay/florin/internal/chain/evm"
	"github.com/florinpay/florin/internal/config"
	"github.com/florinpay/florin/internal/testkit"
)

// isSetting reports whether the program takes the name.
func isSetting(name string) bool {
	_, err := config.Load([]string{name + "=x"}, "")
	return err == nil || !strings.Contains(err.Error(), name+": there is no such setting")
}

var settingName = regexp.MustCompile(`FLORIN_[A-Za-z0-9_.]*[A-Za-z0-9]`)

// TestAdvice_Assets: whatever is wrong with any asset that is compiled in, the advice names settings that exist.
func TestAdvice_Assets(t *testing.T) {
	t.Parallel()
	for _, p := range chain.Profiles() {
		if !p.Network.EVM() {
			continue // its assets are all of a token, which have settings by the same rule
		}
		for _, asset := range p.Assets {
			for name, answer := range map[string]string{
				"NoToken": "0x", "OtherDecimals": "0x" + strings.Repeat("0", 63) + "3",
			} {
				t.Run(string(p.Network)+asset.Symbol+name, func(t *testing.T) {
					t.Parallel()
					only := p
					only.Assets = []chain.Asset{asset}
					a, err := evm.New(evm.Config{Profile: only, Endpoints: []string{rpcServer(t, p.ChainID, answer)}})
					testkit.Must(t, err)
					defer a.Close()
					err = a.Check(t.Context())
					if err == nil || !strings.Contains(err.Error(), asset.Symbol) {
						t.Fatalf("checked with %v", err)
					}
					advised := settingName.FindAllString(err.Error(), -1)
					if len(advised) == 0 {
						t.Errorf("%q names no setting", err)
					}
					for _, name := range advised {
						if !isSetting(name) {
							t.Errorf("%q advises %s, which is no setting", err, name)
						}
					}
				})
			}
		}
	}
}

// rpcServer is an endpoint that gives one answer to every call of a contract.
func rpcServer(t *testing.T, chainID uint64, answer string) string {
	t.Helper()
	s := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		type call struct {
			ID     json.RawMessage `json:"id"`
			Method string          `json:"method"`
		}
		raw, _ := io.ReadAll(r.Body)
		var calls []call
		if json.Unmarshal(raw, &calls) != nil {
			calls = make([]call, 1)
			_ = json.Unmarshal(raw, &calls[0])
		}
		var replies []map[string]any
		for _, c := range calls {
			result := map[string]string{"eth_chainId": fmt.Sprintf("0x%x", chainID), "eth_call": answer}[c.Method]
			if result == "" {
				result = "0x"
			}
			replies = append(replies, map[string]any{"jsonrpc": "2.0", "id": c.ID, "result": result})
		}
		if raw[0] != '[' {
			_ = json.NewEncoder(w).Encode(replies[0])
			return
		}
		_ = json.NewEncoder(w).Encode(replies)
	}))
	t.Cleanup(s.Close)
	return s.URL
}

// spelled is a name of a setting as code and documents write it, with verbs, braces or an ellipsis for a part of it.
var spelled = regexp.MustCompile(`FLORIN_[A-Za-z0-9_%\[\]{},.…]*`)

// ofNetwork is the part of a name for which each network's name stands: a verb of fmt, or what documents write.
var ofNetwork = regexp.MustCompile(`%(\[\d\])?s|\{(NET|NETWORK|BEP20,POLYGON,BASE,SOL)\}`)

// joined is a name of a network's setting that code puts together.
var joined = regexp.MustCompile(`"FLORIN_"\s*\+[^"]*\+\s*"(_[A-Z_]+)`)

// settingsOf returns the names that a spelled one stands for; none if it is only the beginning of names.
func settingsOf(name string) (list []string) {
	whole := strings.TrimRight(name, ".…,_{[}]%")
	place := ofNetwork.FindStringIndex(name)
	switch {
	case place != nil:
		rest := strings.TrimRight(name[place[1]:], ".…,_{[}]%")
		for _, p := range chain.Profiles() {
			list = append(list, name[:place[0]]+string(p.Network)+rest)
		}
	case len(whole) > len("FLORIN_") && !strings.ContainsAny(whole, "%{…["):
		list = append(list, whole)
	}
	return list
}

// others are names that are no settings of the program: of a merchant's sample programs, and of tests.
var others = []string{
	"FLORIN_API_KEY", "FLORIN_SCREENSHOTS",
	"FLORIN_TEST_POSTGRES", "FLORIN_TEST_SERVE_SCAN",
}

// TestAdvice_Names: every name of a setting in the program's texts and documents is one that the program takes.
func TestAdvice_Names(t *testing.T) {
	t.Parallel()
	root, seen := "../..", 0
	err := filepath.WalkDir(root, func(path string, d fs.DirEntry, err error) error {
		switch {
		case err != nil:
			return err
		case d.IsDir() && (strings.HasPrefix(d.Name(), ".") && path != root || d.Name() == "node_modules"),
			d.IsDir() && (path == root+"/bin" || path == root+"/dist"): // what make run and make release build
			return filepath.SkipDir
		case d.IsDir(), d.Type()&fs.ModeSymlink != 0, strings.HasSuffix(path, "_test.go"),
			strings.Contains(path, "/testdata/"),
			strings.Contains(path, "/cmd/bench/"):
			return nil
		}
		switch filepath.Ext(path) {
		case ".go", ".md", ".templ", ".service", ".yml", ".yaml", ".html", ".env", ".sh", ".js", ".ts", ".json",
			".graphqls", "":
		default:
			return nil
		}
		text, err := os.ReadFile(path)
		if err != nil {
			return err
		}
		all := spelled.FindAllString(string(text), -1)
		for _, m := range joined.FindAllStringSubmatch(string(text), -1) {
			all = append(all, "FLORIN_%s"+m[1])
		}
		for _, written := range all {
			names := settingsOf(written)
			for _, name := range names {
				seen++
				if stem := strings.TrimSuffix(name, "_FILE"); !isSetting(name) && !isSetting(stem) &&
					!slices.Contains(others, name) && !(len(names) > 1 && name == "FLORIN_SOL_CHAIN_ID") {
					t.Errorf("%s names %s, which is no setting", path, name)
				}
			}
		}
		return nil
	})
	if err != nil || seen < 100 {
		t.Errorf("%d names, %v", seen, err)
	}
}
