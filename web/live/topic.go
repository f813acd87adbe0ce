package live

import (
	"strconv"

	"github.com/florinpay/florin/internal/payment"
)

// Topic is what a page shows, and so which changes concern it.
type Topic struct {
	name string
	kind topicKind
}

type topicKind int

const (
	paymentTopic topicKind = iota
	campaignTopic
	dashboardTopic
)

// Payment is the topic of one payment. The number of its pages is limited.
func Payment(id payment.ID) Topic { return Topic{string(id), paymentTopic} }

// Campaign is the topic of a public campaign, whose pages are limited only by the
// room there is.
func Campaign(slug string) Topic { return Topic{slug, campaignTopic} }

// Dashboard is the topic of a user's dashboard, which any payment may concern.
func Dashboard(userID int64) Topic { return Topic{strconv.FormatInt(userID, 10), dashboardTopic} }
