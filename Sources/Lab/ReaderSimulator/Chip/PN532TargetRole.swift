/// The state of a chip in the role of a card.
struct PN532TargetRole: Sendable {
  enum State: UInt8, Sendable {
    case released = 0x00
    case activated = 0x01
    case deselected = 0x02
    /// No initiator has activated the chip yet.
    case waitingForInitiator = 0xFF
  }

  var card: ProximityCard
  /// Whether the chip runs ISO-DEP; otherwise the host gets every frame.
  let runsProtocol: Bool
  var state = State.waitingForInitiator
  /// A command that the host has not asked for yet.
  var waiting: [UInt8]?
  /// The parts of the response that TgSetMetaData brought.
  var prepared: [UInt8] = []
}

/// The parameters of TgInitAsTarget.
struct PN532TargetParameters {
  let identity: ProximityIdentity
  let acceptsOnlyPeers: Bool
  let acceptsOnlyISODEP: Bool

  /// Reads mode, ATQA, three bytes of the identifier, SAK, 18 bytes for FeliCa, 10 for NFCIP-1, then general bytes and
  /// historical bytes, each behind their count, at most 47 and 48. Returns nil for anything else.
  init?(_ data: [UInt8]) {
    guard data.count >= 36 else { return nil }
    let generalEnd = 36 + Int(data[35])
    guard data[35] <= 47, data.count >= generalEnd else { return nil }
    let history = data[generalEnd...]
    let count = Int(history.first ?? 0)
    guard count <= 48, max(history.count - 1, 0) == count else { return nil }
    acceptsOnlyPeers = data[0] & 0x02 != 0
    acceptsOnlyISODEP = data[0] & 0x04 != 0
    // The format bytes of a PN532: frames of 64 bytes, one bit rate, 155 ms waiting time, node address and CID.
    let format: [UInt8] = [0x75, 0x33, 0x92, 0x03]
    identity = ProximityIdentity(
      identifier: [0x08] + data[3..<6], answerToRequest: [data[2], data[1]], selectAcknowledge: data[6],
      answerToSelect: [UInt8(5 + count)] + format + history.dropFirst())
  }
}
