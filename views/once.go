package views

import "crypto/rand"

// OnceInput is the name of the hidden input with the number of a form that makes something: two clicks make one.
const OnceInput = "once"

// onceNumber is a number that no other form has.
func onceNumber() string { return rand.Text() }
