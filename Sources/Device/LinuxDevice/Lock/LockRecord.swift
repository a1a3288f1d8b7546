internal import Octets

/// A change of the passcode that the password hook saw: the state before PAM changed it, and the state after that.
struct PasscodeChange: Equatable, Sendable {
  let before: PasscodeState
  let after: PasscodeState

  var isSet: Bool { before.isSet && after.isSet }
}

/// The change that a program has announced by the hook before pam_unix, and not completed by the hook after it. It explains
/// nothing: the program may have been aborted, and the change may never come.
struct AnnouncedChange: Equatable, Sendable {
  let program: HookedProgram
  let before: PasscodeState
}

/// What a device stores of the passcode of one user. The device and the password hook change it as a whole, so a program
/// that is killed leaves no part of a change.
///
/// ```
/// line                          content
/// set HEX, or none              the state at the last check
/// served                        the device has checked the state since it writes this file
/// announced BOOT-PID STATE      the open announcement of the hook
/// change STATE STATE            a change that the hook saw: the state before and the state after it
/// ```
///
/// A state in a line is the digest in hexadecimal, or `none`. A file of a former version has only the first line, and its
/// changes are in a second file, the journal.
struct LockRecord: Equatable, Sendable {
  /// The state at the last check.
  var known: PasscodeState
  /// False until the device has checked the state once since the upgrade. Until then the journal of the former version
  /// counts.
  var isServed: Bool
  var announced: AnnouncedChange?
  /// The changes since the last check.
  private(set) var changes: [PasscodeChange] = []

  /// No present state equals this one, so the next check counts a removal.
  static let damaged = LockRecord(known: .set(digest: []), isServed: true)

  init(known: PasscodeState, isServed: Bool) { (self.known, self.isServed) = (known, isServed) }

  /// Adds a change that the hook saw.
  mutating func add(_ change: PasscodeChange) {
    if changes.last != change { changes.append(change) }
  }

  /// Stores the state that a check has found.
  ///
  /// - Parameter judged: The changes that the check has judged. The hook may have added others since.
  mutating func settle(on state: PasscodeState, judging judged: [PasscodeChange]) {
    if changes.starts(with: judged) { changes.removeFirst(judged.count) }
    dropChanges(from: judged.last?.after ?? known, to: state)
    // The check has seen the change that was announced, before the hook could complete it.
    if let announced, announced.before != state { self.announced = nil }
    (known, isServed) = (state, true)
  }

  /// Drops the changes that lead from one state to another.
  private mutating func dropChanges(from first: PasscodeState, to last: PasscodeState) {
    guard first != last else { return }
    var state = first
    for (index, change) in changes.enumerated() {
      guard change.before == state, change.isSet else { return }
      state = change.after
      if state == last { return changes.removeSubrange(...index) }
    }
  }
}

extension LockRecord {
  /// Reads a file. One that is damaged is `damaged`.
  init(_ octets: [UInt8]) {
    let lines = octets.split(separator: UInt8(ascii: "\n")).map {
      String(decoding: $0, as: UTF8.self).split(separator: " ").map(String.init)
    }
    guard octets.last == UInt8(ascii: "\n"), let first = lines.first, let known = PasscodeState(line: first) else {
      self = .damaged
      return
    }
    self.init(known: known, isServed: false)
    for line in lines.dropFirst() {
      guard read(line) else {
        self = .damaged
        return
      }
    }
  }

  /// Returns whether the line is one of a record.
  private mutating func read(_ line: [String]) -> Bool {
    switch (line.first, line.count) {
    case ("served", 1): isServed = true
    case ("announced", 3):
      guard let program = HookedProgram(line[1]), let before = PasscodeState(word: line[2]) else { return false }
      announced = AnnouncedChange(program: program, before: before)
    case ("change", 3):
      guard let before = PasscodeState(word: line[1]), let after = PasscodeState(word: line[2]) else { return false }
      changes.append(PasscodeChange(before: before, after: after))
    default: return false
    }
    return true
  }

  /// The bytes of the file.
  var octets: [UInt8] {
    var lines = [known.isSet ? "set \(known.word)" : "none"]
    if isServed { lines.append("served") }
    if let announced { lines.append("announced \(announced.program) \(announced.before.word)") }
    lines += changes.map { "change \($0.before.word) \($0.after.word)" }
    return Array(lines.map { $0 + "\n" }.joined().utf8)
  }
}

extension PasscodeState {
  /// The digest in hexadecimal, or `none`.
  fileprivate var word: String {
    switch self {
    case .notSet: "none"
    case .set(let digest): digest.hex
    }
  }

  fileprivate init?(word: String) {
    guard word != "none" else {
      self = .notSet
      return
    }
    guard let digest = try? [UInt8](hex: word), digest.count == 32 else { return nil }
    self = .set(digest: digest)
  }

  /// Reads the words of a line that is a state alone: the first line of a record, and a line of the former journal.
  init?(line: [String]) {
    switch (line.first, line.count) {
    case ("none", 1): self = .notSet
    case ("set", 2): self.init(word: line[1])
    default: return nil
    }
    if line.count == 2, !isSet { return nil }
  }
}
