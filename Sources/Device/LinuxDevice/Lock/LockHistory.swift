/// What is known of the passcode since the device served it last.
struct LockHistory: Equatable, Sendable {
  /// The state at the last check.
  var known: PasscodeState
  /// The states that the password hook found, each before a change.
  var journal: [PasscodeState]
  /// How often the shadow file was replaced since the last check; nil when the device did not run all the time.
  var replacements: Int?

  /// Whether the passcode was removed since the last check, also when it is set again now.
  ///
  /// A new hash can be a change, or a removal and a new passcode. It counts as a change only when the device saw a
  /// single replacement of the file, or when the hook found a passcode before every change. In every other case it counts
  /// as a removal.
  func hasRemoval(before present: PasscodeState) -> Bool {
    guard known.isSet else { return false }
    guard present.isSet, journal.allSatisfy(\.isSet) else { return true }
    if present == known { return false }
    return replacements != 1 && journal.first != known
  }
}
