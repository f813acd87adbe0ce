package config

import (
	"cmp"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"maps"
	"os"
	"regexp"
	"slices"
	"strings"

	"github.com/agnivade/levenshtein"

	"github.com/florinpay/florin/internal/chain"
	"github.com/florinpay/florin/internal/retention"
)

const (
	prefix     = "FLORIN_"
	fileSuffix = "_FILE"
	// maxSecretFile bounds a file that holds a secret, in bytes.
	maxSecretFile = 64 << 10
	// maxTypos is how many letters of an unknown name may differ from the name that is suggested.
	maxTypos = 3
)

// Problem is one thing that is wrong with a setting or a .env file.
type Problem struct {
	Name   string
	Reason string // without the value
}

// Problems is everything that is wrong with the configuration. It is the error that Load returns.
type Problems []Problem

// Error returns all problems on one line.
func (p Problems) Error() string {
	texts := make([]string, len(p))
	for i, x := range p {
		texts[i] = x.Name + ": " + x.Reason
	}
	return strings.Join(texts, "; ")
}

func (p *Problems) add(name string, err error) {
	if err != nil {
		*p = append(*p, Problem{Name: name, Reason: err.Error()})
	}
}

// Load reads the configuration from the environment (as os.Environ returns it) and the .env file at the path; an empty
// path means that there is none. Its error is Problems.
func Load(environ []string, dotenv string) (Config, error) {
	values, err := gather(environ, dotenv)
	if err != nil {
		return Config{}, Problems{{dotenv, err.Error()}}
	}
	c := newConfig()
	c.seed = findSeed(environ, values)
	settings := c.settings()
	texts, set := make([]string, len(settings)), make(map[string]bool)
	var problems Problems
	for i, s := range settings {
		texts[i], err = s.take(values)
		set[s.name] = texts[i] != ""
		texts[i] = cmp.Or(texts[i], s.fallback)
		switch {
		case err != nil:
		case texts[i] != "":
			err = s.parse(strings.TrimSpace(texts[i]))
		case s.required != "":
			err = errors.New(s.required)
		}
		problems.add(s.name, err)
	}
	for _, name := range slices.Sorted(maps.Keys(values)) { // those that no setting took
		if retired.MatchString(name) {
			c.printed = append(c.printed, "# "+name+" is no longer a setting: it is ignored")
			continue
		}
		problems.add(name, unknown(name, settings))
	}
	if len(problems) == 0 {
		problems = c.complete(set)
	}
	if len(problems) > 0 {
		return Config{}, problems
	}
	for i, s := range settings {
		line := s.line(texts[i])
		if texts[i] == "" && s.mask == nil && s.stored() != "" && s.compiled {
			line = "# compiled in:\n" + line
		}
		c.printed = append(c.printed, line)
	}
	return *c, nil
}

// newConfig returns a Config with every network as it is compiled in.
func newConfig() *Config {
	var c Config
	c.Keep, c.RateEvery = retention.DefaultPolicy(), rateEvery
	for _, p := range chain.Profiles() {
		c.Networks = append(c.Networks, Network{Profile: p})
	}
	return &c
}

// gather returns the values that are set and not empty, by name. The environment overrides the .env file, with an empty
// value as with any other, and a secret whether its value or its file is named. Names without the prefix belong to
// other programs.
func gather(environ []string, dotenv string) (map[string]string, error) {
	values := make(map[string]string)
	keep := func(name, value string) {
		if strings.HasPrefix(name, prefix) && value != "" {
			values[name] = value
		}
	}
	if dotenv != "" {
		text, err := readFile(dotenv, maxDotenv)
		if err != nil {
			return nil, err
		}
		list, err := parseDotenv(text)
		if err != nil {
			return nil, err
		}
		for _, a := range list {
			keep(a.name, a.value)
		}
	}
	secrets := secretNames()
	for _, e := range environ {
		name, _, _ := strings.Cut(e, "=")
		delete(values, name)
		if stem := strings.TrimSuffix(name, fileSuffix); secrets[stem] {
			delete(values, stem)
			delete(values, stem+fileSuffix)
		}
	}
	for _, e := range environ {
		name, value, _ := strings.Cut(e, "=")
		keep(name, value)
	}
	return values, nil
}

// secretNames are the settings that may come from a file.
func secretNames() map[string]bool {
	names := make(map[string]bool)
	for _, s := range newConfig().settings() {
		if s.mask != nil {
			names[s.name] = true
		}
	}
	return names
}

// SecretFiles lists the .env file, if there is one, and the files that settings name for secrets.
func SecretFiles(environ []string, dotenv string) (paths []string) {
	values, err := gather(environ, dotenv)
	if err != nil {
		return nil
	}
	if dotenv != "" {
		paths = append(paths, dotenv)
	}
	secrets := secretNames()
	for _, name := range slices.Sorted(maps.Keys(values)) {
		if base, ok := strings.CutSuffix(name, fileSuffix); ok && secrets[base] {
			paths = append(paths, values[name])
		}
	}
	return paths
}

// readFile reads a small file.
func readFile(path string, limit int64) (string, error) {
	var b []byte
	f, err := os.Open(path)
	if err == nil {
		b, err = io.ReadAll(io.LimitReader(f, limit+1))
		_ = f.Close() // it was only read
	}
	if cause := (*fs.PathError)(nil); errors.As(err, &cause) {
		err = cause.Err // without the path, which the message names already
	}
	if err == nil && int64(len(b)) > limit {
		err = fmt.Errorf("it has more than %d bytes", limit)
	}
	if err != nil {
		return "", fmt.Errorf("the file %s cannot be read: %w", path, err)
	}
	return string(b), nil
}

// take returns the text of the setting and removes it from the values. The text is empty if it is not set.
func (s setting) take(values map[string]string) (string, error) {
	text := values[s.name]
	delete(values, s.name)
	name := s.name + fileSuffix
	path := values[name]
	if s.mask == nil || path == "" {
		return text, nil
	}
	delete(values, name)
	if text != "" {
		return "", fmt.Errorf("it is set as well as %s; leave one of them out", name)
	}
	text, err := readFile(path, maxSecretFile)
	if err != nil {
		return "", fmt.Errorf("%s: %w", name, err)
	}
	if text = strings.TrimRight(text, "\r\n"); text == "" {
		return "", fmt.Errorf("%s: the file %s is empty", name, path)
	}
	return text, nil
}

// linked are the names that Kubernetes sets in pods beside a service whose name begins with florin.
var linked = regexp.MustCompile(`^FLORIN(_[A-Z0-9_]+)?_(SERVICE_HOST|SERVICE_PORT(_.*)?|PORT(_\d+_(TCP|UDP|SCTP)(_.*)?)?)$`)

// unknown returns the reason to refuse the name, with the most similar setting if there is one.
func unknown(name string, settings []setting) error {
	const reason = "there is no such setting"
	if linked.MatchString(name) {
		return errors.New(reason + "; it comes from a service of Kubernetes that is called florin: set enableServiceLinks: " +
			"false in the pod, as deploy/kubernetes does")
	}
	distance := func(s setting) int { return levenshtein.ComputeDistance(name, s.name) }
	best := slices.MinFunc(settings, func(a, b setting) int { return distance(a) - distance(b) })
	if distance(best) > maxTypos {
		return errors.New(reason)
	}
	return errors.New(reason + "; did you mean " + best.name + "?")
}

// complete derives settings that are not set from others, and checks that the settings agree.
func (c *Config) complete(set map[string]bool) (problems Problems) {
	c.CheckoutURL = cmp.Or(c.CheckoutURL, c.BaseURL)
	problems = c.checkPublic()
	if c.MinAmount > c.MaxAmount {
		problems.add("FLORIN_MIN_AMOUNT", errors.New("must not be greater than FLORIN_MAX_AMOUNT"))
	}
	if !c.SMTPURL.Empty() && c.MailFrom == "" {
		problems.add("FLORIN_MAIL_FROM",
			errors.New("is needed with FLORIN_SMTP_URL: the sender of mails, such as florin@example.com"))
	}
	if len(c.OperatorMail) > 0 && c.SMTPURL.Empty() {
		problems.add("FLORIN_OPERATOR_EMAIL", errors.New("needs FLORIN_SMTP_URL, the mail server that sends the alerts"))
	}
	if !c.OperatorHookKey.Empty() && c.OperatorHook.Empty() {
		problems.add("FLORIN_OPERATOR_WEBHOOK_SECRET", errors.New("signs FLORIN_OPERATOR_WEBHOOK, which is not set"))
	}
	if c.OldSecretKey.Equal(c.SecretKey) {
		problems.add("FLORIN_OLD_SECRET_KEY", errors.New("is the same as FLORIN_SECRET_KEY; leave it out"))
	}
	if c.MetricsListen == c.Listen && !strings.HasSuffix(c.Listen, ":0") {
		problems.add("FLORIN_METRICS_LISTEN", errors.New("must differ from FLORIN_LISTEN"))
	}
	all := c.Networks
	c.Networks = nil
	for i, compiled := range chain.Profiles() {
		on, wrong := all[i].complete(compiled, set)
		problems = append(problems, wrong...)
		if on {
			c.Networks = append(c.Networks, all[i])
		}
	}
	if _, on := c.Network(chain.Solana); on && c.seed.text.Empty() {
		problems.add(seedName, errors.New("is needed with FLORIN_SOL_RPC: deposit addresses derive from it; "+
			"make one with `florin keygen --sol-seed --sealed`"))
	}
	problems.add(seedName, c.openSeed())
	return problems
}

// line returns the setting as a line of a .env file, with a secret masked; a comment if it has no value.
func (s setting) line(text string) string {
	switch {
	case s.mask == nil:
		text = cmp.Or(text, s.stored())
	case text != "":
		text = s.mask(text)
	}
	if text == "" {
		return "# " + s.name + "="
	}
	return s.name + "=" + quoteValue(text)
}

// Print writes every setting with its effective value, one a line, in the form of a .env file. Secrets are masked;
// settings without a value are comments.
func (c Config) Print(w io.Writer) error {
	for _, line := range slices.Concat(c.printed, compiledIn()) {
		if _, err := fmt.Fprintln(w, line); err != nil {
			return fmt.Errorf("print the configuration: %w", err)
		}
	}
	return nil
}
