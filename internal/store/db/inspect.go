package db

import "github.com/uptrace/bun"

// Observe calls the hook for every bun query of the engine: tests explain what
// was run.
func Observe(e Engine, hook bun.QueryHook) {
	switch e := within(e).(type) {
	case *sqliteEngine:
		e.db.AddQueryHook(hook)        //nolint:staticcheck // a connection keeps the DB it was made from
		e.writer.db.AddQueryHook(hook) //nolint:staticcheck // the same
	case *postgresEngine:
		e.db.AddQueryHook(hook) //nolint:staticcheck // the same
	}
}

// Prepared returns the texts of the statements that were prepared so far, with
// ? for each argument.
func Prepared(e Engine) []string {
	var texts []string
	switch e := within(e).(type) {
	case *sqliteEngine:
		for text := range e.writer.stmts.byText {
			texts = append(texts, text)
		}
		one := <-e.readers.free
		for text := range one.byText {
			texts = append(texts, text)
		}
		e.readers.free <- one
	case *postgresEngine:
		numberedTexts.Range(func(text, _ any) bool {
			texts = append(texts, text.(string)) //nolint:forcetypeassert // only strings are stored
			return true
		})
	}
	return texts
}

// within returns the engine itself.
func within(e Engine) Engine {
	if o, ok := e.(outages); ok {
		return o.Engine
	}
	return e
}
