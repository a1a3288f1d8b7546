internal import GRDB

/// Runs database code and translates its errors into `AccessStoreError`. No other code does.
func translated<Value>(_ path: String, _ body: () throws -> Value) throws(AccessStoreError) -> Value {
  do {
    return try body()
  } catch let error as AccessStoreError {
    throw error
  } catch let error as DatabaseError {
    throw AccessStoreError(error, path)
  } catch {
    throw AccessStoreError(.unavailable, "\(path): \(type(of: error))")
  }
}

extension AccessStoreError {
  /// Keeps only the result code: the error's statement could contain keys.
  init(_ error: DatabaseError, _ path: String) {
    let code = error.extendedResultCode.rawValue
    switch error.resultCode {
    case .SQLITE_FULL: self = .full(path)
    case .SQLITE_READONLY, .SQLITE_PERM:
      self.init(.unavailable, "\(path) cannot be written: check its mode and the mode of its directory")
    case .SQLITE_CANTOPEN:
      self.init(.unavailable, "\(path) cannot be opened: check its mode and the mode of its directory")
    case .SQLITE_BUSY, .SQLITE_LOCKED:
      self.init(.unavailable, "\(path): another process has locked it for more than \(AccessFile.busyTimeout) s")
    case .SQLITE_CORRUPT, .SQLITE_NOTADB:
      self.init(.damaged, "\(path) is not a valid SQLite database")
    case .SQLITE_CONSTRAINT:
      self.init(.damaged, "\(path): a record violates a rule of its table (SQLite error \(code))")
    case .SQLITE_ERROR:
      self.init(.damaged, "\(path): its tables have another form than those of this program")
    default: self.init(.unavailable, "\(path): SQLite error \(code)")
    }
  }
}
