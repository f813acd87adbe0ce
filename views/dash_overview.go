package views

import "time"

// OverviewProps is the first page of the dashboard.
//
//	GET /dashboard?days=         Overview; days is 7, 30 (default) or 90
type OverviewProps struct {
	Dash
	// Days is how many days the chart covers; Bars has one entry a day, the oldest first.
	Days int
	Bars []Bar
	// Volume is the sum of Bars in US dollars, a plain decimal; Count how many payments completed.
	Volume string
	Count  int
	// Open are payments that have not ended, the newest first, at most ten; OpenCount is how many there are.
	Open      []PaymentRow
	OpenCount int
	// Credits are what all keys have left together; RunwayDays for how long that lasts at the pace of the last
	// days, -1 when it cannot be told.
	Credits    int64
	RunwayDays int
	Alerts     []Alert
	// Steps are the first steps; when all are done they are not shown any more.
	Steps []Step
}

// Bar is one day of the chart.
type Bar struct {
	// Day is midnight UTC.
	Day time.Time
	// Parts are by network, those without volume left out.
	Parts []BarPart
	Count int
	// Volume is the whole day's, a plain decimal.
	Volume string
}

// BarPart is what one network contributed to a day.
type BarPart struct {
	// Network is the enum value, Volume a plain decimal, Micros the same in millionths of a dollar, for drawing.
	Network string
	Volume  string
	Micros  int64
}

// Alert is something a merchant should know, and where to mend it.
type Alert struct {
	// Meaning is seen (a warning) or bad.
	Meaning    string
	Title      string
	Detail     string
	Href, Link string
}

// Step is one of the first steps of a new merchant.
type Step struct {
	Title, Detail string
	Href, Link    string
	Done          bool
}
