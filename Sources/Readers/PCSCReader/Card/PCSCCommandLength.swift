#if PCSC
  internal import Links
  internal import Octets

  /// From a header alone to the longest command that fits into vpcd's length field of 16 bits. vpcd ejects the card on a
  /// longer one, and takes a message of one byte for a control code.
  private let commandCounts = 4...65_535

  extension Span<UInt8> {
    /// Refuses a command that the virtual reader cannot pass on.
    ///
    /// - Throws: `LinkError.Code.transmissionFailed`.
    func checkPCSCLength() throws(LinkError) {
      guard commandCounts.contains(count) else {
        throw LinkError(
          .transmissionFailed,
          "a command of \(count.bytes): the limits are \(commandCounts.lowerBound) and \(commandCounts.upperBound)")
      }
    }
  }
#endif
