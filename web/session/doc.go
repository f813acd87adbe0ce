// Package session serves signed-in users: it knows who they are, which merchant
// they act for and what they may do there, and has them re-authenticate before
// sensitive acts. The dashboard, the operator's pages and sign-in share it.
//
//	request → Guard.Member(act)  session cookie → Principal → may they do the act?
//	        → Handler            reads the form, calls a service
//	        → Guard.Show, Cookies.Redirect, or an error
//	error   → Guard.Member       shows a refusal inside the frame of the dashboard
//
// Guard.Operator does the same for operators. Their pages do not exist for others.
package session
