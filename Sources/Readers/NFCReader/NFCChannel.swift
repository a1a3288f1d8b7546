internal import ISO7816
public import Links
internal import Octets

/// A card in the field of an NFC device. Letting go of the channel releases the card and switches the field off.
public struct NFCChannel: ~Copyable, CardChannel {
  /// What the card said of itself: the ATR that a PC/SC reader would make up of its historical bytes.
  public let identity: CardIdentity
  /// The card's UID, 4, 7 or 10 octets; random for a phone.
  public let cardIdentifier: [UInt8]

  /// A chip looks for a few milliseconds; a person does not notice the time between.
  private static let pauseBetweenLooks = Duration.milliseconds(20)

  private let device: NFCDevice
  private let responseTimeout: Duration
  private var failure: LinkError?

  /// Waits for a card of ISO/IEC 14443 type A with ISO-DEP. Blocks.
  ///
  /// - Parameters:
  ///   - device: The device, in no other use.
  ///   - timeout: How long to wait for the card.
  ///   - responseTimeout: How long the card may take for one response, 1 ms to 1 h.
  /// - Throws: `LinkError`: `.timedOut` without a card, `.readerUnavailable`, `.serviceUnavailable`.
  public init(
    _ device: NFCDevice, timeout: Duration, responseTimeout: Duration = .seconds(10)
  ) throws(LinkError) {
    let end = ContinuousClock.now + timeout
    var found: (identifier: [UInt8], answer: [UInt8])?
    while true {
      if case .card(let identifier, let answer) = try device.process.asked(.select, timeout: NFCDevice.patience) {
        found = (identifier, answer)
      }
      if found != nil || ContinuousClock.now >= end { break }
      pause(for: Self.pauseBetweenLooks)
    }
    guard let found else {
      throw LinkError(.timedOut, "no card came to \(device.name) within \(timeout)")
    }
    self.device = device
    self.responseTimeout = min(max(responseTimeout, .milliseconds(1)), .seconds(3600))
    cardIdentifier = found.identifier
    identity = CardIdentity(
      answerToReset: AnswerToReset.contactless(historicalBytes: Self.historicalBytes(found.answer)),
      protocolName: "T=CL")
  }

  private static func historicalBytes(_ answer: [UInt8]) -> [UInt8] {
    let whole = [UInt8(truncatingIfNeeded: answer.count + 1)] + answer
    return (try? AnswerToSelect(parsing: whole.span))?.historicalBytes ?? []
  }

  deinit {
    if failure == nil { _ = try? device.process.asked(.release, timeout: NFCDevice.patience) }
  }

  /// Sends a command to the card.
  ///
  /// - Parameters:
  ///   - command: At most `NFCDevice.maximumCommandCount` octets.
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
    guard command.count <= NFCDevice.maximumCommandCount else {
      throw LinkError(
        .transmissionFailed,
        "a command of \(command.count) octets: the limit of libnfc and its chips is \(NFCDevice.maximumCommandCount)")
    }
    let milliseconds = UInt32(clamping: responseTimeout.wholeMilliseconds)
    let reply = try device.process.asked(
      .transceive(milliseconds: milliseconds, command: command), timeout: responseTimeout + NFCDevice.patience)
    guard case .octets(let octets) = reply, octets.count >= 2 else {
      throw LinkError(.protocolViolation, "the card's response has fewer than 2 octets")
    }
    return octets
  }

  /// Releases the card and switches the field off.
  public mutating func close() {
    leave(because: LinkError(.cardRemoved, "the channel to the card is closed; open a new one"))
  }

  private mutating func leave(because reason: LinkError) {
    guard failure == nil else { return }
    failure = reason
    _ = try? device.process.asked(.release, timeout: NFCDevice.patience)
  }
}
