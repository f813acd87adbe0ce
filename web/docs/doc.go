// Package docs serves the documentation of this very server: guides with its own
// addresses and limits, the REST reference with its OpenAPI 3.1 document, the
// GraphQL reference, and a console.
package docs
