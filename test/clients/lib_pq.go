// Go with lib/pq: what a program does with signatures.  Reported as TAP.
package main

import (
	"context"
	"database/sql"
	"fmt"
	"os"
	"reflect"
	"strings"

	"github.com/lib/pq"
)

const text = "The quick brown fox jumps over the lazy dog near the river bank on a sunny day"

var checks, failed int

// README
func insert(db *sql.Conn, title, body string) error {
	_, err := db.ExecContext(context.Background(), "INSERT INTO articles (title, body) VALUES ($1, $2)", title, body)
	return err
}

func search(stmt *sql.Stmt, text string, threshold float64) (titles []string, err error) {
	rows, err := stmt.Query(text, threshold)
	if err != nil {
		return nil, err
	}
	defer rows.Close()
	for rows.Next() {
		var id int64
		var title string
		var similarity float64
		if err = rows.Scan(&id, &title, &similarity); err != nil {
			return nil, err
		}
		titles = append(titles, title)
	}
	return titles, rows.Err()
}

const query = `SELECT id, title, jaccard(sig, q) FROM articles, to_minhash($1) AS q
	WHERE minhash_similar(sig, q, $2) ORDER BY 3 DESC, id`
// end

// Check that two values are equal, or that a text holds another after "~".
func is(have, expected interface{}, name string) {
	checks++
	passed := reflect.DeepEqual(have, expected)
	if part, isText := expected.(string); isText && strings.HasPrefix(part, "~") {
		passed = strings.Contains(have.(string), part[1:])
	}
	if passed {
		fmt.Printf("ok %d - %s\n", checks, name)
	} else {
		failed++
		fmt.Printf("not ok %d - %s\n# %v\n# %v\n", checks, name, have, expected)
	}
}

// Return the value of a query, as text, or its error.
func value(db *sql.Conn, query string, values ...interface{}) string {
	var result string
	if err := db.QueryRowContext(context.Background(), query, values...).Scan(&result); err != nil {
		return err.Error()
	}
	return result
}

// Return the titles that a search finds, or its error.
func found(stmt *sql.Stmt, text string, threshold float64) string {
	titles, err := search(stmt, text, threshold)
	if err != nil {
		return err.Error()
	}
	return strings.Join(titles, " ")
}

// Check parameters of all kinds.
func parameters(db *sql.Conn, stmt *sql.Stmt) {
	is(found(stmt, text, 0.8), "Fox", "search with a bound text")
	is(insert(db, "Vixen", text+" in May"), nil, "insert by parameters")
	is(found(stmt, text, 0.5), "Fox Vixen", "which is found")
	is(found(stmt, text+" in June or in July", 0.99), "", "a threshold as parameter")
	is(value(db, "SELECT count(*) FROM articles WHERE sig % to_minhash($1)", text), "2", "the operator")
	is(value(db, "SELECT to_minhash($1, $2)", "some text", "word:2"),
		value(db, "SELECT to_minhash('some text', 'word:2')"), "a shingling as parameter")
	tags := pq.Array([]string{"red", "green"})
	is(value(db, "SELECT array_to_minhash($1::text[])", tags),
		value(db, "SELECT array_to_minhash('{red,green}'::text[])"), "an array as parameter")
	is(value(db, "SELECT array_to_minhash($1)", tags), "~polymorphic", "without a type: an error, nothing else")
	value(db, "SELECT set_config('lshsim.similarity_threshold', $1, false)", "1")
	is(value(db, "SELECT count(*) FROM articles WHERE sig % to_minhash($1)", text), "1", "a setting of the session")
	value(db, "SELECT set_config('lshsim.similarity_threshold', '0.8', false)")
}

// Check signatures out and in.
func signatures(db *sql.Conn, stmt *sql.Stmt) {
	sig := value(db, "SELECT sig FROM articles WHERE id = 1")
	is(sig, "~char:5/one-permutation/128/0/", "a signature as text")
	is(value(db, "SELECT id FROM articles WHERE sig = $1", sig), "1", "and back")
	var data []byte
	db.QueryRowContext(context.Background(), "SELECT sig::bytea FROM articles WHERE id = 1").Scan(&data)
	is(len(data), 272, "a signature as bytes")
	is(value(db, "SELECT id FROM articles WHERE sig = $1::bytea::minhash", data), "1", "and back")

	tx, _ := db.BeginTx(context.Background(), nil)
	in, err := tx.Prepare(pq.CopyIn("articles", "title", "body"))
	is(err, nil, "COPY FROM begins")
	for n := 1; n <= 3; n++ {
		in.Exec(fmt.Sprint("Cub ", n), fmt.Sprint(text, " for time ", n))
	}
	in.Exec()
	in.Close()
	tx.Commit()
	is(len(strings.Split(found(stmt, text, 0.5), "Cub")), 4, "and brings its rows")
}

// Check that prepared statements keep the index.
func plans(db *sql.Conn, stmt *sql.Stmt) {
	counts := `SELECT concat_ws(' ', (SELECT sum(generic_plans) > 2 FROM pg_prepared_statements
			WHERE statement ~ '^SELECT id, title'),
		pg_stat_get_xact_numscans('articles_sig'::regclass) - $1::int,
		pg_stat_get_xact_numscans('articles'::regclass) - $2::int)`
	value(db, "SELECT set_config('plan_cache_mode', 'force_generic_plan', false)")
	tx, _ := db.BeginTx(context.Background(), nil)
	var ready string
	var index, table int
	tx.QueryRow(counts, 0, 0).Scan(&ready)
	fields := strings.Fields(ready)
	fmt.Sscan(fields[len(fields)-2], &index)
	fmt.Sscan(fields[len(fields)-1], &table)
	for n := 0; n < 3; n++ {
		titles, _ := search(tx.Stmt(stmt), text, 0.8)
		is(len(titles), 5, "search")
	}
	tx.QueryRow(counts, index, table).Scan(&ready)
	is(ready, "t 3 0", "generic plans use the index")
	tx.Rollback()
}

func main() {
	pool, err := sql.Open("postgres", "sslmode=disable") // PGHOST, PGDATABASE, ... say where
	if err != nil {
		panic(err)
	}
	db, err := pool.Conn(context.Background())
	if err != nil {
		panic(err)
	}
	stmt, err := db.PrepareContext(context.Background(), query)
	if err != nil {
		panic(err)
	}
	parameters(db, stmt)
	signatures(db, stmt)
	plans(db, stmt)
	fmt.Printf("1..%d\n", checks)
	if failed > 0 {
		os.Exit(1)
	}
}
