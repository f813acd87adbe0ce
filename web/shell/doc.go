// Package shell is what every surface of the server shares: the request, errors,
// pages, headers, cookies, forms and rate limits.
//
// A surface is a struct with the few concrete services it uses, and a method
//
//	func (s *Surface) Routes(r shell.Router)
//
// that adds its routes to the one Echo application. Handlers return errors. The
// surface says with Router.Renders how its errors are shown (JSON, or a page in its
// own words); a route that no surface knows is rendered by Negotiated.
//
//	request → Shell.Enter   request id, client address, timeout, panics, access log
//	        → Shell.Headers security headers
//	        → Shell.InClear   refuses writes and keys that came over http
//	        → Shell.PerClient rate limit by client address
//	        → middleware of the surface (SameSite, OwnForms, who is signed in)
//	        → handler → Render, WriteJSON, a redirect, or an error
//	error   → Shell.Fail → Shell.Refuse (fault → status and message) → Renderer
//
// A form handler has five steps: who, parse (ReadForm), validate, do, and then a
// redirect (Cookies.Redirect keeps a notice for the next page) or the same page
// again with the refusal beside its input (Form.Refused).
package shell
