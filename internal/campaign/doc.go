// Package campaign has what a merchant publishes for many payers: donation
// campaigns, and payment links that can be used repeatedly. It opens ordinary
// payments, which carry the campaign.
//
// Its one invariant: a total counts only money of completed payments that the
// chain holds; and only the merchant sees what a donor wrote, until the merchant
// or the campaign's setting releases it.
//
//	         pause
//	ACTIVE ◀──────▶ PAUSED
//	   │    resume    │
//	   │ end          │ end
//	   └──▶ ENDED ◀───┘
//
// A campaign whose end has passed counts as ENDED, although that is not stored;
// moving its end into the future opens it again. A campaign that the merchant
// ended stays ENDED.
package campaign
