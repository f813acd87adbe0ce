package config

import (
	"errors"
	"net"
	"strings"

	"github.com/florinpay/florin/internal/chain"
)

var errNoSeed = errors.New(
	"is needed with FLORIN_SOL_RPC: deposit addresses derive from it; make one with `florin keygen --sol-seed`")

// draft is a Config in the making.
type draft struct {
	Config
	networks map[chain.Network]*override
}

// Load reads the configuration from the environment (as os.Environ gives it)
// and the .env file of that path; an empty path means that there is none. Its
// error is Problems: everything that is wrong.
func Load(environ []string, dotenv string) (Config, error) {
	values, err := gather(environ, dotenv)
	if err != nil {
		return Config{}, err
	}
	d := newDraft()
	table := variables()
	var problems Problems
	texts := make(map[string]string, len(table))
	for _, v := range table {
		text, err := take(values, v)
		if err == nil {
			err = d.set(v, text)
		}
		problems.add(v.name, err)
		texts[v.name] = text
	}
	problems = append(problems, unknown(values, table)...)
	if len(problems) == 0 {
		problems = d.complete()
	}
	if len(problems) > 0 {
		return Config{}, problems
	}
	d.shown = d.show(table, texts)
	return d.Config, nil
}

func newDraft() *draft {
	d := &draft{networks: make(map[chain.Network]*override)}
	for _, n := range chain.Networks() {
		d.networks[n] = newOverride()
	}
	return d
}

func (d *draft) set(v variable, text string) error {
	if text == "" {
		text = v.fallback
	}
	if text == "" {
		if v.required != "" {
			return errors.New(v.required)
		}
		return nil
	}
	return v.set(d, strings.TrimSpace(text))
}

// complete fills in what follows from the rest and checks what must hold
// between values that are fine by themselves.
func (d *draft) complete() (problems Problems) {
	if d.CheckoutURL == "" {
		d.CheckoutURL = d.BaseURL
	}
	if d.MinAmount > d.MaxAmount {
		problems.add("FLORIN_MIN_AMOUNT", errors.New("must not be greater than FLORIN_MAX_AMOUNT"))
	}
	if !d.SMTPURL.Empty() && d.MailFrom == "" {
		problems.add("FLORIN_MAIL_FROM", errors.New("is needed with FLORIN_SMTP_URL: the sender of mails, such as florin@example.com"))
	}
	if d.MetricsListen == d.Listen && !strings.HasSuffix(d.Listen, ":0") {
		problems.add("FLORIN_METRICS_LISTEN", errors.New("must differ from FLORIN_LISTEN"))
	}
	for _, p := range chain.Profiles() {
		o := d.networks[p.Network]
		if len(o.rpc) == 0 {
			continue
		}
		network, wrong := o.network(p)
		problems = append(problems, wrong...)
		d.Networks = append(d.Networks, network)
	}
	if _, on := d.Network(chain.Solana); on && d.SolSeed == nil {
		problems.add("FLORIN_SOL_SEED", errNoSeed)
	}
	return problems
}

func checkHostPort(text string) error {
	_, port, err := net.SplitHostPort(text)
	if err == nil {
		_, err = parseWhole(port, 0, 65_535)
	}
	if err != nil {
		return errors.New("must be host:port such as 127.0.0.1:8080")
	}
	return nil
}
