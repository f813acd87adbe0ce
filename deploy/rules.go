// Command deploy makes prometheus/alerts.rules.yml: a rule of Prometheus for each kind of alert that Florin notifies
// its operator of, with the words of the page for operators. Run it with go generate ./deploy after adding a kind.
package main

//go:generate go run .

import (
	"fmt"
	"log"
	"os"
	"regexp"
	"strings"

	"github.com/florinpay/florin/internal/alert"
)

const (
	page  = "../web/docs/operate/alerts.md"
	rules = "prometheus/alerts.rules.yml"
)

func main() {
	log.SetFlags(0)
	text, err := os.ReadFile(page)
	if err != nil {
		log.Fatal("deploy: ", err)
	}
	made, err := rulesOf(string(text))
	if err == nil {
		err = os.WriteFile(rules, []byte(made), 0o644) //nolint:gosec // everybody may read it
	}
	if err != nil {
		log.Fatal("deploy: ", err)
	}
}

const head = `# Made by go generate ./deploy from the alerts of Florin and web/docs/operate/alerts.md. Florin has waited before it
# notifies, so these wait for nothing.
groups:
  - name: florin-alerts
    rules:
`

const rule = `      - alert: Florin%s
        expr: max by (job) (florin_alert{kind="%s"}) > 0
        labels: {severity: %s}
        annotations:
          summary: "Florin: %s ({{ $value }})"
          description: >-
            Begins when %s. /operator, the log and the mail to the operator say what it is about and what to do.
`

var row = regexp.MustCompile("(?m)^\\| (`[a-z_`, ]+`) \\| (.*) \\|$")

// rulesOf writes the rules. A kind without a row on the page is an error.
func rulesOf(page string) (string, error) {
	begins := make(map[string]string)
	for _, m := range row.FindAllStringSubmatch(page, -1) {
		for kind := range strings.SplitSeq(m[1], ", ") {
			begins[strings.Trim(kind, "`")] = strings.ReplaceAll(m[2], "`", "")
		}
	}
	var text strings.Builder
	text.WriteString(head)
	for _, k := range alert.Kinds() {
		when := begins[string(k)]
		if when == "" {
			return "", fmt.Errorf("the page does not say when %s begins", k)
		}
		fmt.Fprintf(&text, rule, camel(string(k)), k, k.Severity(), strings.ReplaceAll(string(k), "_", " "), when)
	}
	return text.String(), nil
}

// camel writes a kind as the name of an alert.
func camel(kind string) string {
	words := strings.Split(kind, "_")
	for i, word := range words {
		words[i] = strings.ToUpper(word[:1]) + word[1:]
	}
	return strings.Join(words, "")
}
