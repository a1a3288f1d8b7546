/// What is known of the passcode since the device served it last.
struct LockHistory: Equatable, Sendable {
  /// The state at the last check.
  var known: PasscodeState
  /// The changes that the password hook saw.
  var changes: [PasscodeChange] = []
  /// The states that the hook of the former version found, each before a change. Empty when the device has served its user
  /// since the upgrade.
  var formerJournal: [PasscodeState] = []
  /// How often the shadow file was replaced since the last check; nil when the device did not run all the time.
  var replacements: Int?

  /// Whether the passcode was removed since the last check, also when it is set again now.
  ///
  /// A new hash can be a change, or a removal and a new passcode. It counts as a change only when the device saw a
  /// single replacement of the file, or when the changes of the hook lead without a gap from the known hash to the present
  /// one. In every other case it counts as a removal.
  func hasRemoval(before present: PasscodeState) -> Bool {
    guard known.isSet else { return false }
    guard present.isSet, changes.allSatisfy(\.isSet), formerJournal.allSatisfy(\.isSet) else { return true }
    guard changes.isEmpty else { return !isExplained(present) }
    return present != known && replacements != 1 && !isExplainedByFormerJournal
  }

  private func isExplained(_ present: PasscodeState) -> Bool {
    var state = isExplainedByFormerJournal ? changes.first?.before : known
    for change in changes {
      guard change.before == state else { return false }
      state = change.after
    }
    return state == present
  }

  /// The former journal does not show where its last change has led.
  private var isExplainedByFormerJournal: Bool { formerJournal.first == known }

  /// Whether an announced change would explain the present state, when its program completes it.
  func awaits(_ announced: AnnouncedChange, leadingTo present: PasscodeState) -> Bool {
    var history = self
    history.changes.append(PasscodeChange(before: announced.before, after: present))
    return hasRemoval(before: present) && !history.hasRemoval(before: present)
  }
}
