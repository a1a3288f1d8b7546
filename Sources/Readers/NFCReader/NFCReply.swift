/// The response of `tap-nfc` to a request.
package enum NFCReply: NFCMessage {
  /// The request is done.
  case done
  /// The device is open.
  case opened(name: String)
  /// The connection strings of the devices that were found.
  case devices([String])
  /// A card of type A is selected. The ATS is without its length byte.
  case card(identifier: [UInt8], answerToSelect: [UInt8])
  /// A card of type B is selected. The historical bytes are those of the ATR that PC/SC makes of its ATQB.
  case cardOfTypeB(identifier: [UInt8], historicalBytes: [UInt8])
  /// Cards of both types are in the field, and none is selected.
  case severalCards
  /// No card is in the field.
  case noCard
  /// A card's response, or a terminal's command.
  case octets([UInt8])
  /// The terminal has deselected the card, or switched its field off.
  case released(isDeselected: Bool)
  /// The request failed.
  case failed(NFCFailure)
}

/// Why a request to `tap-nfc` failed.
package struct NFCFailure: Error, Codable, Equatable, Sendable {
  /// The kind of failure.
  package enum Code: String, Codable, Sendable {
    /// The program was built without libnfc.
    case builtWithoutLibNFC
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
