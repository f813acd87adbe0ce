package report

import (
	"context"
	"fmt"
	"strings"

	"github.com/uptrace/bun"

	"github.com/florinpay/florin/internal/input"
)

const (
	// maxWords is how many words of a search count.
	maxWords = 10
	// outOfOrder is how many payments of a page may have numbers in another order than their times: those that were
	// created in the same moment.
	outOfOrder = 100
)

// walks are how many of the newest payments are compared with the words of a search, before the index is asked. A
// word that is in so many payments that reading them all would take long is soon found among the newest. SQLite's
// index is in the order of the page, so that only the beginning of a word, which many words may have, needs that.
func (f *finder) walks(beginning bool) []int {
	switch {
	case f.q.Look > 0:
		return []int{f.q.Look}
	case !f.sqlite:
		return []int{1000, 10_000}
	case beginning:
		return []int{MaxLook}
	}
	return nil
}

// wordsOf returns the words of a search: payments must have all of them, the last one as the beginning of a word unless
// it is very short.
func wordsOf(text string) (words []string, beginning bool) {
	words = input.Words(text)
	words = words[:min(len(words), maxWords)]
	return words, len(words) > 0 && len(words[len(words)-1]) >= shortPrefix
}

// byWords returns the numbers of the first Limit+1 payments of the page that have all words of the text.
func (f *finder) byWords(ctx context.Context) (numbers []int64, err error) {
	words, beginning := wordsOf(f.q.Text)
	if len(words) == 0 {
		return nil, nil
	}
	newest := *f
	newest.q.Text, newest.words = "", words
	for _, newest.q.Look = range f.walks(beginning) {
		ranges, err := newest.ranges(ctx) // compare adds to them
		if err != nil {
			return nil, err
		}
		rows, older, err := newest.compare(ctx, ranges)
		if err != nil {
			return nil, fmt.Errorf("find by words among the newest: %w", err)
		}
		if older != (Place{}) && len(rows) <= f.q.Limit {
			continue
		}
		for _, row := range rows[:min(len(rows), f.q.Limit+1)] {
			numbers = append(numbers, row.ID)
		}
		return numbers, nil
	}
	if err := f.indexed(words, beginning).Scan(ctx, &numbers); err != nil {
		return nil, fmt.Errorf("find by words: %w", err)
	}
	return numbers, nil
}

// indexed selects what byWords returns by the index of words.
func (f *finder) indexed(words []string, beginning bool) *bun.SelectQuery {
	and, or, prefix := " & ", " | ", ":*"
	quote := "'"
	if f.sqlite {
		and, or, prefix, quote = " AND ", " OR ", "*", `"`
	}
	var keys []string
	for _, key := range f.q.Keys {
		var all []string
		for i, word := range words {
			term := fmt.Sprintf("%s%dk%s%s", quote, key, word, quote)
			if beginning && i == len(words)-1 {
				term += prefix
			}
			all = append(all, term)
		}
		keys = append(keys, "("+strings.Join(all, and)+")")
	}
	asked := strings.Join(keys, or)
	condition, args := f.condition()
	if !f.sqlite { // OFFSET keeps the planner from walking all payments in the order of the page
		return f.page(f.NewSelect().ColumnExpr("p.id").TableExpr(`(SELECT * FROM payments WHERE words <> '' AND
			array_to_tsvector(string_to_array(substr(replace(' ' || words, ' ', ' ' || key_id::text || 'k'), 2), ' '))
			@@ ?::tsquery OFFSET 0) AS p`, asked).Where(condition, args...).Apply(f.inState))
	}
	found := f.within(f.NewSelect().ColumnExpr("p.*").TableExpr("payment_words AS w CROSS JOIN payments AS p").
		Where("w.payment_words MATCH ? AND p.id = w.rowid", asked).Where(condition, args...).Apply(f.inState))
	if !f.q.Paid { // the newest have the largest numbers, and the index is in their order
		found = found.OrderExpr("w.rowid DESC").Limit(int64(f.q.Limit + 1 + outOfOrder))
	}
	return f.NewSelect().ColumnExpr("id").TableExpr("(?) AS newest", found).OrderExpr(f.order("")).
		Limit(int64(f.q.Limit + 1))
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
