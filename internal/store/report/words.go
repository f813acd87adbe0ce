package report

import (
	"cmp"
	"context"
	"encoding/json"
	"fmt"
	"slices"
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
func wordsOf(text string) []string {
	words := input.Words(text)
	return words[:min(len(words), maxWords)]
}

// byWords returns the numbers of payments that have all words of the text, among them the first Limit+1 of the page. A
// word that is in many payments is soon found among the newest; one that is in few, by the index. Where neither fills
// the page, f.older is how far the search has come.
func (f *finder) byWords(ctx context.Context) (numbers []int64, err error) {
	words := wordsOf(f.q.Text)
	if len(words) == 0 {
		return nil, nil
	}
	newest := *f
	newest.q.Text, newest.words = "", words
	rows, older, err := newest.compared(ctx, MaxLook/8)
	if n := len(rows); err == nil && older != (Place{}) && n > f.q.Limit/8 { // as many as are likely to fill the page
		rows, older, err = newest.compared(ctx, min(MaxLook/8*(f.q.Limit+1)/n*3/2, MaxLook))
	}
	if err == nil && older != (Place{}) && len(rows) <= f.q.Limit {
		var frequent bool
		if numbers, f.older, frequent, err = newest.byIndex(ctx); err != nil || !frequent {
			return numbers, err
		}
		rows, older, err = newest.compared(ctx, MaxLook) // no index would be faster
	}
	f.older = older
	for _, row := range rows[:min(len(rows), f.q.Limit+1)] {
		numbers = append(numbers, row.ID)
	}
	return numbers, err
}

// byIndex reads the index, the newest ages first, until there are enough for the page: one age, and of those before it
// what has at most MaxLook entries of the rarest word. older is where it stopped, if there are more. frequent: more
// payments than that have all words, or what it reads would not come further than the page before.
func (f *finder) byIndex(ctx context.Context) (numbers []int64, older Place, frequent bool, err error) {
	newest, err := f.end(ctx, false)
	if err != nil || newest.ID == 0 {
		return nil, Place{}, false, err
	}
	oldest, err := f.end(ctx, true)
	if err != nil {
		return nil, Place{}, false, err
	}
	first, last := ageOf(oldest.ID-outOfOrder), ageOf(newest.ID+outOfOrder)
	from, words := max(first, ageOf(newest.ID-outOfOrder)), f.words
	if f.q.Paid || f.q.Ascending { // then the newest are not first
		if words, from, err = f.rarest(ctx, first, last); err != nil || from > first {
			return nil, Place{}, true, err
		}
	}
	for ages, stop := int64(1), first; last >= stop && len(numbers) < f.enough(); ages *= 2 {
		more, entries, err := f.indexed(ctx, words, from, last)
		if err != nil || entries > f.most() {
			return nil, Place{}, true, err
		}
		numbers, last = append(numbers, more...), from-1
		if ages == 1 && len(numbers) < f.enough() {
			if words, stop, err = f.rarest(ctx, first, last); err != nil {
				return nil, Place{}, false, err
			}
		}
		from = max(stop, last-2*ages+1)
	}
	if last >= first && len(numbers) < f.enough() {
		older, err = f.before(ctx, last+1)
	}
	stuck := older != (Place{}) && f.q.After != (Place{}) && older.compare(f.q.After) >= 0
	return numbers, older, stuck, err
}

func ageOf(number int64) int64 { return max(number, 0) >> ageBits }

// most is how many entries of the index, or payments, are compared at most.
func (f *finder) most() int { return cmp.Or(f.q.Look, MaxLook) }

// enough is how many of the largest numbers that are found have the first Limit+1 payments of the page among them.
func (f *finder) enough() int { return f.q.Limit + 1 + outOfOrder }

// end returns the oldest or the newest of the payments that can be on the page; its ID is 0 if there is none.
func (f *finder) end(ctx context.Context, oldest bool) (row foundRow, err error) {
	one := *f
	one.q.Limit, one.q.Ascending, one.columns = 0, oldest, "p.id, p."+f.q.time()
	if oldest != f.q.Ascending {
		one.q.After = Place{} // which is at the other end
	}
	ranges, err := one.ranges(ctx)
	if err != nil {
		return foundRow{}, err
	}
	var found []foundRow
	if err = db.Merge(f, ranges, one.order(""), 1).Scan(ctx, &found); err != nil {
		return foundRow{}, fmt.Errorf("find the ends of the payments: %w", err)
	}
	return append(found, foundRow{})[0], nil
}

// before returns the place from which a search goes on that has read an age and all after it; none if there is nothing
// before them.
func (f *finder) before(ctx context.Context, age int64) (Place, error) {
	one := *f
	one.q.After.Number = age << ageBits
	err := f.NewRaw("SELECT max(created_at) FROM (SELECT created_at FROM payments WHERE id < ? ORDER BY id DESC LIMIT ?) AS before",
		one.q.After.Number, outOfOrder).Scan(ctx, db.Time(&one.q.After.At))
	if err != nil {
		return Place{}, fmt.Errorf("find where an age begins: %w", err)
	}
	row, err := one.end(ctx, false)
	if err != nil || row.ID == 0 {
		return Place{}, err
	}
	return Place{row.place().At, row.ID + 1}, nil
}

// rarest returns the word that goes furthest back with at most MaxLook entries, and the first of the ages from which on
// to the last one it has so few.
func (f *finder) rarest(ctx context.Context, first, last int64) (word []string, from int64, err error) {
	words := slices.Clone(f.words)
	if !f.sqlite { // which reads all that begins like the last one
		slices.Reverse(words) // what one types last is often the rarest
	}
	from = last + 1
	for i := 0; i < len(words) && from > first; i++ {
		var over []int64
		one := words[i : i+1]
		err := f.NewRaw("SELECT id FROM (?) AS entries LIMIT 1 OFFSET ?", f.entries(one, first, last), f.most()).Scan(ctx, &over)
		if err != nil {
			return nil, 0, fmt.Errorf("find how frequent a word is: %w", err)
		}
		age := first
		if len(over) > 0 {
			age = ageOf(over[0]) + 1
		}
		if age < from {
			word, from = one, age
		}
	}
	return word, from, nil
}

// entries selects the numbers of payments with the words by the index, the newest age first. The database reads no
// further than they are asked for.
func (f *finder) entries(words []string, first, last int64) *bun.SelectQuery {
	and, prefix, quote := " & ", ":*", "'"
	if f.sqlite {
		and, prefix, quote = " AND ", "*", `"`
	}
	var terms []string
	for age := last; age >= first; age-- {
		for _, key := range f.q.Keys {
			var all []string
			for _, word := range words {
				term := fmt.Sprintf("%s%dk%dw%s%s", quote, key, age, word, quote)
				if word == f.words[len(f.words)-1] && len(word) >= shortPrefix {
					term += prefix
				}
				all = append(all, term)
			}
			terms = append(terms, strings.Join(all, and))
		}
	}
	// One search of the index for each age and key: of all of them joined by OR, a planner reckons with so many
	// payments that it reads the whole table. OFFSET keeps it from walking all payments in the order of the page.
	if !f.sqlite {
		return f.NewSelect().ColumnExpr("w.id").TableExpr(`unnest(string_to_array(?, '|')) AS asked (term),
			LATERAL (SELECT id FROM payments WHERE words <> '' AND array_to_tsvector(string_to_array(substr(
			replace(' ' || words, ' ', ' ' || key_id::text || 'k' || (id >> 17)::text || 'w'), 2), ' '))
			@@ asked.term::tsquery OFFSET 0) AS w`, strings.Join(terms, "|"))
	}
	asked, _ := json.Marshal(terms) //nolint:errchkjson // texts are always JSON
	return f.NewSelect().ColumnExpr("w.rowid AS id").
		TableExpr("json_each(?) AS asked CROSS JOIN payment_words AS w", string(asked)).
		Where("w.payment_words MATCH asked.value")
}

// indexed returns payments with all words, of those with the given ones by the index, of some ages: the first of the
// page, as many as are enough; and how many have the given ones, of which it counts one more than may be compared, and
// then returns none.
func (f *finder) indexed(
	ctx context.Context, words []string, first, last int64,
) (numbers []int64, entries int, err error) {
	of := "(SELECT count(*) FROM entries) <= ? AND p.id = ANY (ARRAY(SELECT id FROM entries))" // for IN, all may be read
	if f.sqlite {
		of = "(SELECT count(*) FROM entries) <= ? AND p.id IN (SELECT id FROM entries)"
	}
	condition, args := f.condition()
	found := f.within(f.NewSelect().TableExpr("payments AS p").ColumnExpr("p.id").Where(of, f.most()).
		Where(condition, args...).Apply(f.inState)).OrderExpr(f.order("p.")).Limit(int64(f.enough()))
	var rows []struct {
		ID      int64
		Entries int
	}
	entered := f.entries(words, first, last).Limit(int64(f.most() + 1))
	err = f.NewRaw(`WITH entries AS MATERIALIZED (?) SELECT id, 0 AS entries FROM (?) AS found
		UNION ALL SELECT 0, count(*) FROM entries`, entered, found).Scan(ctx, &rows)
	for _, row := range rows {
		if entries += row.Entries; row.ID > 0 {
			numbers = append(numbers, row.ID)
		}
	}
	return numbers, entries, db.Wrap(err, "find by words")
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
