package views_test

import (
	"io/fs"
	"maps"
	"os"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"testing"
)

// unasked are the acts of the dashboard that ask nothing before they happen, each with the reason: it can be taken
// back, or takes nothing away.
var unasked = map[string]string{
	"/edit":                               "can be changed again",
	"/role":                               "can be changed again",
	"/name":                               "can be changed again",
	"/label":                              "can be changed again",
	"/pause":                              "can be resumed",
	"/resume":                             "can be paused",
	"/review":                             "what is hidden can be shown again",
	"/find#look":                          "looks for a transaction",
	"/dashboard/steps":                    "hides first steps, which the documentation has, too",
	"/dashboard/campaigns":                "makes something new",
	"/dashboard/links":                    "makes something new",
	"/dashboard/create":                   "makes something new, which can be cancelled",
	"/dashboard/credits":                  "makes a payment, which can be left alone",
	"/dashboard/keys":                     "makes something new, which can be revoked",
	"/dashboard/start":                    "makes something new",
	"/dashboard/start/dollar":             "makes a payment, which can be left alone",
	"/dashboard/team/invite":              "an invitation can be revoked",
	"/resend":                             "sends again what a receiver takes once",
	"/dashboard/webhooks/resend":          "sends again what a receiver takes once",
	"/dashboard/webhooks/ping":            "sends a test",
	"/revoke":                             "who was invited can be invited again",
	"/dashboard/join":                     "a member can leave",
	"/dashboard/merchant":                 "chooses what is shown",
	"/signout":                            "one can sign in again",
	"/dashboard/security/passkeys":        "a passkey can be removed",
	"/dashboard/security/verify":          "sends a mail",
	"/dashboard/security/password":        "can be changed again",
	"/dashboard/security/factor":          "can be turned off",
	"/dashboard/security/factor/confirm":  "can be turned off",
	"/dashboard/security/sessions/end":    "one can sign in again",
	"/dashboard/settings/checkout":        "can be changed again",
	"/dashboard/settings/checkout/logo":   "can be changed again",
	"/dashboard/settings/news":            "can be changed again",
	"/dashboard/settings/news/chat":       "can be changed again",
	"/dashboard/settings/payouts":         "can be changed again",
	"/dashboard/settings/payouts/options": "can be changed again",
	"/dashboard/settings/payouts/lock":    "can be taken off in a day",
	"/dashboard/settings/payouts/unlock":  "can be stopped for a day",
	"/dashboard/settings/settlement":      "can be changed again",
	"/dashboard/settings/settlement/now":  "sends the shop's money to the shop's wallet, only sooner",
	"/dashboard/settings/webhooks":        "can be changed again",
	"/dashboard/settings/webhooks/rotate": "the secret before it goes on signing",
	"/dashboard/settings/webhooks/secret": "can be changed again",
	"/dashboard/security/language":        "another language can be chosen again",
	"/stop":                               "a change that was stopped can be asked for again",
	"ask":                                 "keeps the address of a refund, which can be given back",
	"/ask":                                "asks a wallet, which asks again",
	"unsend":                              "a refund that was not sent can be sent",
	"cancel":                              "a refund that was cancelled can be asked for again",
	"/safe":                               "writes a file",
	"/operator/ledger":                    "checks the ledger",
	"/operator/invite":                    "an invitation ends by itself",
	"n.Button.Path":                       "settles an alert; what it sends or changes stands on the button",
	// A part of a page that the page wraps in its question: see users.templ.
	"action": "asks where it is used",
	"path":   "ends a session: one can sign in again",
}

// behindQuestion are the acts that cannot be taken back: they stand behind a line that is opened first, and says what
// will be.
var behindQuestion = []string{
	"/accept", "/dashboard/attention", "/complete", "/cancel", "/resolve", "/end", "/rotate", "/revoke", "/remove",
	"/dashboard/team/leave",
	"/permissions", "hash", "requestPath", "/dashboard/settings/webhooks/retire", "/dashboard/settings/checkout/logo/remove",
	"/dashboard/security/factor/remove", "/dashboard/security/email", "/pause",
	"/edit", "/label", "/name", "/resend", "/role", "ask", "path",
}

var (
	posted  = regexp.MustCompile(`(?:action|formaction)=(?:"([^"]+)"|\{ templ\.URL\((.+?)\) \})`)
	written = regexp.MustCompile(`"([^"]*)"\)?$`)
)

// TestActs_Ask walks over every form of the dashboard: what cannot be taken back is asked first, and everything else is
// on the list of what can.
func TestActs_Ask(t *testing.T) {
	t.Parallel()
	seen := make(map[string]bool)
	for _, folder := range []string{
		"campaign", "dashboard", "onboarding", "operator", "panel", "security", "settings", "settle", "team",
	} {
		err := filepath.WalkDir(folder, func(path string, d fs.DirEntry, err error) error {
			if err != nil || filepath.Ext(path) != ".templ" {
				return err
			}
			text, err := os.ReadFile(path)
			open := 0
			for line := range strings.Lines(string(text)) {
				open += strings.Count(line, "<details") - strings.Count(line, "</details>")
				m := posted.FindStringSubmatch(line)
				if m == nil || strings.Contains(line, `method="get"`) {
					continue
				}
				act := m[1]
				if last := written.FindStringSubmatch(m[2]); act == "" && last != nil {
					act = last[1]
				} else if act == "" {
					act = strings.TrimSuffix(strings.TrimPrefix(m[2], "p."), "()")
				}
				seen[act] = true
				if open > 0 && !slices.Contains(behindQuestion, act) {
					t.Errorf("%s: %s stands behind a question and is not on the list of those that do", path, act)
				}
				if open == 0 && unasked[act] == "" {
					t.Errorf("%s: %s happens without a question, and nothing says how it is taken back", path, act)
				}
			}
			return err
		})
		if err != nil {
			t.Fatal(err)
		}
	}
	for _, act := range append(slices.Collect(maps.Keys(unasked)), behindQuestion...) {
		if !seen[act] {
			t.Errorf("%s is listed and no form has it", act)
		}
	}
}
