package browser

import (
	"context"
	"errors"
	"slices"
	"time"

	"github.com/chromedp/cdproto"
	"github.com/chromedp/chromedp"
)

// Try performs actions on the page, one after another, until one fails.
//
// On a busy machine an action can come too late for what it was meant for: chromedp hears of a new document after
// [chromedp.Navigate] returned, and a live page replaces an element between the moments when it is found and used. The
// browser then refuses the action as a whole, and it is sent again.
func Try(ctx context.Context, actions ...chromedp.Action) error {
	for _, action := range actions {
		if tasks, several := action.(chromedp.Tasks); several {
			if err := Try(ctx, tasks...); err != nil {
				return err
			}
			continue
		}
		for {
			err := chromedp.Run(ctx, action)
			if err == nil {
				break
			}
			if !tooLate(err) {
				return err
			}
			select {
			case <-ctx.Done():
				return err
			case <-time.After(tryAgain):
			}
		}
	}
	return nil
}

// tryAgain is the pause before an action is sent again, in which chromedp hears of the new document or element.
const tryAgain = 20 * time.Millisecond

// gone is what Chromium says of a document or an element that was left or replaced.
var gone = []string{
	"Cannot find context with specified id", "Could not find node with given id", "No node with given id found",
	"Could not find object with given id",
}

// tooLate tells whether Chromium refused an action because what it names is gone.
func tooLate(err error) bool {
	var refusal *cdproto.Error
	return errors.As(err, &refusal) && slices.Contains(gone, refusal.Message)
}
