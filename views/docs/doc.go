// Package docs is the documentation that a server of Florin serves itself: how to
// take a first payment, the references of both surfaces, webhooks, errors, and
// samples in five languages. A page takes a props struct and returns HTML, as
// in package views; it speaks English.
//
// Its one invariant: nothing here can differ from the program. The references are
// made from the schema and the OpenAPI document, limits come from the code that
// enforces them, and every sample is a program that tests run.
package docs
