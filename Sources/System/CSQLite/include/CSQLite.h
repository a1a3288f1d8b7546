#ifndef CONTACTLESS_CSQLITE_H
#define CONTACTLESS_CSQLITE_H

struct sqlite3;

/// Turns off what the content of a database file can do by itself on one connection: triggers, views, functions in the
/// schema that are not safe, and statements that change the schema as a table. Foreign keys keep working.
///
/// A function, because `sqlite3_db_config` is variadic, and Swift does not call such functions.
///
/// Returns SQLITE_OK, or the result code of the first setting that SQLite refuses.
int csqlite_guard(struct sqlite3 *connection);

#endif
