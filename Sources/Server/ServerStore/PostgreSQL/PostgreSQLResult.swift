internal import CPostgreSQL

/// What the server answered to a statement. It is freed with this value.
@safe
struct PostgreSQLResult: ~Copyable {
  private let result: OpaquePointer

  /// Takes over a result of libpq.
  ///
  /// - Throws: `PostgreSQLFailure` for nil and for the response to a statement that failed.
  init(owning result: OpaquePointer?) throws(PostgreSQLFailure) {
    guard let result = unsafe result else { throw .lost }
    switch unsafe PQresultStatus(result) {
    case PGRES_COMMAND_OK, PGRES_TUPLES_OK: unsafe self.result = result
    default:
      let state = unsafe contactless_sqlstate(result).map { unsafe String(cString: $0) }
      unsafe PQclear(result)
      throw PostgreSQLFailure(state: state ?? "")
    }
  }

  deinit { unsafe PQclear(result) }

  /// The command that was executed, such as `COMMIT`.
  var command: String { unsafe String(cString: PQcmdStatus(result)) }

  /// The number of rows that the statement changed.
  var changedRows: Int { Int(unsafe String(cString: PQcmdTuples(result))) ?? 0 }

  /// The rows. Their values have the binary format.
  var rows: [SQLRow] {
    let count = unsafe PQnfields(result)
    let columns = (0..<count).map { unsafe String(cString: PQfname(result, $0)) }
    return (0..<(unsafe PQntuples(result))).map { row in
      SQLRow(columns: columns, values: (0..<count).map { value(row, $0) })
    }
  }

  /// The numbers of types in `pg_type.dat` of PostgreSQL.
  private static let (byteString, integer): (Oid, Oid) = (17, 20)

  private func value(_ row: Int32, _ column: Int32) -> SQLValue {
    guard unsafe PQgetisnull(result, row, column) == 0, let octets = unsafe PQgetvalue(result, row, column) else {
      return .null
    }
    let buffer = unsafe UnsafeRawBufferPointer(start: octets, count: Int(PQgetlength(result, row, column)))
    return switch unsafe PQftype(result, column) {
    case Self.byteString: unsafe .octets([UInt8](buffer))
    case Self.integer: unsafe .integer(buffer.reduce(0) { $0 << 8 | Int64($1) })
    default: unsafe .text(String(decoding: buffer, as: UTF8.self))
    }
  }
}
