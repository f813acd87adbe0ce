package browser

import (
	"context"
	"testing"

	"github.com/chromedp/cdproto/runtime"
	"github.com/chromedp/chromedp"
)

// TestTry_DocumentGone: an action for a document that was left is sent again, and the actions before it are not.
func TestTry_DocumentGone(t *testing.T) {
	t.Parallel()
	home := serve(t)
	ctx := New(t)
	const left = runtime.ExecutionContextID(1 << 30)
	before, asked := 0, 0
	err := Try(ctx, chromedp.Navigate(home+"/good"), chromedp.Tasks{
		chromedp.ActionFunc(func(context.Context) error { before++; return nil }),
		chromedp.ActionFunc(func(ctx context.Context) error {
			asked++
			script := runtime.Evaluate(`document.title`)
			if asked < 3 {
				script = script.WithContextID(left)
			}
			_, _, err := script.Do(ctx)
			return err
		}),
	})
	if err != nil || before != 1 || asked != 3 {
		t.Errorf("the action was sent %d times after %d of the one before it: %v", asked, before, err)
	}
	if err := Try(ctx, chromedp.Evaluate(`missing()`, nil)); err == nil {
		t.Error("a script that throws does not fail")
	}
}
