// Package donate serves pages to the public: those of donation campaigns, with
// their form, wall, live updates, widget and picture for shares, and payment links.
//
// A donation is paid on the page of its campaign. The package checkout says what
// that part of the page shows.
package donate
