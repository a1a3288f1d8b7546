#include "CSQLite.h"

#include <sqlite3.h>

int csqlite_guard(struct sqlite3 *connection) {
  static const int settings[][2] = {
    {SQLITE_DBCONFIG_ENABLE_TRIGGER, 0},
    {SQLITE_DBCONFIG_ENABLE_VIEW, 0},
    {SQLITE_DBCONFIG_DEFENSIVE, 1},
    {SQLITE_DBCONFIG_TRUSTED_SCHEMA, 0},
  };
  for (unsigned long row = 0; row < sizeof settings / sizeof *settings; row++) {
    int present = -1;
    int code = sqlite3_db_config(connection, settings[row][0], settings[row][1], &present);
    if (code != SQLITE_OK) return code;
    if (present != settings[row][1]) return SQLITE_ERROR;
  }
  return SQLITE_OK;
}
