internal import Links

/// The escape commands of an ACR122U (ACS, ACR122U Application Programming Interface 2.04): pseudo-APDUs that the
/// reader itself answers. Direct Transmit carries one command to its PN532 and the chip's response back:
///
/// ```
/// FF 00 00 00 Lc  D4 code parameters…      at most 255 bytes from D4 on, since Lc is one byte
/// D5 code+1 data…  90 00                   or 63 00, 63 01, 63 27 when the chip did not answer
/// ```
enum ACR122Frame {
  /// The longest command of the chip, in bytes, with its code and without D4.
  static let maximumCommandCount = 254

  /// FF 00 50 reads the PICC operating parameter: the card types that the reader searches for, and in bit 8 whether it
  /// searches by itself. The response is 90 and the parameter.
  static let getOperatingParameter: [UInt8] = [0xFF, 0x00, 0x50, 0x00, 0x00]

  /// FF 00 51 sets the PICC operating parameter.
  static func setOperatingParameter(_ value: UInt8) -> [UInt8] { [0xFF, 0x00, 0x51, value, 0x00] }

  /// The bit of the parameter that makes the reader search for cards by itself.
  static let polls: UInt8 = 0x80

  /// FF 00 41 limits the reader's wait for its chip to 5 s. Without it some firmware waits for more than 5 min and
  /// accepts no command in that time.
  static let limitWait: [UInt8] = [0xFF, 0x00, 0x41, 0x01, 0x00]

  /// FF C0 fetches a response that the reader has announced with 61xx.
  static func getResponse(_ count: UInt8) -> [UInt8] { [0xFF, 0xC0, 0x00, 0x00, count] }

  /// Direct Transmit of a command; one of more than `maximumCommandCount` bytes traps.
  static func transmit(_ command: [UInt8]) -> [UInt8] {
    precondition((1...maximumCommandCount).contains(command.count), "Direct Transmit takes 1 to 254 bytes after D4")
    return [0xFF, 0x00, 0x00, 0x00, UInt8(command.count + 1), 0xD4] + command
  }

  /// The reader's response to Direct Transmit.
  enum Answer: Equatable {
    /// The chip's data, without D5 and the response code.
    case data([UInt8])
    /// 61xx: this number of bytes must be fetched.
    case announced(UInt8)
    /// 63 00 or 63 01: the chip did not answer within the reader's limit.
    case silent
    /// Any other response.
    case refused
  }

  /// Reads a response to a command.
  static func answer(_ octets: [UInt8], to command: [UInt8]) -> Answer {
    guard octets.count >= 2, let code = command.first else { return .refused }
    let status = (octets[octets.count - 2], octets[octets.count - 1])
    switch (octets.count, status) {
    case (2, (0x61, let count)): return .announced(count)
    case (2, (0x63, 0x00)), (2, (0x63, 0x01)): return .silent
    case (4..., (0x90, 0x00)) where octets[0] == 0xD5 && octets[1] == code + 1:
      return .data(Array(octets[2..<octets.count - 2]))
    default: return .refused
    }
  }
}
