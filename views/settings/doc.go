// Package settings is the pages of where a merchant's money settles, what counts as paid, and how the checkout looks.
package settings
