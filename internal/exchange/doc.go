// Package exchange decides what one unit of a currency is worth in US dollars, from what several sources say at a time,
// and what a price comes to. Service reads the sources while somebody prices in another currency.
//
// Its one invariant: there is a rate only if two sources agree on it now, inside the fence, and no token is off its
// peg; otherwise there is a refusal that names its cause. Nothing is guessed, and nothing is used past its age.
package exchange
