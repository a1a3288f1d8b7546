internal import ContactlessPayment
internal import GRDB

/// Runs code of GRDB and translates its errors into `WalletStoreError`. No other code does.
func translated<Result>(_ path: String, _ body: () throws -> Result) throws(WalletStoreError) -> Result {
  do {
    return try body()
  } catch let error as WalletStoreError {
    throw error
  } catch let error as DatabaseError {
    throw WalletStoreError(error, path)
  } catch {
    throw .storage("\(type(of: error))")
  }
}

extension WalletStoreError {
  /// Keeps only the result code: the error's statement could contain keys.
  init(_ error: DatabaseError, _ path: String) {
    self =
      switch error.resultCode {
      case .SQLITE_FULL: .full(path)
      case .SQLITE_READONLY, .SQLITE_CANTOPEN, .SQLITE_PERM: .notWritable(path)
      case .SQLITE_BUSY, .SQLITE_LOCKED: .busy(seconds: WalletFile.busyTimeout)
      case .SQLITE_CORRUPT, .SQLITE_NOTADB: .corrupt("\(path) is not a valid SQLite database")
      default: .storage("SQLite error \(error.extendedResultCode.rawValue) on \(path)")
      }
  }
}
