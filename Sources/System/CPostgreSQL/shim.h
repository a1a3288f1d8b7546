#ifndef CONTACTLESS_CPOSTGRESQL_H
#define CONTACTLESS_CPOSTGRESQL_H

#include <libpq-fe.h>
#include <stdlib.h>
#include <string.h>

// The names of fields are character constants, which Swift does not import.
static inline const char *contactless_sqlstate(const PGresult *result) {
  return PQresultErrorField(result, PG_DIAG_SQLSTATE);
}

static inline void contactless_count_warning(void *count, const PGresult *notice) {
  const char *severity = PQresultErrorField(notice, PG_DIAG_SEVERITY_NONLOCALIZED);
  if (severity && strcmp(severity, "WARNING") == 0) ++*(long *)count;
}

// Counts the warnings of the server from now on. Without a receiver, libpq writes its notices to standard error. The caller
// frees the count after the connection; NULL without memory.
static inline long *contactless_count_warnings(PGconn *connection) {
  long *count = (long *)calloc(1, sizeof(long));
  if (count) PQsetNoticeReceiver(connection, contactless_count_warning, count);
  return count;
}

#endif
