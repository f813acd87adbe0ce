package table

import (
	"encoding/json"
	"fmt"
	"reflect"
	"strconv"
	"strings"

	"github.com/florinpay/florin/internal/chain"
	"github.com/florinpay/florin/internal/exchange"
	"github.com/florinpay/florin/internal/merchant"
	"github.com/florinpay/florin/internal/money"
	"github.com/florinpay/florin/internal/payment"
	"github.com/florinpay/florin/internal/refund"
	"github.com/florinpay/florin/internal/store/db"
)

// How values of the domain are written that are no column by themselves.
var (
	// A network's own rule is an empty text. One that cannot be read counts as that, which is safe.
	_ = db.Codec(func(f chain.Finality) string {
		if f == (chain.Finality{}) {
			return ""
		}
		return f.String()
	}, func(text string) (chain.Finality, error) {
		f, err := chain.ParseFinality(text)
		if err != nil {
			return chain.Finality{}, nil
		}
		return f, nil
	})
	// NETWORK.TOKEN, separated by commas.
	_ = listCodec(func(c payment.Choice) string { return string(c.Network) + "." + string(c.Token) },
		func(text string) (payment.Choice, error) {
			network, token, _ := strings.Cut(text, ".")
			return payment.Choice{Network: chain.Network(network), Token: money.Token(token)}, nil
		})
	// NETWORK:CONTRACT:ARRIVED:OPEN, separated by commas.
	_ = listCodec(func(r payment.Refunded) string {
		return strings.Join([]string{string(r.Network), string(r.Contract), r.Arrived.String(), r.Open.String()}, ":")
	}, func(text string) (r payment.Refunded, err error) {
		parts := strings.Split(text, ":")
		if len(parts) != 4 {
			return r, fmt.Errorf("stored refunds are %q", text)
		}
		r.Network, r.Contract = chain.Network(parts[0]), chain.Address(parts[1])
		r.Arrived, err = money.ParseUnits(parts[2])
		if err == nil {
			r.Open, err = money.ParseUnits(parts[3])
		}
		return r, err
	})
	_ = listCodec(func(m money.Micros) string { return strconv.FormatInt(int64(m), 10) },
		func(text string) (money.Micros, error) {
			n, err := strconv.ParseInt(text, 10, 64)
			return money.Micros(n), err
		})
	_ = listCodec(func(n int64) string { return strconv.FormatInt(n, 10) },
		func(text string) (int64, error) { return strconv.ParseInt(text, 10, 64) })
	_ = jsonCodec[exchange.Pricing]()
	_ = jsonCodec[map[string]string]()
	_ = jsonCodec[[]refund.Other]()
	// Names, separated by commas.
	_ = db.Codec(merchant.Permissions.String, func(text string) (merchant.Permissions, error) {
		return merchant.ParsePermissions(strings.FieldsFunc(text, func(c rune) bool { return c == ',' }))
	})
)

// jsonCodec writes values as JSON; nothing is an empty text.
func jsonCodec[T any]() any {
	return db.Codec(func(v T) string {
		if r := reflect.ValueOf(v); r.IsZero() || r.Kind() != reflect.Struct && r.Len() == 0 {
			return ""
		}
		raw, _ := json.Marshal(v) //nolint:errchkjson // texts and numbers are always JSON
		return string(raw)
	}, func(text string) (v T, err error) {
		if text != "" {
			err = json.Unmarshal([]byte(text), &v)
		}
		return v, err
	})
}

// listCodec writes values separated by commas; none are an empty text.
func listCodec[T any](write func(T) string, read func(string) (T, error)) any {
	return db.Codec(func(list []T) string {
		texts := make([]string, len(list))
		for i, one := range list {
			texts[i] = write(one)
		}
		return strings.Join(texts, ",")
	}, func(text string) (list []T, err error) {
		for part := range strings.SplitSeq(text, ",") {
			if text == "" {
				break
			}
			one, err := read(part)
			if err != nil {
				return nil, err
			}
			list = append(list, one)
		}
		return list, nil
	})
}
