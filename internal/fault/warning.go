package fault

// Warning is what is the matter with a field of a request that was not refused for it: a part that was left out, or
// something that stands in the way of what was made.
type Warning struct {
	Field  string // as the request names it
	Reason string // a sentence for a developer
}

// Warn returns the warning of a field.
func Warn(field, format string, args ...any) Warning {
	return Warning{field, New(Invalid, format, args...).Message}
}
