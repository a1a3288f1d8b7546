/// The port to the place that keeps the records. The rules that every implementation observes:
///
/// - A change is durable when `update` returns, and is whole or absent after a crash.
/// - Changes of several tasks and processes happen one after the other; none is lost.
/// - A place that cannot be read completely is an error and is never overwritten.
/// - No call blocks a thread of the cooperative pool.
public protocol LocalDataStore: Sendable {
  /// Returns the present records; empty ones for a new place.
  func read() async throws(LocalDataError) -> LocalRecords

  /// Changes the records while no other task or process reads or changes them.
  ///
  /// - Parameter body: Runs on a thread that may block. It may call `keep` to make what it has changed so far durable
  ///   before it goes on. When it throws, the changes since the last `keep` are dropped.
  func update<Value: Sendable>(
    _ body:
      @escaping @Sendable (
        _ records: inout LocalRecords, _ keep: (LocalRecords) throws(LocalDataError) -> Void
      ) throws(LocalDataError) -> Value
  ) async throws(LocalDataError) -> Value

  /// Announces a registration to all tasks and processes, until the mark is released. Several go on at the same time.
  ///
  /// - Throws: `.busy` when registrations are held back for longer than the limit of the store.
  func beginRegistration() async throws(LocalDataError) -> any RegistrationMark

  /// Holds the entries of PINs and passwords in all tasks and processes back until the mark is released.
  ///
  /// - Throws: `.busy` when another entry is compared for longer than the limit of the store.
  func beginEntry() async throws(LocalDataError) -> any RegistrationMark

  /// Holds registrations back until the mark is released.
  ///
  /// - Returns: Nil while a registration goes on.
  func holdRegistrations() async throws(LocalDataError) -> (any RegistrationMark)?
}

/// Ends with its last reference, and with its process.
public protocol RegistrationMark: AnyObject, Sendable {}

extension LocalDataStore {
  /// Changes the records in one step.
  public func change<Value: Sendable>(
    _ body: @escaping @Sendable (inout LocalRecords) -> Value
  ) async throws(LocalDataError) -> Value {
    try await update { (records, _) throws(LocalDataError) in body(&records) }
  }
}

/// Why the records could not be read or kept. Nothing is lost: the place is unchanged. Every sentence names the place.
public enum LocalDataError: Error, Equatable, Sendable {
  /// The place cannot be read, for the reason of the system.
  case notReadable(path: String, reason: String)
  /// The place cannot be written, for the reason of the system.
  case notWritable(path: String, reason: String)
  /// The place has other content than records: the first problem with its position.
  case damaged(path: String, reason: String)
  /// The records were written by a newer version of this library.
  case newer(path: String, found: Int)
  /// The wrong entries of a PIN or a password are older than those that the device has counted: an older copy of the
  /// records was restored.
  case rolledBack(count: UInt64, deviceCount: UInt64)
  /// The wrong entries of a PIN or a password were changed by another program.
  case attemptsChanged
  /// Another process has used the place for longer than the limit.
  case busy(path: String)
}

extension LocalDataError: CustomStringConvertible {
  /// A sentence that states what to do.
  public var description: String {
    switch self {
    case .notReadable(let path, let reason): "\(path) cannot be read: \(reason)"
    case .notWritable(let path, let reason): "\(path) cannot be written: \(reason)"
    case .damaged(let path, let reason):
      "\(path) is damaged: \(reason). It stays as it is; restore a copy, or remove it and register again"
    case .newer(let path, let found):
      "\(path) has version \(found), which a newer program has written; use that program"
    case .rolledBack(let count, let deviceCount):
      "the local data is an older copy: it has \(count) entries, and the device has counted \(deviceCount). Restore the "
        + "newest copy, or remove the registration and register again"
    case .attemptsChanged:
      "the wrong entries in the local data were changed by another program; remove the registration and register again"
    case .busy(let path): "\(path): another process uses it; try again"
    }
  }
}
