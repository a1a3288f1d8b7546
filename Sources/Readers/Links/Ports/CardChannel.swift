public import ISO7816
internal import Octets

/// The port of a terminal: sends one command to a card and receives one response. Blocks; never call it on the
/// cooperative pool.
public protocol CardChannel: ~Copyable {
  /// The card's identity.
  var identity: CardIdentity { get }

  /// Sends a command and waits for the response.
  ///
  /// - Parameters:
  ///   - command: The command, encoded.
  ///   - response: Room for the response; `shortResponseCapacity` serves every short command.
  /// - Returns: The length of the response, at least 2.
  /// - Throws: `LinkError`. The channel is closed after any error except `.recordingDiffers`.
  mutating func transmit(_ command: Span<UInt8>, into response: inout MutableRawSpan) throws(LinkError) -> Int

  /// Closes the channel: the card is reset, or the field is switched off. Further calls do nothing.
  mutating func close()
}

/// What a reader knows about a card before the first command.
public struct CardIdentity: Equatable, Sendable {
  /// The answer to reset, from the card or constructed by the reader; empty for a card without one.
  public let answerToReset: [UInt8]
  /// The protocol in use, such as `T=1` or `T=CL`.
  public let protocolName: String

  /// Creates an identity.
  public init(answerToReset: [UInt8] = [], protocolName: String) {
    self.answerToReset = answerToReset
    self.protocolName = protocolName
  }
}

extension CardChannel where Self: ~Copyable {
  /// Sends a command and returns the response without change, also with the status words 61xx and 6Cxx.
  ///
  /// - Throws: `LinkError`, `.protocolViolation` for a response of fewer than 2 bytes.
  public mutating func exchange(_ command: CommandAPDU) throws(LinkError) -> ResponseAPDU {
    let room = command.form == .short ? shortResponseCapacity : ResponseAPDU.maximumCount
    var buffer = [UInt8](repeating: 0, count: room)
    let octets = command.encoded
    let count = try buffer.withMutableOctets { (room) throws(LinkError) in
      try transmit(octets.span, into: &room)
    }
    return try ResponseAPDU(received: buffer.span.extracting(0..<count))
  }
}

extension ResponseAPDU {
  /// Reads the response of a card.
  ///
  /// - Throws: `LinkError` for fewer than 2 bytes; see `LinkError.shortResponse`.
  package init(received octets: Span<UInt8>) throws(LinkError) {
    do throws(APDUError) {
      try self.init(parsing: octets)
    } catch {
      throw octets.count < 2
        ? .shortResponse(of: octets.count) : LinkError(.protocolViolation, "the card's response is invalid: \(error)")
    }
  }
}

extension LinkError {
  /// The error for a response without a status word. A response of 0 bytes is that of a card which left during the
  /// command, `.transmissionFailed`, on every link, so that the tap can be tried again; one byte is a
  /// `.protocolViolation`.
  package static func shortResponse(of count: Int, at reader: String? = nil) -> LinkError {
    let place = reader.map { "reader \"\($0)\": " } ?? ""
    guard count > 0 else {
      return LinkError(.transmissionFailed, "\(place)the card gave no response; hold it at the reader until the end")
    }
    return LinkError(.protocolViolation, "\(place)the card gave a response of \(count.bytes); the shortest has 2")
  }
}
