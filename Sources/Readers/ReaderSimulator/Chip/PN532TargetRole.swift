/// The chip as a card.
struct PN532TargetRole: Sendable {
  enum Standing: UInt8, Sendable {
    case released = 0x00
    case activated = 0x01
    case deselected = 0x02
    /// No initiator yet.
    case expected = 0xFF
  }

  var front: ProximityCard
  /// Whether the chip runs the protocol; otherwise the host gets every frame.
  let runsProtocol: Bool
  var standing = Standing.expected
  /// What came and was not asked for yet.
  var waiting: [UInt8]?
  /// What TgSetMetaData gave of the response.
  var prepared: [UInt8] = []
}

/// The parameters of TgInitAsTarget.
struct PN532TargetParameters {
  let identity: ProximityIdentity
  let onlyPeers: Bool
  let onlyProtocol: Bool

  /// Mode, ATQA, three octets of the identifier, SAK, 18 octets for FeliCa, 10 for NFCIP-1, then general bytes and
  /// historical bytes, each with their count; at most 47 and 48.
  init?(_ data: [UInt8]) {
    guard data.count >= 36 else { return nil }
    let generalEnd = 36 + Int(data[35])
    guard data[35] <= 47, data.count >= generalEnd else { return nil }
    let history = data[generalEnd...]
    let count = Int(history.first ?? 0)
    guard count <= 48, max(history.count - 1, 0) == count else { return nil }
    onlyPeers = data[0] & 0x02 != 0
    onlyProtocol = data[0] & 0x04 != 0
    // FSC 64, same bit rate in both directions, 155 ms, node address and card identifier: what a PN532 says.
    let format: [UInt8] = [0x75, 0x33, 0x92, 0x03]
    identity = ProximityIdentity(
      identifier: [0x08] + data[3..<6], answerToRequest: [data[2], data[1]], selectAcknowledge: data[6],
      answerToSelect: [UInt8(5 + count)] + format + history.dropFirst())
  }
}
