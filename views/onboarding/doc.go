// Package onboarding is the pages of a merchant's first day.
package onboarding
