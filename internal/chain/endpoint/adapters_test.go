package endpoint_test

import (
	"fmt"
	"net/http"
	"net/http/httptest"
	"strings"
	"testing"

	"github.com/florinpay/florin/internal/chain"
	"github.com/florinpay/florin/internal/chain/evm"
	"github.com/florinpay/florin/internal/chain/solana"
)

const key = "Canary0123456789"

// spellings put a key into the address of a server.
var spellings = map[string]func(host string) string{
	"Path":     func(host string) string { return "http://" + host + "/v2/" + key },
	"Query":    func(host string) string { return "http://" + host + "/?api-key=" + key },
	"Name":     func(host string) string { return "http://" + host + "/?" + key },
	"User":     func(host string) string { return "http://" + key + "@" + host + "/" },
	"Password": func(host string) string { return "http://user:" + key + "@" + host + "/" },
}

// parrots are servers that repeat everything they were sent.
var parrots = map[string]func(w http.ResponseWriter, said string){
	"Status": func(w http.ResponseWriter, said string) { http.Error(w, said, http.StatusForbidden) },
	"CutOff": func(w http.ResponseWriter, said string) {
		http.Error(w, strings.Repeat("x", 180)+said, http.StatusBadGateway) // the key begins before what is kept ends
	},
	"Error": func(w http.ResponseWriter, said string) {
		fmt.Fprintf(w, `{"jsonrpc":"2.0","id":0,"error":{"code":-32000,"message":%q}}`, said)
	},
	"ErrorText": func(w http.ResponseWriter, said string) {
		fmt.Fprintf(w, `{"jsonrpc":"2.0","id":0,"error":%q}`, said)
	},
	"Result": func(w http.ResponseWriter, said string) {
		fmt.Fprintf(w, `{"jsonrpc":"2.0","id":0,"result":%q}`, said)
	},
	"Redirect": func(w http.ResponseWriter, said string) {
		w.Header().Set("Location", "/elsewhere?"+said)
		w.WriteHeader(http.StatusTemporaryRedirect)
	},
	"Cut": func(w http.ResponseWriter, said string) {
		w.Header().Set("Content-Length", "9999")
		fmt.Fprint(w, said)
	},
	"Nothing": func(http.ResponseWriter, string) { panic(http.ErrAbortHandler) },
}

// adapter opens an adapter of an endpoint.
func adapter(t *testing.T, p chain.Profile, endpoint string) chain.Reader {
	t.Helper()
	var r chain.Reader
	var err error
	if p.Network == chain.Solana {
		r, err = solana.New(solana.Config{Profile: p, Endpoints: []string{endpoint}})
	} else {
		r, err = evm.New(evm.Config{Profile: p, Endpoints: []string{endpoint}})
	}
	if err != nil {
		t.Fatal(err)
	}
	return r
}

// TestAdapters: no error and no state of an endpoint shows a key that its address holds, whatever the endpoint answers.
func TestAdapters(t *testing.T) {
	t.Parallel()
	for _, p := range chain.Profiles() {
		if p.Network != chain.Solana && p.Network != chain.Polygon {
			continue
		}
		for name, answer := range parrots {
			for place, spell := range spellings {
				t.Run(string(p.Network)+name+place, func(t *testing.T) {
					t.Parallel()
					server := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
						user, password, _ := r.BasicAuth()
						answer(
							w, strings.Join([]string{r.RequestURI, user, password, r.Header.Get("Authorization")}, " "),
						)
					}))
					defer server.Close()
					host := strings.TrimPrefix(server.URL, "http://")
					r := adapter(t, p, spell(host))
					_, err := r.Heads(t.Context())
					shows := fmt.Sprintf("%v %+v %+v", err, r.Endpoints(), r.Check(t.Context()))
					if err == nil || !strings.Contains(shows, host) {
						t.Errorf("the failure does not name the endpoint: %s", shows)
					}
					if strings.Contains(strings.ToLower(shows), strings.ToLower(key[:8])) ||
						strings.Contains(shows, "Q2FuYXJ5") ||
						strings.Contains(shows, "dXNlcjpDYW5hcnkw") {
						t.Errorf("the key is shown: %s", shows)
					}
				})
			}
		}
	}
}
