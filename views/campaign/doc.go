// Package campaign is a merchant's pages of donation campaigns and payment links.
package campaign
