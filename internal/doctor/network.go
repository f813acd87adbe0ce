package doctor

import (
	"context"
	"fmt"
	"time"

	"github.com/florinpay/florin/internal/chain"
	"github.com/florinpay/florin/internal/money"
)

// Reader reads one network, through one endpoint or all of them.
type Reader interface {
	chain.Reader
	// Coins returns what the addresses hold of the native coin.
	Coins(ctx context.Context, addresses []chain.Address, at chain.Head) ([]money.Units, error)
}

// Network is a configured network.
type Network struct {
	Profile chain.Profile
	// Endpoints read through one endpoint each, in the configured order; All through all of them.
	Endpoints []Endpoint
	All       Reader
	// Gas is the gas wallet, Treasury where top-ups settle; empty: there is none.
	Gas, Treasury chain.Address
	// GasSetting is the setting of the gas wallet's key.
	GasSetting string
	// Rate is how many calls a second each endpoint gets at most (0: any number).
	Rate float64
	// Watched is an address without money, for queries that find nothing.
	Watched chain.Watched
}

// Network checks the network: each endpoint by itself, then what needs the network.
func (r *Report) Network(ctx context.Context, n Network, now func() time.Time) {
	name := string(n.Profile.Network)
	for i, e := range n.Endpoints {
		r.endpoint(ctx, fmt.Sprintf("%s endpoint %d", name, i+1), n, e, now)
	}
	r.voices(name, n.All.Endpoints())
	r.gas(ctx, n)
	if n.Treasury == "" {
		r.addf(name+" treasury", Fine, "none: credits cannot be bought here")
	} else {
		r.addf(name+" treasury", Fine, "%s", n.Treasury)
	}
}

// voices checks how many opinions the endpoints are.
func (r *Report) voices(name string, endpoints []chain.EndpointHealth) {
	voices, shared := chain.Voices(endpoints), chain.OneVoice(endpoints)
	if shared != "" {
		shared += "; "
	}
	switch {
	case voices == 1:
		r.addf(name+" endpoints", Warning, "%sone endpoint: no second one confirms what it reports and calls final; "+
			"add one of another provider to FLORIN_%s_RPC", shared, name)
	case shared != "":
		r.addf(name+" endpoints", Warning, "%s%d of %d must agree", shared, chain.Quorum(voices), voices)
	case voices == 2:
		r.addf(name+" endpoints", Warning, "two endpoints; both must answer, and when one fails FLORIN_%s_ALONE decides what "+
			"the other one may credit; add a third one of another provider to FLORIN_%[1]s_RPC", name)
	default:
		r.addf(name+" endpoints", Fine, "%d endpoints; %d must agree", voices, chain.Quorum(voices))
	}
}

// gas checks that the gas wallet can pay for sweeps.
func (r *Report) gas(ctx context.Context, n Network) {
	name := string(n.Profile.Network) + " gas wallet"
	if n.Gas == "" {
		r.addf(name, Warning, "none: money stays on deposit addresses until %s is set", n.GasSetting)
		return
	}
	ctx, cancel := context.WithTimeout(ctx, endpointLimit)
	defer cancel()
	held, err := n.coins(ctx)
	switch {
	case err != nil:
		r.addf(name, Warning, "the balance of %s is not known: no endpoint works, see above", n.Gas)
	case held[0].IsZero():
		r.addf(name, Wrong, "%s holds no %s, so nothing is swept: send some to it", n.Gas, n.Profile.Coin)
	default:
		r.addf(name, Fine, "%s holds %s %s", n.Gas, held[0].Format(n.Profile.Network.CoinDecimals()), n.Profile.Coin)
	}
}

// coins reads the balance of the gas wallet: through all endpoints, or else through any that answers, since it only
// informs.
func (n Network) coins(ctx context.Context) (held []money.Units, err error) {
	readers := []Reader{n.All}
	for _, e := range n.Endpoints {
		readers = append(readers, e)
	}
	for _, r := range readers {
		var heads chain.Heads
		if heads, err = r.Heads(ctx); err == nil {
			held, err = r.Coins(ctx, []chain.Address{n.Gas}, heads.Latest)
		}
		if err == nil {
			return held, nil
		}
	}
	return nil, err
}
