/// One frame of the PN532's host link on the High Speed UART (UM0701-02, 6.2.1).
package enum HSUFrame: Equatable, Sendable {
  /// The frame arrived. From the host during a command, it aborts the command.
  case acknowledge
  /// The frame must be sent again.
  case notAcknowledge
  /// The chip's response to a command that it does not know or cannot read.
  case error
  /// A command or a response: the bytes after the frame identifier.
  case information([UInt8])

  /// TFI of frames from the host to the chip.
  package static let hostIdentifier: UInt8 = 0xD4
  /// TFI of frames from the chip to the host.
  package static let chipIdentifier: UInt8 = 0xD5
  /// The longest content: 264 bytes after the frame identifier (UM0701-02, 6.2.1.2).
  package static let maximumCount = 264
  /// The longest content of a normal frame, whose length byte also counts the identifier.
  package static let maximumNormalCount = 254

  /// The bytes of the frame.
  ///
  /// - Parameter identifier: TFI of an information frame. Content of more than 264 bytes traps.
  package func octets(identifier: UInt8 = HSUFrame.chipIdentifier) -> [UInt8] {
    switch self {
    case .acknowledge: [0x00, 0x00, 0xFF, 0x00, 0xFF, 0x00]
    case .notAcknowledge: [0x00, 0x00, 0xFF, 0xFF, 0x00, 0x00]
    case .error: [0x00, 0x00, 0xFF, 0x01, 0xFF, 0x7F, 0x81, 0x00]
    case .information(let content): Self.information(content, identifier)
    }
  }

  private static func information(_ content: [UInt8], _ identifier: UInt8) -> [UInt8] {
    precondition(
      content.count <= maximumCount,
      "a PN532 frame holds at most \(maximumCount) bytes after its identifier, not \(content.count)")
    let count = content.count + 1
    let header: [UInt8]
    if content.count <= maximumNormalCount {
      header = [UInt8(count), 0 &- UInt8(count)]
    } else {
      let (high, low) = (UInt8(count >> 8), UInt8(count & 0xFF))
      header = [0xFF, 0xFF, high, low, 0 &- (high &+ low)]
    }
    let body = [identifier] + content
    return [0x00, 0x00, 0xFF] + header + body + [0 &- body.reduce(0, &+), 0x00]
  }
}
