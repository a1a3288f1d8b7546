/// The response of `tap-nfc` to a request.
package enum NFCReply: Equatable, Sendable {
  /// The request is done.
  case done
  /// The device is open.
  case opened(name: String)
  /// The connection strings of the devices that were found.
  case devices([String])
  /// A card is selected. The ATS is without its length byte.
  case card(identifier: [UInt8], answerToSelect: [UInt8])
  /// No card is in the field.
  case noCard
  /// A card's response, or a terminal's command.
  case octets([UInt8])
  /// The terminal has deselected the card, or switched its field off.
  case released(isDeselected: Bool)
  /// The request failed.
  case failed(NFCFailure)

  private enum Kind: UInt8 {
    case done = 0x81
    case opened, devices, card, noCard, octets, released, failed
  }

  /// Kind and parameters, without the frame.
  package var octets: [UInt8] {
    switch self {
    case .done: [Kind.done.rawValue]
    case .opened(let name): [Kind.opened.rawValue] + name.utf8
    case .devices(let names): [Kind.devices.rawValue] + names.joined(separator: "\n").utf8
    case .card(let identifier, let answer):
      [Kind.card.rawValue, UInt8(truncatingIfNeeded: identifier.count)] + identifier + answer
    case .noCard: [Kind.noCard.rawValue]
    case .octets(let octets): [Kind.octets.rawValue] + octets
    case .released(let isDeselected): [Kind.released.rawValue, isDeselected ? 1 : 0]
    case .failed(let failure): [Kind.failed.rawValue, failure.code.rawValue] + failure.text.utf8
    }
  }

  /// Parses a reply; nil when the bytes are not a reply.
  package init?(_ octets: [UInt8]) {
    guard let first = octets.first, let kind = Kind(rawValue: first) else { return nil }
    let rest = Array(octets.dropFirst())
    switch kind {
    case .done: self = .done
    case .opened: self = .opened(name: String(decoding: rest, as: UTF8.self))
    case .devices: self = .devices(String(decoding: rest, as: UTF8.self).split(separator: "\n").map(String.init))
    case .card:
      guard let count = rest.first.map(Int.init), rest.count > count else { return nil }
      self = .card(identifier: Array(rest[1...count]), answerToSelect: Array(rest[(count + 1)...]))
    case .noCard: self = .noCard
    case .octets: self = .octets(rest)
    case .released:
      guard rest == [0] || rest == [1] else { return nil }
      self = .released(isDeselected: rest == [1])
    case .failed:
      guard let code = rest.first.flatMap(NFCFailure.Code.init(rawValue:)) else { return nil }
      self = .failed(NFCFailure(code, String(decoding: rest.dropFirst(), as: UTF8.self)))
    }
  }
}

/// Why a request to `tap-nfc` failed.
package struct NFCFailure: Error, Equatable, Sendable {
  /// The kind of failure.
  package enum Code: UInt8, Sendable {
    /// The program was built without libnfc.
    case builtWithoutLibNFC = 1
    /// No device has this connection string.
    case noSuchDevice
    /// Another process holds the device.
    case busy
    /// The device was unplugged, or does not answer.
    case device
    /// The card or the terminal did not answer within the time limit.
    case timedOut
    /// The radio link failed: the card or the terminal left.
    case radio
    /// The request was ended by `abort`.
    case aborted
    /// A command or response is too long for the chip.
    case tooLong
    /// The request is not allowed in the present state.
    case misuse
    /// Any other failure.
    case other
  }

  /// The kind of failure.
  package let code: Code
  /// What went wrong and where: a sentence.
  package let text: String

  /// Creates a failure.
  package init(_ code: Code, _ text: String) {
    self.code = code
    self.text = text
  }
}
