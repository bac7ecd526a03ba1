/* What the cost bench gives to sqlite: tables, indices, joins, groups, changes; all in memory. */
#include <sqlite3.h>
#include <stdio.h>
#include <stdlib.h>

static sqlite3 *database;

static int print_row(void *unused, int columns, char **texts, char **names)
{
    (void)unused, (void)names;
    for (int n = 0; n < columns; n++)
        printf("%s%c", texts[n] ? texts[n] : "NULL", n + 1 < columns ? '|' : '\n');
    return 0;
}

static void execute(const char *text)
{
    char *message = NULL;
    if (sqlite3_exec(database, text, print_row, NULL, &message)) {
        fprintf(stderr, "%s: %s\n", text, message);
        exit(1);
    }
}

static void insert(int rows)
{
    sqlite3_stmt *statement;
    execute("BEGIN");
    sqlite3_prepare_v2(database, "INSERT INTO item VALUES(?,?,?,?)", -1, &statement, NULL);
    for (int n = 0; n < rows; n++) {
        char name[32];
        snprintf(name, sizeof name, "name %d of %d", n * 7919 % 1009, rows);
        sqlite3_bind_int(statement, 1, n);
        sqlite3_bind_int(statement, 2, n * 31 % 97);
        sqlite3_bind_double(statement, 3, n * 0.37);
        sqlite3_bind_text(statement, 4, name, -1, SQLITE_TRANSIENT);
        sqlite3_step(statement);
        sqlite3_reset(statement);
    }
    sqlite3_finalize(statement);
    execute("COMMIT");
}

int main(int count, char **arguments)
{
    if (count != 2 || sqlite3_open(":memory:", &database))
        return 1;
    execute("CREATE TABLE item(id INTEGER PRIMARY KEY, kind INT, price REAL, name TEXT)");
    execute("CREATE TABLE kind(id INTEGER PRIMARY KEY, label TEXT)");
    insert(atoi(arguments[1]));
    execute("INSERT INTO kind SELECT DISTINCT kind, 'kind ' || kind FROM item");
    execute("CREATE INDEX by_kind ON item(kind, price)");
    execute("CREATE INDEX by_name ON item(name)");
    execute("SELECT label, count(*), round(sum(price), 2), max(name) FROM item JOIN kind"
            " ON kind.id = item.kind GROUP BY label ORDER BY 3 DESC LIMIT 5");
    execute("SELECT count(*) FROM item a JOIN item b ON a.name = b.name AND a.id < b.id");
    execute("SELECT id, name FROM item WHERE name LIKE '%99%' ORDER BY name, id LIMIT 5");
    execute("UPDATE item SET price = price * 1.1, name = upper(name) WHERE kind % 3 = 0");
    execute("DELETE FROM item WHERE kind IN (SELECT id FROM kind WHERE label LIKE '%7')");
    execute("WITH RECURSIVE c(n, x) AS (SELECT 1, 1 UNION ALL SELECT n + 1, (x * 31 + n) % 1009"
            " FROM c WHERE n < 2000) SELECT sum(x), count(DISTINCT x) FROM c");
    execute("SELECT count(*), round(avg(price), 3), group_concat(DISTINCT length(name)) FROM item");
    execute("PRAGMA integrity_check");
    return sqlite3_close(database);
}
