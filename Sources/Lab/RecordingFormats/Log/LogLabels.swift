internal import EMVDecoding
internal import ISO7816

/// Which labels of a log stand before commands and responses, learned from the bytes beneath them.
struct LogLabels {
  private var sure: Set<LogLabel> = []
  private var known: [LogLabel.Family: (asNamed: Int, reversed: Int)] = [:]
  private var used: Set<LogLabel.Family> = []
  private var lastCommand: LogLabel?
  /// Whether every label counts, since the caller named the format.
  private var acceptsAll = false

  /// The same, where every label counts.
  var acceptingAll: LogLabels {
    var labels = self
    labels.acceptsAll = true
    return labels
  }

  /// Whether a label stands before a command.
  private(set) var hasDirections = false

  /// Learns from an item.
  mutating func learn(_ item: LogItem) {
    let label = item.label
    guard label.family != .none else { return }
    if label.side == .command { used.insert(label.family) }
    if Self.isCommand(item), label.family != .named || label.side == .command {
      var counts = known[label.family] ?? (0, 0)
      if label.side == .response { counts.reversed += 1 } else { counts.asNamed += 1 }
      known[label.family] = counts
      sure.insert(label)
      hasDirections = true
      lastCommand = label
    } else if lastCommand != nil, LogItem.endsWithStatus(item.response) {
      sure.insert(label)
      lastCommand = nil
    }
  }

  /// Whether bytes are a command with a known instruction, or a well-formed command with data that the log names so.
  private static func isCommand(_ item: LogItem) -> Bool {
    if InstructionNames.isKnownCommand(item.octets) { return true }
    return item.label.family == .named && item.label.side == .command && item.octets.count >= 7
      && item.octets[0] & 0x60 == 0
      && (try? CommandAPDU(parsing: item.octets.span))?.data.isEmpty == false
  }

  /// Whether the log is that of a card: what it receives are commands.
  var isOfCard: Bool { isReversed(.sent) || sure.contains { $0.key.hasSuffix("process") } }

  private func isReversed(_ family: LogLabel.Family) -> Bool {
    known[family].map { $0.reversed > $0.asNamed } ?? false
  }

  /// The side of an item; nil when nothing shows that it is of an exchange.
  func side(of item: LogItem, isWaiting: Bool) -> LogLabel.Side? {
    let label = item.label
    let isKnown = Self.isCommand(item)
    switch label.family {
    case .none: return nil
    case .named:
      guard label.side == .command else { return isWaiting || acceptsAll || sure.contains(label) ? .response : nil }
      return isKnown || acceptsAll || sure.contains(label) ? .command : nil
    case .apdu:
      if isKnown { return .command }
      guard acceptsAll || sure.contains(label) else { return nil }
      return isWaiting && LogItem.endsWithStatus(item.response) ? .response : .command
    case .arrow, .sent, .inOut, .initial, .party:
      let isReversed = isReversed(label.family)
      let side = isReversed ? (label.side == .command ? .response : .command) : label.side
      if side == .command { return isKnown || acceptsAll || sure.contains(label) ? .command : nil }
      // A family that stands before no command names the responses of another one.
      let isEstablished = known[label.family] != nil || !used.contains(label.family) && isWaiting
      return acceptsAll || isEstablished || sure.contains(label) && known[label.family] != nil ? .response : nil
    }
  }
}
