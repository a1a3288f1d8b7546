internal import DeviceAuthentication

/// What the store keeps beside its keys: one file for each note.
extension KeyDirectory {
  /// Returns the note with a name; nil when there is no such note.
  func note(named name: String) throws(DeviceAuthenticationError) -> [UInt8]? { try read(Self.noteName(of: name)) }

  /// Keeps a note when the present one is that of the caller. The caller holds the lock of the directory.
  ///
  /// - Returns: What is kept afterwards.
  func keep(
    _ note: [UInt8], named name: String, replacing former: [UInt8]?
  ) throws(DeviceAuthenticationError) -> [UInt8]? {
    let present = try self.note(named: name)
    guard present == former else { return present }
    try write(note, named: Self.noteName(of: name))
    return note
  }

  private static func noteName(of name: String) -> String { "\(name).note" }
}
