// Package docs is the documentation a program of Florin's serves itself: how to
// take a first payment, the references of both surfaces, webhooks, errors, and
// samples in five languages. A page takes a props struct and returns HTML, as
// in package views; it speaks English.
//
// Its one invariant: what can differ from the program is not written here. The
// references are made from the schema and the OpenAPI document, limits come
// from whoever enforces them, and every sample is a program that tests run.
package docs
