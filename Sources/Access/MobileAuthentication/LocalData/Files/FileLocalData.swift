internal import POSIX

/// The records of a device in a directory: `mobile-authentication.json`, and a lock file beside it.
///
/// A change writes a new file, makes it durable and gives it the name of the old one, so that a crash leaves the old or
/// the new records. The lock excludes other processes and other tasks; a call waits for it for at most 5 s. The directory
/// gets mode 0700, the files 0600.
public struct FileLocalData: LocalDataStore {
  /// The version of the file format. Version 1 has no wallets, version 2 no RSA keys and no seals of wrong entries, version 3
  /// no former identifiers of accounts, version 4 no versions of the client and no accepted authenticators, version 5 one
  /// identity for all servers; all are still read.
  public static let version = 6

  /// The path of the file.
  public let path: String
  private let file: RecordFile

  /// Names the directory. It is created with the first change.
  public init(directory: String) {
    path = directory + "/mobile-authentication.json"
    file = RecordFile(directory: directory, path: path)
  }

  /// Returns the present records; empty ones when there is no file.
  public func read() async throws(LocalDataError) -> LocalRecords {
    try await blocking { [file] () throws(LocalDataError) in try Self.read(file) }
  }

  /// Changes the records while no other task or process changes them.
  public func update<Value: Sendable>(
    _ body:
      @escaping @Sendable (
        _ records: inout LocalRecords, _ keep: (LocalRecords) throws(LocalDataError) -> Void
      ) throws(LocalDataError) -> Value
  ) async throws(LocalDataError) -> Value {
    try await blocking { [file] () throws(LocalDataError) in
      try file.locked { () throws(LocalDataError) in try Self.update(file, body) }
    }
  }

  /// Announces a registration to all processes.
  public func beginRegistration() async throws(LocalDataError) -> any RegistrationMark {
    try await blocking { [file] () throws(LocalDataError) in try file.registering() }
  }

  /// Holds the entries of PINs and passwords of all processes back.
  public func beginEntry() async throws(LocalDataError) -> any RegistrationMark {
    try await blocking { [file] () throws(LocalDataError) in try file.entering() }
  }

  /// Holds registrations of all processes back.
  public func holdRegistrations() async throws(LocalDataError) -> (any RegistrationMark)? {
    try await blocking { [file] () throws(LocalDataError) in try file.registeringNone() }
  }

  private static func update<Value>(
    _ file: RecordFile,
    _ body: (inout LocalRecords, (LocalRecords) throws(LocalDataError) -> Void) throws(LocalDataError) -> Value
  ) throws(LocalDataError) -> Value {
    var kept = try read(file)
    var records = kept
    let keep = { (records: LocalRecords) throws(LocalDataError) in
      guard records != kept else { return }
      try file.write(records.fileText)
      kept = records
    }
    let value = try body(&records, keep)
    try keep(records)
    return value
  }

  private static func read(_ file: RecordFile) throws(LocalDataError) -> LocalRecords {
    guard let octets = try file.octets() else { return LocalRecords() }
    return try LocalRecords(reading: octets, of: file.path)
  }
}
