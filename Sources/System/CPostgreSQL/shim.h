#ifndef CONTACTLESS_CPOSTGRESQL_H
#define CONTACTLESS_CPOSTGRESQL_H

#include <libpq-fe.h>

// The names of fields are character constants, which Swift does not import.
static inline const char *contactless_sqlstate(const PGresult *result) {
  return PQresultErrorField(result, PG_DIAG_SQLSTATE);
}

static inline void contactless_ignore_notice(void *context, const char *message) {
  (void)context;
  (void)message;
}

// Without this, libpq writes the notices of the server to standard error.
static inline void contactless_ignore_notices(PGconn *connection) {
  PQsetNoticeProcessor(connection, contactless_ignore_notice, 0);
}

#endif
