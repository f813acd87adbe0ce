package doctor

import (
	"context"
	"encoding/json"
	"fmt"
	"io"
	"net/http"
	"strings"
	"time"
)

const (
	// publicTimeout bounds a request to the public address.
	publicTimeout = 15 * time.Second
	// maxAnswer is longer than a report of /health.
	maxAnswer = 1 << 20
)

// Public checks that Florin is reached at the public address, named by its setting, and what a running server reports
// of the proxy in front of it.
func (r *Report) Public(ctx context.Context, setting, address string) {
	ctx, cancel := context.WithTimeout(ctx, publicTimeout)
	defer cancel()
	if !strings.HasPrefix(address, "https://") {
		r.addf(setting, Warning, "%s is not https: payers' browsers and merchants' programs reach it in the open", address)
	}
	health, err := fetchHealth(ctx, address)
	if err != nil {
		r.addf(setting, Wrong, "Florin is not reached at %s: %s; start it, and point name, certificate and proxy to it", address,
			err)
		return
	}
	r.addf(setting, Fine, "%s is reached, version %s", address, health.Version)
	if len(health.Warnings) == 0 {
		r.addf("proxy", Fine, "no request has reached %s without the address of its client", address)
	}
	for _, w := range health.Warnings {
		r.addf("proxy", Warning, "%s", w)
	}
}

// health is what the doctor reads of GET /health.
type health struct {
	Version  string
	Database string
	Warnings []string
}

func fetchHealth(ctx context.Context, address string) (h health, err error) {
	req, err := http.NewRequestWithContext(ctx, http.MethodGet, address+"/health", nil)
	if err != nil {
		return h, fmt.Errorf("read its health: %w", err)
	}
	client := http.Client{CheckRedirect: func(*http.Request, []*http.Request) error { return http.ErrUseLastResponse }}
	defer client.CloseIdleConnections()
	res, err := client.Do(req)
	if err != nil {
		return h, fmt.Errorf("read its health: %w", err)
	}
	defer func() { _ = res.Body.Close() }()
	body, err := io.ReadAll(io.LimitReader(res.Body, maxAnswer))
	if err != nil {
		return h, fmt.Errorf("read its health: %w", err)
	}
	if json.Unmarshal(body, &h) != nil || h.Version == "" || h.Database == "" {
		return h, fmt.Errorf("what answers there, with status %d, is not Florin", res.StatusCode)
	}
	return h, nil
}

// Mail checks that the mail server takes the program's sign-in. A nil check: no mail is sent.
func (r *Report) Mail(ctx context.Context, check func(context.Context) error) {
	if check == nil {
		r.addf("mail", Warning, "none is sent: set FLORIN_SMTP_URL and FLORIN_MAIL_FROM, so that users can verify their "+
			"address and owners are notified")
		return
	}
	ctx, cancel := context.WithTimeout(ctx, publicTimeout)
	defer cancel()
	if err := check(ctx); err != nil {
		r.addf("mail", Wrong, "it cannot be sent: %s", explain(err))
		return
	}
	r.addf("mail", Fine, "the mail server accepts the sign-in")
}

// TestMail sends a mail to the address.
func (r *Report) TestMail(ctx context.Context, to string, send func(context.Context) error) {
	ctx, cancel := context.WithTimeout(ctx, publicTimeout)
	defer cancel()
	if err := send(ctx); err != nil {
		r.addf("test mail", Wrong, "it was not sent to %s: %s", to, explain(err))
		return
	}
	r.addf("test mail", Fine, "the mail server took it for %s; look whether it arrives, and where", to)
}

// Problem reports what is wrong with a setting, or with what a setting names.
func (r *Report) Problem(name, reason string) { r.addf(name, Wrong, "%s", reason) }

// Configured reports that the settings are valid.
func (r *Report) Configured() { r.addf("configuration", Fine, "every setting is known and valid") }

// Credits warns of an installation whose shops would stop: operations cost credits there, and none can be bought.
func (r *Report) Credits(why string) {
	if why != "" {
		r.addf("credits", Warning, "%s", why)
	}
}

// Sold reports that nothing can be sold, or how many networks there are.
func (r *Report) Sold(networks int, why string) {
	if networks == 0 {
		r.addf("networks", Wrong, "%s", why)
		return
	}
	r.addf("networks", Fine, "%d are configured", networks)
}
