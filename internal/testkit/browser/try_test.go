package browser

import (
	"context"
	"testing"

	"github.com/chromedp/cdproto/cdp"
	"github.com/chromedp/cdproto/dom"
	"github.com/chromedp/cdproto/runtime"
	"github.com/chromedp/chromedp"
)

// TestTry_TooLate: an action for a document that was left, or for an element that was replaced, is sent again, and the
// actions before it are not.
func TestTry_TooLate(t *testing.T) {
	t.Parallel()
	home := serve(t)
	ctx := New(t)
	const left, replaced = runtime.ExecutionContextID(1 << 30), cdp.NodeID(1 << 30)
	before, asked := 0, 0
	err := Try(ctx, chromedp.Navigate(home+"/good"), chromedp.Tasks{
		chromedp.ActionFunc(func(context.Context) error { before++; return nil }),
		chromedp.ActionFunc(func(ctx context.Context) error {
			switch asked++; asked {
			case 1:
				_, _, err := runtime.Evaluate(`document.title`).WithContextID(left).Do(ctx)
				return err
			case 2:
				return dom.Focus().WithNodeID(replaced).Do(ctx)
			case 3:
				return dom.ScrollIntoViewIfNeeded().WithNodeID(replaced).Do(ctx)
			case 4:
				_, err := dom.ResolveNode().WithNodeID(replaced).Do(ctx)
				return err
			}
			return nil
		}),
	})
	if err != nil || before != 1 || asked != 5 {
		t.Errorf("the action was sent %d times after %d of the one before it: %v", asked, before, err)
	}
	if err := Try(ctx, chromedp.Evaluate(`missing()`, nil)); err == nil {
		t.Error("a script that throws does not fail")
	}
}
