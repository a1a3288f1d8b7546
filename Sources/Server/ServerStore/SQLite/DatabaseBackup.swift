public import Octets

/// A copy of a server's database, made while servers use it.
public enum DatabaseBackup {
  /// Copies an SQLite database to a new file with mode 0600, whole and durably. The first start of a server on the copy, wherever
  /// it lies, ends tokens, sessions and challenges and makes new keys. Blocks.
  ///
  /// - Parameters:
  ///   - path: The file of the database.
  ///   - target: The new file.
  /// - Returns: The size of the copy in bytes.
  /// - Throws: `AccessStoreError`, with code `full` when the target's disk is full. Nothing is left of the copy then.
  public static func copy(
    file path: String, to target: String, at now: WallTime
  ) throws(AccessStoreError) -> Int {
    try AccessFile(path: path, schema: .current).backUp(to: target, at: now.epochMilliseconds)
  }
}
