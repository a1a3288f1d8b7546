internal import ISO7816
public import Links
internal import Octets

/// A card in the field of an ACR122 reader, driven by the commands of its PN532. An ACR122U waits for a response for at
/// most 5 s, and libccid for 3 s.
public typealias ACR122Channel = ChipChannel<ACR122Device>

extension ACR122Device {
  /// Looks once for a card.
  public func findCard() throws(LinkError) -> FoundCard? {
    PN532Initiator.card(in: try run(PN532Initiator.list))
  }

  /// Sends a command to the card and receives its response.
  public func exchange(_ command: [UInt8], within limit: Duration) throws(LinkError) -> [UInt8] {
    let end = ContinuousClock.now + limit
    var answer = try exchanged(command, until: end)
    var octets = answer.dropFirst()
    while let status = answer.first, PN532Initiator.hasMore(status) {
      guard answer.count > 1, octets.count < ResponseAPDU.maximumCount else {
        throw LinkError(.protocolViolation, "the card's response has no end")
      }
      answer = try exchanged([], until: end)
      octets += answer.dropFirst()
    }
    return Array(octets)
  }

  /// One answer of the chip with its status octet, which tells of no failure.
  private func exchanged(_ octets: [UInt8], until end: ContinuousClock.Instant) throws(LinkError) -> [UInt8] {
    let answer = try run(PN532Initiator.exchange + octets, within: max(end - .now, .zero))
    guard let status = answer.first else {
      throw LinkError(.protocolViolation, "reader \"\(reader)\": its chip's answer has no status")
    }
    if let code = PN532Initiator.failure(status) {
      throw LinkError(
        code, "the card did not answer, or not by the protocol (PN532 status \([status & 0x3F].hex))")
    }
    return answer
  }
}
