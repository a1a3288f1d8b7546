internal import Ciphers

/// Whether a user of this machine has a passcode, read from the second field of the shadow entry (shadow(5)).
package enum PasscodeState: Hashable, Sendable {
  /// The field is empty, holds no hash, or the user has no entry.
  case notSet
  /// The field holds a hash, of which this is a digest of 32 bytes. An administrator who locks the account with
  /// `usermod -L` writes "!" before the hash: the passcode is still set.
  case set(digest: [UInt8])

  /// Reads the field of a user in the text of a shadow file.
  package init(of user: String, in file: [UInt8]) {
    let name = Array(user.utf8)
    for line in file.split(separator: UInt8(ascii: "\n")) {
      let fields = line.split(separator: UInt8(ascii: ":"), maxSplits: 2, omittingEmptySubsequences: false)
      guard fields.count == 3, fields[0].elementsEqual(name) else { continue }
      self.init(field: fields[1])
      return
    }
    self = .notSet
  }

  private init(field: ArraySlice<UInt8>) {
    let hash = field.drop { $0 == UInt8(ascii: "!") }
    // No hash of crypt(5) begins with an asterisk; such an account never had a passcode.
    guard let first = hash.first, first != UInt8(ascii: "*") else {
      self = .notSet
      return
    }
    self = .set(digest: SHA256.digest(of: Array(hash)))
  }

  /// Whether a passcode is set.
  package var isSet: Bool { self != .notSet }
}
