package rpc

import (
	"bytes"
	"encoding/json"
	"strconv"
)

// replySet collects the replies to one request.
type replySet struct {
	replies []Reply
	seen    []bool
	count   int
	single  bool   // the answer is an object, not an array
	refusal *Error // the whole request was refused
	err     error
}

// parseReplies reads the answer to n calls, whose ids are 0 to n-1, in any
// order. refusal is an error object that belongs to no call and so answers the
// whole request.
func parseReplies(answer []byte, n int) (replies []Reply, refusal *Error, err error) {
	s := NewScanner(answer)
	set := &replySet{replies: make([]Reply, n), seen: make([]bool, n), single: s.peek() != '['}
	var ok bool
	if set.single {
		ok = set.read(s)
	} else {
		ok = s.array(func() bool { return set.read(s) })
	}
	switch {
	case set.err != nil:
		return nil, nil, set.err
	case !ok || !s.end():
		return nil, nil, Malformed("not JSON-RPC")
	case set.refusal != nil:
		return nil, set.refusal, nil
	case set.count != n && n > 1:
		return nil, set.missing(), nil
	case set.count != n:
		return nil, nil, Malformed("%d replies to %d calls", set.count, n)
	}
	return set.replies, nil, nil
}

// missing is the refusal of a batch of which not all were answered. geth refuses a
// batch that is too large by one error with the id of the first call.
func (set *replySet) missing() *Error {
	for _, r := range set.replies {
		if r.Err != nil {
			return r.Err
		}
	}
	return &Error{Message: "not every call of the batch was answered"}
}

// read reads one reply and stores it at the position of its call.
func (set *replySet) read(s *Scanner) bool {
	id, r, ok := s.reply()
	if !ok {
		return false
	}
	n := len(set.replies)
	i, err := strconv.Atoi(string(bytes.Trim(id, `"`)))
	known := err == nil && i >= 0 && i < n && !set.seen[i]
	switch {
	case r.Err != nil && (!known || set.single && n > 1):
		set.refusal = r.Err
		return true
	case !known:
		set.err = Malformed("reply to no call")
		return false
	}
	set.replies[i], set.seen[i] = r, true
	set.count++
	return true
}

// reply reads one response object (JSON-RPC 2.0 section 5).
func (s *Scanner) reply() (id []byte, r Reply, ok bool) {
	var fault []byte
	ok = s.object(func(key []byte) (ok bool) {
		switch string(key) {
		case "id":
			id, ok = s.skip()
		case "result":
			r.Result, ok = s.skip()
		case "error":
			fault, ok = s.skip()
		default:
			_, ok = s.skip()
		}
		return ok
	})
	if fault != nil && !IsNull(fault) {
		r = Reply{Err: parseError(fault)}
	}
	return id, r, ok && (r.Err != nil || r.Result != nil)
}

// parseError reads an error object; one of the wrong form is an error too. Its text is not safe to show yet: it must
// not be cut before credentials are removed from it.
func parseError(raw []byte) *Error {
	e := &Error{}
	if json.Unmarshal(raw, e) != nil {
		e = &Error{Message: string(raw)}
	}
	return e
}
