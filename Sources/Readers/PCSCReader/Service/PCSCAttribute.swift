#if PCSC
  internal import CPCSC
  internal import Octets

  /// An attribute of a reader, as PC/SC part 3, 3.1.2 numbers them.
  struct PCSCAttribute: Hashable, Sendable {
    let value: DWORD

    /// The channel of the reader: for USB 0020, and a byte each for the bus and the device. `SCARD_ATTR_CHANNEL_ID`.
    static let channel = PCSCAttribute(value: 0x0002_0110)
    /// The version of the reader: for libccid bcdDevice in the upper half. `SCARD_ATTR_VENDOR_IFD_VERSION`.
    static let version = PCSCAttribute(value: 0x0001_0102)
  }

  extension PCSCDirectReader {
    /// Reads an attribute of the reader. Wraps `SCardGetAttrib`.
    ///
    /// - Throws: `PCSCError`, `.unsupportedFeature` or another error when the driver does not have the attribute.
    borrowing func attribute(_ attribute: PCSCAttribute) throws(PCSCError) -> [UInt8] {
      var octets = [UInt8](repeating: 0, count: 264)
      var count = DWORD(octets.count)
      // The library is given the length of the buffer, and returns the length that it has written.
      try check(unsafe SCardGetAttrib(connection.handle, attribute.value, &octets, &count))
      return Array(octets.prefix(Int(clamping: count)))
    }

    /// The number of an attribute of 4 bytes, the least significant first; nil when the driver does not have it.
    borrowing func number(_ attribute: PCSCAttribute) -> UInt32? {
      guard let octets = try? self.attribute(attribute), octets.count >= 4 else { return nil }
      return octets.prefix(4).reversed().reduce(0) { $0 << 8 | UInt32($1) }
    }
  }
#endif
