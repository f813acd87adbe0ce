package webhooktest_test

import (
	"fmt"
	"testing"
	"time"

	"github.com/florinpay/florin/internal/webhook"
	"github.com/florinpay/florin/internal/webhook/webhooktest"
)

func TestMemory_Conforms(t *testing.T) {
	t.Parallel()
	webhooktest.Conform(t, func(*testing.T) webhooktest.Outbox { return &outbox{Memory: webhooktest.NewMemory()} })
}

type outbox struct {
	*webhooktest.Memory
	events int
}

func (o *outbox) Enqueue(t *testing.T, url string, due time.Time) int64 {
	t.Helper()
	o.events++
	return o.Add(webhook.Delivery{EventID: fmt.Sprint("evt_", o.events), URL: url, Body: []byte("{}")}, due)
}

func (o *outbox) Look(t *testing.T, id int64) webhooktest.Row {
	t.Helper()
	return o.Row(id)
}
