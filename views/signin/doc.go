// Package signin is the pages of a user who is not signed in: sign in, second
// step, sign up, forgotten password and an invitation to a team.
package signin
