// Package security is the page on which a user keeps their own sign-in safe: password, second factor, passkeys,
// sessions and audit log.
package security
