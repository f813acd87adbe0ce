package rpc

// Sizes of an eth_getLogs request. Providers allow from 5 to 10,000 blocks and
// more, or limit the answer instead; the limit cannot be asked for.
const (
	// maxTopicAddresses is the most recipients in one eth_getLogs. Nodes allow
	// up to 1,000 values in a topic position, some providers fewer.
	maxTopicAddresses = 250

	firstSpan = 1_000
	maxSpan   = 10_000
	// wantedAnswer is the size of answer aimed for, in bytes: larger ranges
	// save no time and take more memory.
	wantedAnswer = 4 << 20
)

// LogLimits returns how many blocks and addresses one eth_getLogs may ask for.
func (e *Endpoint) LogLimits() (blocks uint64, addresses int) {
	e.mu.Lock()
	defer e.mu.Unlock()
	return e.blocks.Size(), int(e.topics.Size())
}

// LimitsBlocks reports whether the endpoint was found to take fewer blocks at once than is ever asked for.
func (e *Endpoint) LimitsBlocks() bool {
	e.mu.Lock()
	defer e.mu.Unlock()
	_, found := e.blocks.Learnt()
	return found
}

// SettledBlocks reports whether so few blocks are asked for now because the endpoint is known to take no more.
func (e *Endpoint) SettledBlocks() bool {
	e.mu.Lock()
	defer e.mu.Unlock()
	return e.blocks.Settled()
}

// LogsAccepted records that a query of so many blocks, and so many addresses in
// one topic position, was answered with that many bytes.
func (e *Endpoint) LogsAccepted(blocks uint64, addresses, bytes int) {
	e.mu.Lock()
	defer e.mu.Unlock()
	now := e.now()
	if addresses > 0 {
		e.topics.Accept(uint64(addresses), now)
	}
	switch {
	case bytes > wantedAnswer:
		e.blocks.Lower(blocks / 2)
	case bytes <= wantedAnswer/2:
		e.blocks.Accept(blocks, now)
	}
}

// ReduceBlocks records that a request for asked blocks was refused; hint is what
// the endpoint says that it takes, or 0. It reports false when it cannot be
// smaller.
func (e *Endpoint) ReduceBlocks(asked, hint uint64) bool {
	e.mu.Lock()
	defer e.mu.Unlock()
	return e.blocks.Refuse(asked, hint, e.now())
}

// ReduceTopics records that a request for asked addresses was refused. It
// reports false when it cannot be smaller.
func (e *Endpoint) ReduceTopics(asked int) bool {
	e.mu.Lock()
	defer e.mu.Unlock()
	return e.topics.Refuse(uint64(asked), 0, e.now())
}
