/// What happened at one position of a command: the card was stopped there, another process made a change, and the card went on.
struct Visit {
  /// The number of instructions since the command arrived; 0 before the card has read it.
  let position: Int
  let change: Change
  let reply: ChangeReply
  /// Whether the response has a cryptogram or a signature.
  let gaveCryptogram: Bool
  /// The same of the next command; nil without one.
  var nextGave: Bool?

  /// How the visit counts.
  enum Outcome: String, CaseIterable, Sendable {
    /// The change was acknowledged, and the card refused.
    case refused
    /// The change is stored without an acknowledgement, and the card refused.
    case storedRefused
    /// The change is stored without an acknowledgement, and a cryptogram that was computed before has left.
    case storedPaid
    /// The change was refused, since the process was stopped while it read the store, whose lock it has.
    case unstored
    /// The card has paid: nothing was changed, or the change is one that readings notice.
    case paid
    /// What must not happen.
    case fault
  }

  var outcome: Outcome {
    if nextGave == true, change != .control { return .fault }
    switch (change.notice, reply) {
    case (_, .failed): return .fault
    case (_, .locked): return .unstored
    case (.none, _): return gaveCryptogram || nextGave == true ? .paid : .fault
    case (.reading, _): return gaveCryptogram ? .paid : .refused
    case (.handshake, .acknowledged): return gaveCryptogram ? .fault : .refused
    case (.handshake, .stored): return gaveCryptogram ? .storedPaid : .storedRefused
    }
  }

  /// The fault in words; nil for none.
  var fault: String? {
    guard outcome == .fault else { return nil }
    if case .failed(let reason) = reply { return reason }
    if change == .control { return "no cryptogram, although nothing was changed" }
    return gaveCryptogram && change.notice == .handshake
      ? "a cryptogram after an acknowledged change" : "a cryptogram for the next command"
  }
}
