// Package settle is the page of when a merchant's money is settled.
package settle
