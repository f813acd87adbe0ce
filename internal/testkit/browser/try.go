package browser

import (
	"context"
	"errors"
	"time"

	"github.com/chromedp/cdproto"
	"github.com/chromedp/chromedp"
)

// Try performs actions on the page, one after another, until one fails.
//
// On a busy machine chromedp can hear of a new document later than [chromedp.Navigate] returns. An action that it then
// sends to the document that is gone did nothing, and is sent again.
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
			if !documentIsGone(err) {
				return err
			}
			select {
			case <-ctx.Done():
				return err
			case <-time.After(documentWait):
			}
		}
	}
	return nil
}

// documentWait is the pause before an action is sent again; it lets chromedp hear of the new document.
const documentWait = 20 * time.Millisecond

// documentIsGone tells whether Chromium refused an action because the document that it names was left.
func documentIsGone(err error) bool {
	var refusal *cdproto.Error
	return errors.As(err, &refusal) && refusal.Message == "Cannot find context with specified id"
}
