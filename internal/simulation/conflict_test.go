package simulation

import (
	"testing"

	"github.com/jackc/pgx/v5"
)

// refuseCommits lets PostgreSQL refuse commits with a serialization failure, each time so many rows have been written:
// more than one transaction writes. What was written is rolled back and the count is not, so that one that is run again
// succeeds.
func refuseCommits(t testing.TB, url string) {
	t.Helper()
	conn, err := pgx.Connect(t.Context(), url)
	if err != nil {
		t.Fatal(err)
	}
	defer conn.Close(t.Context())
	statements := []string{
		"CREATE SEQUENCE rows_written",
		`CREATE FUNCTION refuse_commit() RETURNS trigger LANGUAGE plpgsql AS $$ BEGIN
			IF nextval('rows_written') % 101 = 0 THEN
				RAISE EXCEPTION 'could not serialize access' USING ERRCODE = '40001';
			END IF;
			RETURN NULL;
		END $$`,
	}
	for _, table := range []string{
		"payments", "routes", "deposits", "events", "deliveries", "ledger_entries", "cursors", "set_aside",
		"sweeps", "sweep_attempts", "deposit_balances", "recharges",
	} {
		statements = append(statements, `CREATE CONSTRAINT TRIGGER refuse_commit AFTER INSERT OR UPDATE ON `+table+`
			DEFERRABLE INITIALLY DEFERRED FOR EACH ROW EXECUTE FUNCTION refuse_commit()`)
	}
	for _, s := range statements {
		if _, err := conn.Exec(t.Context(), s); err != nil {
			t.Fatal(err)
		}
	}
}
