// Package reference reads rates over HTTP: the reference rates of a day, in the file of the European Central Bank or
// Frankfurter's answer, and what exchanges, or a server of one's own, say now.
//
// Its one invariant: an answer is read whole and in its format, or refused. It is bounded in size and time, no redirect
// is followed, and no number is read as a float.
package reference

import (
	"bytes"
	"context"
	"crypto/tls"
	"encoding/json"
	"encoding/xml"
	"errors"
	"fmt"
	"io"
	"math/big"
	"net"
	"net/http"
	"regexp"
	"time"

	"code.dny.dev/ssrf"

	"github.com/florinpay/florin/internal/exchange"
)

// The published reference rates.
const (
	ECB         = "ecb"
	Frankfurter = "frankfurter"
)

var published = map[string]string{
	ECB:         "https://www.ecb.europa.eu/stats/eurofxref/eurofxref-daily.xml",
	Frankfurter: "https://api.frankfurter.dev/v2/rates?base=EUR&providers=ecb",
}

const (
	// maxAnswer is some times what the thirty rates of a day take.
	maxAnswer = 256 << 10
	// within bounds a request.
	within = 2 * time.Second
	// maxRates is more than there are currencies.
	maxRates = 400
)

// Reader returns what reads the rates: of ECB, Frankfurter, or of the operator's own address, which answers in ECB's
// form and may be in the operator's network. The published ones are asked on public addresses only.
func Reader(source string) func(context.Context) (exchange.Fence, error) {
	address, isPublished := published[source]
	if !isPublished {
		address, source = source, "own"
	}
	client := newClient(isPublished)
	return func(ctx context.Context) (exchange.Fence, error) {
		raw, err := get(ctx, client, address)
		if err != nil {
			return exchange.Fence{Name: source}, err
		}
		parse := ParseXML
		if source == Frankfurter {
			parse = ParseJSON
		}
		f, err := parse(raw)
		f.Name = source
		return f, err
	}
}

// newClient returns the client of one server; guarded, it reaches public addresses only.
func newClient(guarded bool) *http.Client {
	dialer := &net.Dialer{Timeout: within}
	if guarded {
		dialer.Control = ssrf.New(ssrf.WithAnyPort()).Safe
	}
	return &http.Client{
		Timeout:       within,
		CheckRedirect: func(*http.Request, []*http.Request) error { return http.ErrUseLastResponse },
		Transport: &http.Transport{
			DialContext: dialer.DialContext, TLSClientConfig: &tls.Config{MinVersion: tls.VersionTLS12},
			DisableCompression: true, DisableKeepAlives: true, MaxResponseHeaderBytes: 32 << 10,
		},
	}
}

func get(ctx context.Context, client *http.Client, address string) ([]byte, error) {
	request, err := http.NewRequestWithContext(ctx, http.MethodGet, address, nil)
	if err != nil {
		return nil, fmt.Errorf("ask for reference rates: %w", err)
	}
	request.Header.Set("User-Agent", "Florin/1.0")
	answer, err := client.Do(request)
	if err != nil {
		return nil, fmt.Errorf("ask for reference rates: %w", err)
	}
	defer func() { _ = answer.Body.Close() }()
	if answer.StatusCode != http.StatusOK {
		return nil, fmt.Errorf("reference rates: the answer has status %d", answer.StatusCode)
	}
	raw, err := io.ReadAll(io.LimitReader(answer.Body, maxAnswer+1))
	if err != nil {
		return nil, fmt.Errorf("read reference rates: %w", err)
	}
	if len(raw) > maxAnswer {
		return nil, errors.New("reference rates: the answer is too large")
	}
	return raw, nil
}

// ParseXML reads the form of the European Central Bank's eurofxref-daily.xml.
func ParseXML(raw []byte) (exchange.Fence, error) {
	var file struct {
		XMLName xml.Name `xml:"Envelope"`
		Days    []struct {
			Date  string `xml:"time,attr"`
			Rates []struct {
				Currency string `xml:"currency,attr"`
				Rate     string `xml:"rate,attr"`
			} `xml:"Cube"`
		} `xml:"Cube>Cube"`
	}
	d := xml.NewDecoder(bytes.NewReader(raw))
	if err := d.Decode(&file); err != nil {
		return exchange.Fence{}, fmt.Errorf("reference rates are not in ECB's form: %w", err)
	}
	if len(file.Days) != 1 {
		return exchange.Fence{}, fmt.Errorf("reference rates of %d days instead of one", len(file.Days))
	}
	b := builder{}
	for _, r := range file.Days[0].Rates {
		b.add(file.Days[0].Date, r.Currency, r.Rate)
	}
	return b.fence()
}

// ParseJSON reads the forms of Frankfurter: rows of version 2, or an object of version 1.
func ParseJSON(raw []byte) (exchange.Fence, error) {
	b := builder{}
	var rows []struct {
		Date, Base, Quote string
		Rate              json.Number
	}
	var one struct {
		Amount     json.Number
		Base, Date string
		Rates      map[string]json.Number
	}
	switch {
	case json.Unmarshal(raw, &rows) == nil:
		for _, r := range rows {
			if r.Base != "EUR" {
				return exchange.Fence{}, fmt.Errorf("reference rates: the base is %.8q instead of EUR", r.Base)
			}
			b.add(r.Date, r.Quote, r.Rate.String())
		}
	case json.Unmarshal(raw, &one) == nil && one.Base == "EUR" && isOne.MatchString(one.Amount.String()):
		for c, rate := range one.Rates {
			b.add(one.Date, c, rate.String())
		}
	default:
		return exchange.Fence{}, errors.New("reference rates are not in Frankfurter's form")
	}
	return b.fence()
}

var (
	isOne = regexp.MustCompile(`^1(\.0*)?$`)
	// decimal is a number without sign and exponent, of a size that a rate to the euro has.
	decimal = regexp.MustCompile(`^[0-9]{1,9}(\.[0-9]{1,15})?$`)
)

// builder collects the rates of one day. The first thing that is wrong refuses all.
type builder struct {
	date  string
	rates map[exchange.Currency]*big.Rat
	err   error
}

func (b *builder) add(date, currency, rate string) {
	if b.rates == nil {
		b.date, b.rates = date, make(map[exchange.Currency]*big.Rat)
	}
	c, value := exchange.Currency(currency), new(big.Rat)
	if decimal.MatchString(rate) { // an exponent would take all memory
		value, _ = value.SetString(rate)
	}
	_, twice := b.rates[c]
	switch {
	case b.err != nil:
	case value.Sign() <= 0:
		b.err = fmt.Errorf("reference rates: that of %.8q is no rate", currency)
	case twice:
		b.err = fmt.Errorf("reference rates: %.8q is there twice", currency)
	case len(b.rates) >= maxRates:
		b.err = errors.New("reference rates: too many")
	default:
		b.date, b.rates[c] = min(b.date, date), value // the oldest day counts
	}
}

func (b *builder) fence() (exchange.Fence, error) {
	if b.err != nil {
		return exchange.Fence{}, b.err
	}
	date, err := time.Parse(time.DateOnly, b.date)
	if err != nil || len(b.rates) == 0 {
		return exchange.Fence{}, errors.New("reference rates: there is no day with rates")
	}
	return exchange.Fence{Date: date, PerEuro: b.rates}, nil
}
