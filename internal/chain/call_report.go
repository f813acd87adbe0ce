package chain

// CallReport is what reading a network costs, for operators.
type CallReport struct {
	Level  string  // how closely it is read at the moment
	Today  []Calls // by endpoint and method
	Budget int64   // calls a day of the endpoint that is nearest to its own; 0: unlimited
	Spent  int64   // of that, in per cent
	Month  int64   // calls that a month will come to
	// Subscription says in words what the subscription does; empty: no endpoint pushes.
	Subscription string
}

// ByMethod adds up the calls of each method.
func ByMethod(calls []Calls) map[string]int64 {
	sums := make(map[string]int64)
	for _, c := range calls {
		sums[c.Method] += c.Count
	}
	return sums
}
