internal import ContactlessPayment
internal import GRDB

/// Runs database code and says in the wallet's words what went wrong: the one place that does.
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
  /// Only the result code and its fixed text go on: a statement's values could be keys.
  init(_ error: DatabaseError, _ path: String) {
    self =
      switch error.resultCode {
      case .SQLITE_FULL: .full(path)
      case .SQLITE_READONLY, .SQLITE_CANTOPEN, .SQLITE_PERM: .notWritable(path)
      case .SQLITE_BUSY, .SQLITE_LOCKED: .busy(seconds: WalletFile.patience)
      case .SQLITE_CORRUPT, .SQLITE_NOTADB: .corrupt("\(path) is not a sound SQLite database")
      default: .storage("SQLite error \(error.extendedResultCode.rawValue) on \(path)")
      }
  }
}
