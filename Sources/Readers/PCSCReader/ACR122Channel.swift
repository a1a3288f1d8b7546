internal import Foundation
internal import ISO7816
public import Links
internal import Octets

/// A card in the field of an ACR122 reader, driven by the commands of its PN532. Letting go of the channel releases the
/// card and switches the field off.
public struct ACR122Channel: ~Copyable, CardChannel {
  /// What the card said of itself: the ATR that a PC/SC reader would make up of its historical bytes.
  public let identity: CardIdentity
  /// The card's UID, 4, 7 or 10 octets; random for a phone.
  public let cardIdentifier: [UInt8]

  /// A chip looks for a few milliseconds; a person does not notice the time between.
  private static let pauseBetweenLooks = 0.02

  private let device: ACR122Device
  private let responseTimeout: Duration
  private var failure: LinkError?

  /// Waits for a card of ISO/IEC 14443 type A with ISO-DEP. Blocks.
  ///
  /// - Parameters:
  ///   - device: The reader, in no other use.
  ///   - timeout: How long to wait for the card.
  ///   - responseTimeout: How long the card may take for one response, 1 ms to 1 h. An ACR122U gives up after 5 s, and
  ///     libccid after 3 s.
  /// - Throws: `LinkError`: `.timedOut` without a card, `.readerUnavailable`, `.serviceUnavailable`.
  public init(
    _ device: ACR122Device, timeout: Duration, responseTimeout: Duration = .seconds(10)
  ) throws(LinkError) {
    let found: PN532Initiator.Card
    do throws(LinkError) {
      found = try Self.card(at: device, within: timeout)
    } catch {
      // The field is on by then.
      device.release()
      throw error
    }
    self.device = device
    self.responseTimeout = min(max(responseTimeout, .milliseconds(1)), .seconds(3600))
    cardIdentifier = found.identifier
    let answer = try? AnswerToSelect(parsing: found.answerToSelect.span)
    identity = CardIdentity(
      answerToReset: AnswerToReset.contactless(historicalBytes: answer?.historicalBytes ?? []), protocolName: "T=CL")
  }

  private static func card(at device: ACR122Device, within timeout: Duration) throws(LinkError) -> PN532Initiator.Card {
    let end = ContinuousClock.now + timeout
    for command in PN532Initiator.preparation { _ = try device.run(command) }
    while true {
      if let found = PN532Initiator.card(in: try device.run(PN532Initiator.list)) { return found }
      guard ContinuousClock.now < end else {
        throw LinkError(.timedOut, "no card came to \(device.reader) within \(timeout)")
      }
      Thread.sleep(forTimeInterval: pauseBetweenLooks)
    }
  }

  deinit {
    if failure == nil { device.release() }
  }

  /// Sends a command to the card.
  ///
  /// - Parameters:
  ///   - command: 1 to `ACR122Device.maximumCommandCount` octets.
  ///   - response: Room for the response.
  /// - Returns: The length of the response, at least 2.
  /// - Throws: `LinkError`: `.cardRemoved`, `.timedOut`, `.transmissionFailed` for a command that is too long; the
  ///   channel is closed after any of them: a card that was late is out of step.
  public mutating func transmit(
    _ command: Span<UInt8>, into response: inout MutableRawSpan
  ) throws(LinkError) -> Int {
    if let failure { throw failure }
    do throws(LinkError) {
      let octets = try answered(command.array)
      guard octets.count <= response.byteCount else {
        throw LinkError(
          .transmissionFailed, "a response of \(octets.count) octets: the room for it is \(response.byteCount)")
      }
      response.copy(octets.span, to: 0)
      return octets.count
    } catch {
      leave(because: error)
      throw error
    }
  }

  private func answered(_ command: [UInt8]) throws(LinkError) -> [UInt8] {
    guard (1...ACR122Device.maximumCommandCount).contains(command.count) else {
      throw LinkError(
        .transmissionFailed,
        """
        a command of \(command.count) octets: reader "\(device.reader)" takes 1 to \(ACR122Device.maximumCommandCount)
        """)
    }
    let end = ContinuousClock.now + responseTimeout
    var answer = try exchanged(command, until: end)
    var octets = answer.dropFirst()
    while let status = answer.first, PN532Initiator.hasMore(status) {
      guard answer.count > 1, octets.count < ResponseAPDU.maximumCount else {
        throw LinkError(.protocolViolation, "the card's response has no end")
      }
      answer = try exchanged([], until: end)
      octets += answer.dropFirst()
    }
    guard octets.count >= 2 else {
      throw LinkError(.protocolViolation, "the card's response has fewer than 2 octets")
    }
    return Array(octets)
  }

  /// One answer of the chip with its status octet, which tells of no failure.
  private func exchanged(_ octets: [UInt8], until end: ContinuousClock.Instant) throws(LinkError) -> [UInt8] {
    let answer = try device.run(
      ACR122Request(PN532Initiator.exchange + octets), timeout: max(end - .now, .zero))
    guard let status = answer.first else {
      throw LinkError(.protocolViolation, "reader \"\(device.reader)\": its chip's answer has no status")
    }
    if let code = PN532Initiator.failure(status) {
      throw LinkError(
        code, "the card did not answer, or not by the protocol (PN532 status \([status & 0x3F].hex))")
    }
    return answer
  }

  /// Releases the card and switches the field off.
  public mutating func close() {
    leave(because: LinkError(.cardRemoved, "the channel to the card is closed; open a new one"))
  }

  private mutating func leave(because reason: LinkError) {
    guard failure == nil else { return }
    failure = reason
    device.release()
  }
}
