package evm

import (
	"context"
	"fmt"
	"math/big"
	"time"

	"github.com/florinpay/florin/internal/chain"
	"github.com/florinpay/florin/internal/chain/evm/rpc"
)

// Selectors of Chainlink's AggregatorV3Interface: latestRoundData(), decimals() and description().
var feedSelectors = [...][]byte{{0xfe, 0xaf, 0x96, 0x8c}, {0x31, 0x3c, 0xe5, 0x67}, {0x72, 0x84, 0xe4, 0x16}}

const (
	feedWord = 32
	// maxDescription is more than the name of a feed has.
	maxDescription = 64
)

// Feeds reads price feeds, with one call where Multicall is. It returns an answer for each, and fails if the endpoint's
// newest block is old: its feeds would seem to rest.
func (a *Adapter) Feeds(ctx context.Context, feeds []chain.Feed) ([]chain.FeedAnswer, error) {
	var views []rpc.View
	for _, f := range feeds {
		w, err := chain.ParseAddress(a.profile.Network, string(f.Contract))
		if err != nil {
			return nil, err
		}
		for _, selector := range feedSelectors {
			views = append(views, rpc.View{To: rpc.Address(w.Raw), Data: selector})
		}
	}
	var returned [][]byte
	err := a.pool.Do(ctx, func(ctx context.Context, e *rpc.Endpoint) error {
		list, at, err := e.Views(ctx, views)
		if err != nil {
			return err
		}
		if age := a.pool.Now().Sub(at); age > a.profile.HeadLimit {
			return fmt.Errorf("%w: its newest block is %s old", rpc.ErrLagging, age.Round(time.Second))
		}
		returned = list
		return nil
	})
	if err != nil {
		return nil, fmt.Errorf("price feeds on %s: %w", a.profile.Network, err)
	}
	answers := make([]chain.FeedAnswer, len(feeds))
	for i := range feeds {
		answers[i] = feedAnswer(returned[i*len(feedSelectors):])
	}
	return answers, nil
}

// feedAnswer reads what the three views of a feed returned.
func feedAnswer(returned [][]byte) chain.FeedAnswer {
	round, decimals, description := returned[0], returned[1], returned[2]
	if len(round) != 5*feedWord || len(decimals) != feedWord {
		return chain.FeedAnswer{Problem: "there is no price feed at its address"}
	}
	updated := new(big.Int).SetBytes(round[3*feedWord : 4*feedWord])
	if !updated.IsInt64() || updated.Int64() > maxFeedTime {
		return chain.FeedAnswer{Problem: "the time of its price is absurd"}
	}
	places := new(big.Int).SetBytes(decimals)
	if !places.IsInt64() || places.Int64() > feedWord {
		return chain.FeedAnswer{Problem: "its decimals are absurd"}
	}
	return chain.FeedAnswer{
		Answer: signed(round[feedWord : 2*feedWord]), UpdatedAt: time.Unix(updated.Int64(), 0).UTC(),
		Decimals: int(places.Int64()), Description: textOf(description),
	}
}

// maxFeedTime is the year 9999.
const maxFeedTime = 253402300799

// signed reads an int256.
func signed(w []byte) *big.Int {
	v := new(big.Int).SetBytes(w)
	if w[0]&0x80 != 0 {
		v.Sub(v, new(big.Int).Lsh(big.NewInt(1), 8*feedWord))
	}
	return v
}

// textOf reads a string that a view returned; what is none is empty.
func textOf(returned []byte) string {
	if len(returned) < 2*feedWord {
		return ""
	}
	n := new(big.Int).SetBytes(returned[feedWord : 2*feedWord])
	if !n.IsInt64() || n.Int64() > maxDescription || int(n.Int64()) > len(returned)-2*feedWord {
		return ""
	}
	return string(returned[2*feedWord:][:n.Int64()])
}
