// Package campaign is what a merchant publishes for many to pay: donation
// campaigns, and payment links that are used again and again. It opens ordinary
// payments, which carry the campaign.
//
// Its one invariant: a total is the money of completed payments that the chain
// holds, and nothing else; and what a giver wrote is shown to nobody but the
// merchant until the merchant, or the campaign's own setting, says so.
//
//	         pause
//	ACTIVE ◀──────▶ PAUSED
//	   │    resume    │
//	   │ end          │ end
//	   └──▶ ENDED ◀───┘
//
// A campaign whose end has come counts as ENDED without being written; moving
// its end into the future opens it again. One that was ended by hand stays so.
package campaign
