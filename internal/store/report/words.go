package report

import (
	"context"
	"fmt"
	"strings"

	"github.com/uptrace/bun"

	"github.com/florinpay/florin/internal/input"
	"github.com/florinpay/florin/internal/store/db"
)

const (
	// maxWords is how many words of a search count.
	maxWords = 10
	// outOfOrder is how many payments of a page may have numbers in another order than their times: those that were
	// created in the same moment.
	outOfOrder = 100
)

// ageBits: words are indexed with the age of their payment, which is its number without so many bits. A search reads
// as many ages, the newest first, as its page needs, so that it costs no more when there are more payments.
const ageBits = 17

// wordsOf returns the words of a search: payments must have all of them, the last one as the beginning of a word unless
// it is very short.
func wordsOf(text string) (words []string, beginning bool) {
	words = input.Words(text)
	words = words[:min(len(words), maxWords)]
	return words, len(words) > 0 && len(words[len(words)-1]) >= shortPrefix
}

// byWords returns the numbers of payments that have all words of the text, among them the first Limit+1 of the page. A
// word that is in so many payments that reading them all would take long is soon found among the newest. SQLite's index
// is in the order of the page, so that only the beginning of a word, which many words may have, needs that.
func (f *finder) byWords(ctx context.Context) (numbers []int64, err error) {
	words, beginning := wordsOf(f.q.Text)
	if len(words) == 0 {
		return nil, nil
	}
	newest := *f
	newest.q.Text, newest.words = "", words
	if beginning || !f.sqlite || f.q.Look > 0 {
		rows, older, err := newest.compared(ctx)
		if err != nil {
			return nil, fmt.Errorf("find by words among the newest: %w", err)
		}
		if older == (Place{}) || len(rows) > f.q.Limit {
			for _, row := range rows[:min(len(rows), f.q.Limit+1)] {
				numbers = append(numbers, row.ID)
			}
			return numbers, nil
		}
	}
	first, err := newest.end(ctx, true)
	if err != nil {
		return nil, err
	}
	last, err := newest.end(ctx, false)
	ages := int64(1)
	if f.q.Paid || f.q.Ascending { // then the newest are not first
		ages = last + 1
	}
	for ; err == nil && last >= max(first, 0) && len(numbers) < f.enough(); ages *= 2 {
		var more []int64
		err = f.indexed(words, beginning, max(first, last-ages+1), last).Scan(ctx, &more)
		numbers, last = append(numbers, more...), last-ages
	}
	if err != nil {
		return nil, fmt.Errorf("find by words: %w", err)
	}
	return numbers, nil
}

// enough is how many of the largest numbers that are found have the first Limit+1 payments of the page among them.
func (f *finder) enough() int { return f.q.Limit + 1 + outOfOrder }

// end returns the age of the oldest or the newest of the payments that can be on the page; -1 if there is none and the
// newest is asked for.
func (f *finder) end(ctx context.Context, oldest bool) (age int64, err error) {
	one := *f
	one.q.Limit, one.q.Ascending, one.columns = 0, oldest, "p.id, p."+f.q.time()
	if oldest != f.q.Ascending {
		one.q.After = Place{} // which is at the other end
	}
	ranges, err := one.ranges(ctx)
	if err != nil {
		return 0, err
	}
	var found []foundRow
	err = db.Merge(f, ranges, one.order(""), 1).Scan(ctx, &found)
	switch {
	case err != nil:
		return 0, fmt.Errorf("find the ends of the payments: %w", err)
	case len(found) == 0:
		return -1, nil
	case oldest:
		return max(found[0].ID-outOfOrder, 0) >> ageBits, nil
	}
	return (found[0].ID + outOfOrder) >> ageBits, nil
}

// indexed selects payments with the words by the index, of some ages: the first of the page, as many as are enough.
func (f *finder) indexed(words []string, beginning bool, first, last int64) *bun.SelectQuery {
	and, prefix, quote := " & ", ":*", "'"
	if f.sqlite {
		and, prefix, quote = " AND ", "*", `"`
	}
	var either []string
	for age := last; age >= first; age-- {
		for _, key := range f.q.Keys {
			var all []string
			for i, word := range words {
				term := fmt.Sprintf("%s%dk%dw%s%s", quote, key, age, word, quote)
				if beginning && i == len(words)-1 {
					term += prefix
				}
				all = append(all, term)
			}
			either = append(either, "("+strings.Join(all, and)+")")
		}
	}
	condition, args := f.condition()
	found := f.within(f.NewSelect().ColumnExpr("p.id").Where(condition, args...).Apply(f.inState)).
		Limit(int64(f.enough()))
	// One search of the index for each age and key: of all of them joined by OR, a planner reckons with so many
	// payments that it reads the whole table. OFFSET keeps it from walking all payments in the order of the page.
	if !f.sqlite {
		return found.TableExpr(`unnest(string_to_array(?, '|')) AS asked (term), LATERAL (SELECT * FROM payments
			WHERE words <> '' AND array_to_tsvector(string_to_array(substr(
			replace(' ' || words, ' ', ' ' || key_id::text || 'k' || (id >> 17)::text || 'w'), 2), ' '))
			@@ asked.term::tsquery OFFSET 0) AS p`, strings.Join(either, "|")).OrderExpr(f.order("p."))
	}
	asked := strings.Join(either, " OR ")
	found = found.TableExpr("payment_words AS w CROSS JOIN payments AS p").
		Where("w.payment_words MATCH ? AND p.id = w.rowid", asked)
	if f.q.Paid || f.q.Ascending {
		return found.OrderExpr(f.order("p."))
	}
	return found.OrderExpr("w.rowid DESC") // the index is in their order
}

// matchesWords is the condition that a payment has the words.
func (f *finder) matchesWords() (text string, args []any) {
	text = "1 = 1"
	position := map[bool]string{true: "instr", false: "strpos"}[f.sqlite] // much faster than LIKE
	for i, word := range f.words {
		if i < len(f.words)-1 || len(word) < shortPrefix {
			word += " "
		}
		text += " AND " + position + "(' ' || p.words || ' ', ?) > 0"
		args = append(args, " "+word)
	}
	return text, args
}
