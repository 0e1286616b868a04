// JDBC: what a program does with signatures.  Reported as TAP.
import java.sql.*;
import java.util.*;
import org.postgresql.PGConnection;
import org.postgresql.util.PGobject;

public class Jdbc {
	static final String TEXT = "The quick brown fox jumps over the lazy dog near the river bank on a sunny day";
	static Connection connection;
	static int checks, failed;

	// README
	static void insert(String title, String body) throws SQLException {
		try (var insert = connection.prepareStatement("INSERT INTO articles (title, body) VALUES (?, ?)")) {
			insert.setString(1, title);
			insert.setString(2, body);
			insert.executeUpdate();
		}
	}

	static List<String> search(String text, double threshold) throws SQLException {
		try (var search = connection.prepareStatement("""
				SELECT id, title, jaccard(sig, q) FROM articles, to_minhash(?) AS q
				WHERE minhash_similar(sig, q, ?) ORDER BY 3 DESC, id""")) {
			search.setString(1, text);
			search.setDouble(2, threshold);
			var titles = new ArrayList<String>();
			for (var rows = search.executeQuery(); rows.next();)
				titles.add(rows.getString("title"));
			return titles;
		}
	}
	// end

	// Check that two values are equal.
	static void is(Object have, Object expected, String name) {
		boolean passed = Objects.equals(have, expected);
		if (!passed)
			failed++;
		System.out.println((passed ? "ok " : "not ok ") + ++checks + " - " + name);
		if (!passed)
			System.out.println("# " + have + "\n# " + expected);
	}

	// Return the first column of the first row of a query, as text.
	static String value(String query, Object... values) throws SQLException {
		try (var statement = connection.prepareStatement(query)) {
			for (int i = 0; i < values.length; i++)
				statement.setObject(i + 1, values[i]);
			var rows = statement.executeQuery();
			rows.next();
			return rows.getString(1);
		}
	}

	// Return the SQLSTATE of a query's error.
	static String state(String query, Object... values) throws SQLException {
		try {
			return value(query, values);
		} catch (SQLException error) {
			return error.getSQLState();
		}
	}

	// Check parameters of all kinds.
	static void parameters() throws SQLException {
		is(search(TEXT, 0.8), List.of("Fox"), "search with a bound text");
		insert("Vixen", TEXT + " in May");
		is(search(TEXT, 0.5), List.of("Fox", "Vixen"), "insert by parameters");
		is(search(TEXT + " in June or in July", 0.99), List.of(), "a threshold as parameter");
		is(value("SELECT count(*) FROM articles WHERE sig % to_minhash(?)", TEXT), "2", "the operator");
		is(value("SELECT to_minhash(?, ?)", "some text", "word:2"),
			value("SELECT to_minhash('some text', 'word:2')"), "a shingling as parameter");
		is(value("SELECT array_to_minhash(?)", connection.createArrayOf("text", new String[] {"red", "green"})),
			value("SELECT array_to_minhash('{red,green}'::text[])"), "an array as parameter");
		is(state("SELECT array_to_minhash(?)", "{red,green}"), "42883", "a string in its place: an error");
		value("SELECT set_config('lshsim.similarity_threshold', ?, false)", "1");
		is(value("SELECT count(*) FROM articles WHERE sig % to_minhash(?)", TEXT), "1", "a setting of the session");
		value("SELECT set_config('lshsim.similarity_threshold', '0.8', false)");
	}

	// Check signatures out and in.
	static void signatures() throws Exception {
		String text = value("SELECT sig FROM articles WHERE id = 1");
		var object = new PGobject();
		object.setType("minhash");
		object.setValue(text);
		is(value("SELECT id FROM articles WHERE sig = ?", object), "1", "a signature out and in again");
		is(value("SELECT id FROM articles WHERE sig = ?::minhash", text), "1", "and as a string");
		is(state("SELECT id FROM articles WHERE sig = ?", text), "42883", "a string without a cast: an error");
		try (var rows = connection.createStatement().executeQuery("SELECT sig::bytea FROM articles WHERE id = 1")) {
			rows.next();
			is(rows.getBytes(1).length, 272, "a signature as bytes");
			is(value("SELECT id FROM articles WHERE sig = ?::bytea::minhash", rows.getBytes(1)), "1", "and back");
		}
		var copy = connection.unwrap(PGConnection.class).getCopyAPI();
		copy.copyIn("COPY articles (title, body) FROM STDIN",
			new java.io.StringReader("Cub 1\t" + TEXT + " again\nCub 2\t" + TEXT + " and again\n"));
		is(search(TEXT, 0.5).size(), 4, "COPY FROM");
		var out = new java.io.StringWriter();
		copy.copyOut("COPY (SELECT sig FROM articles WHERE id = 1) TO STDOUT", out);
		is(out.toString(), text + "\n", "COPY TO");
	}

	// Check that prepared statements keep the index, after the driver has given
	// them names.
	static void plans() throws SQLException {
		String counts = """
			SELECT concat_ws(' ', (SELECT sum(generic_plans) > 0 FROM pg_prepared_statements
				WHERE statement ~ '^SELECT id, title'),
				pg_stat_get_xact_numscans('articles_sig'::regclass) - ?::int,
				pg_stat_get_xact_numscans('articles'::regclass) - ?::int)""";
		value("SELECT set_config('plan_cache_mode', 'force_generic_plan', false)");
		connection.setAutoCommit(false);
		var before = value(counts, 0, 0).replaceAll("^[a-z] ", "").split(" ");
		int n = before.length;
		for (int i = 0; i < 10; i++)
			search(TEXT, 0.8);
		is(value(counts, Integer.valueOf(before[n - 2]), Integer.valueOf(before[n - 1])), "t 10 0",
			"generic plans use the index");
		connection.rollback();
		connection.setAutoCommit(true);
	}

	// Check what tools ask.
	static void tools() throws SQLException {
		var metadata = connection.getMetaData();
		try (var rows = metadata.getColumns(null, "public", "articles", "sig")) {
			rows.next();
			is(rows.getString("TYPE_NAME") + " " + rows.getInt("DATA_TYPE") + " " + rows.getString("IS_GENERATEDCOLUMN"),
				"minhash " + Types.OTHER + " YES", "metadata of the column");
		}
		try (var rows = metadata.getIndexInfo(null, "public", "articles", false, false)) {
			String found = null;
			while (rows.next())
				if (rows.getString("COLUMN_NAME").equals("sig"))
					found = rows.getString("INDEX_NAME");
			is(found, "articles_sig", "metadata of the index");
		}
		try (var rows = connection.createStatement().executeQuery("SELECT * FROM articles WHERE id = 1")) {
			rows.next();
			is(rows.getMetaData().getColumnTypeName(4) + " " + rows.getObject(4).getClass().getSimpleName(),
				"minhash PGobject", "SELECT *");
		}
		is(value("SELECT count(*) FROM (SELECT sig, count(*) FROM articles GROUP BY sig ORDER BY sig) g"),
			value("SELECT count(DISTINCT sig) FROM articles"), "GROUP BY, ORDER BY and DISTINCT");
	}

	public static void main(String[] arguments) throws Exception {
		var environment = System.getenv();
		connection = DriverManager.getConnection("jdbc:postgresql://" + environment.get("PGHOST") + ":"
			+ environment.get("PGPORT") + "/" + environment.get("PGDATABASE") + "?user=" + environment.get("PGUSER"));
		parameters();
		signatures();
		plans();
		tools();
		System.out.println("1.." + checks);
		System.exit(failed > 0 ? 1 : 0);
	}
}
