package browser

import (
	"context"
	"fmt"
	"os"
	"strings"
	"sync"
	"testing"

	"github.com/chromedp/cdproto/emulation"
	"github.com/chromedp/cdproto/runtime"
	"github.com/chromedp/chromedp"

	"github.com/florinpay/florin/internal/testkit"
)

// runAxe checks the whole document against WCAG 2.0 to 2.2, levels A and AA, and the checker's best
// practices, once it is loaded, since only then live.js keeps it from reloading, and returns the violations.
const runAxe = `new Promise(done => document.readyState === "complete" ? done() :
	addEventListener("load", () => setTimeout(done))).then(() => axe.run(document, {
	runOnly: ["wcag2a", "wcag2aa", "wcag21a", "wcag21aa", "wcag22aa", "best-practice"],
	resultTypes: ["violations"],
})).then(result => result.violations.map(v => ({
	id: v.id, impact: v.impact || "", help: v.help,
	elements: v.nodes.map(n => n.html + "\n    " + (n.failureSummary || "").replaceAll("\n", "\n    ")),
})))`

// violation is one violated rule.
type violation struct {
	ID       string   `json:"id"`
	Impact   string   `json:"impact"`
	Help     string   `json:"help"`
	Elements []string `json:"elements"` // each with its remedy
}

func (v violation) String() string {
	return fmt.Sprintf("%s (%s): %s\n  %s", v.ID, v.Impact, v.Help, strings.Join(v.Elements, "\n  "))
}

// axeSource is the checker's source, half a megabyte, read once.
var axeSource = sync.OnceValues(func() (string, error) {
	path, err := testkit.EnginePath("axe-core/axe.min.js")
	if err != nil {
		return "", err
	}
	source, err := os.ReadFile(path)
	if err != nil {
		return "", err
	}
	return string(source), nil
})

// Axe fails the test for every accessibility rule that the page violates now, with rule, elements and remedy.
// Wait for animations first: contrast is measured on painted pixels.
func Axe(ctx context.Context, t testing.TB) {
	t.Helper()
	violations, err := axe(ctx)
	if err != nil {
		t.Fatalf("browser: axe: %v", err)
	}
	for _, broken := range violations {
		t.Errorf("accessibility: %s", broken)
	}
}

// axeTries bounds how often the check starts again: a page that navigates or reloads meanwhile removes the
// checker.
const axeTries = 3

func axe(ctx context.Context) (violations []violation, err error) {
	source, err := axeSource()
	if err != nil {
		return nil, err
	}
	await := func(p *runtime.EvaluateParams) *runtime.EvaluateParams { return p.WithAwaitPromise(true) }
	// The checker needs timers, which a page without scripts does not have. Allowing scripts now does not run those
	// that the page was loaded without.
	noScript := visitOf(ctx).noScript
	for range axeTries {
		var loaded bool
		if chromedp.Run(ctx, chromedp.Evaluate("!!window.axe", &loaded)) == nil && loaded {
			source = "" // this page has been checked before
		}
		// Loading the checker and checking are one action, or the page could navigate in between.
		if err = chromedp.Run(ctx,
			emulation.SetScriptExecutionDisabled(false),
			chromedp.Evaluate(source+"\n;"+runAxe, &violations, await),
			emulation.SetScriptExecutionDisabled(noScript),
		); err == nil {
			return violations, nil
		}
		if chromedp.Run(ctx, chromedp.WaitReady("body", chromedp.ByQuery)) != nil {
			break
		}
	}
	return nil, fmt.Errorf("running in the page: %w", err)
}
