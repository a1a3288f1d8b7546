internal import Octets

/// A command APDU as a value, for terminals, tools and tests. The card's byte path uses `CommandLayout`.
public struct CommandAPDU: Hashable, Sendable {
  /// The form of the length fields.
  public enum Form: Sendable {
    /// One byte: Nc to 255, Ne to 256.
    case short
    /// Three bytes, or two after data: Nc to 65535, Ne to 65536.
    case extended
  }

  /// The largest Nc of an extended command.
  public static let maximumDataCount = 65535

  /// The class byte.
  public let cla: UInt8
  /// The instruction byte.
  public let ins: UInt8
  /// The first parameter.
  public let p1: UInt8
  /// The second parameter.
  public let p2: UInt8
  /// The command data; empty for cases 1 and 2.
  public let data: [UInt8]
  /// Ne: nil without Le, else 1...256 or 1...65536.
  public let expectedLength: Int?
  /// The form of the length fields.
  public let form: Form

  /// Composes a command, in the short form where it fits.
  ///
  /// - Throws: `APDUError` when the data or the expected length exceed the form's limits.
  public init(
    cla: UInt8, ins: UInt8, p1: UInt8, p2: UInt8, data: [UInt8] = [], expectedLength: Int? = nil, form: Form? = nil
  ) throws(APDUError) {
    let fits = data.count <= 255 && (expectedLength ?? 1) <= 256
    let form = form ?? (fits ? .short : .extended)
    let dataLimit = form == .short ? 255 : Self.maximumDataCount
    let lengthLimit = form == .short ? 256 : 65536
    guard data.count <= dataLimit else { throw APDUError(.dataTooLong(limit: dataLimit), count: data.count) }
    if let expected = expectedLength, !(1...lengthLimit).contains(expected) {
      throw APDUError(.expectedLengthOutOfRange(expected, limit: lengthLimit), count: data.count)
    }
    self.init(checked: cla, ins, p1, p2, data, expectedLength, form)
  }

  init(
    checked cla: UInt8, _ ins: UInt8, _ p1: UInt8, _ p2: UInt8, _ data: [UInt8], _ expectedLength: Int?, _ form: Form
  ) {
    self.cla = cla
    self.ins = ins
    self.p1 = p1
    self.p2 = p2
    self.data = data
    self.expectedLength = expectedLength
    // A header alone has no length field and so no form.
    self.form = data.isEmpty && expectedLength == nil ? .short : form
  }

  /// Reads a command from the wire; `encoded` returns the same bytes.
  public init(parsing octets: Span<UInt8>) throws(APDUError) {
    let layout = try CommandLayout(parsing: octets)
    let extended = [.case2Extended, .case3Extended, .case4Extended].contains(layout.apduCase)
    let data = octets.extracting(layout.dataOffset..<layout.dataOffset + layout.dataCount).array
    let expected = layout.expectedLength == 0 ? nil : layout.expectedLength
    self.init(checked: octets[0], octets[1], octets[2], octets[3], data, expected, extended ? .extended : .short)
  }

  /// The bytes for the wire.
  public var encoded: [UInt8] {
    var octets = [cla, ins, p1, p2]
    switch form {
    case .short:
      if !data.isEmpty { octets.append(UInt8(data.count)) }
      octets += data
      if let expected = expectedLength { octets.append(UInt8(truncatingIfNeeded: expected)) }
    case .extended:
      octets.append(0)
      if !data.isEmpty { octets += [UInt8(data.count >> 8), UInt8(data.count & 0xFF)] }
      octets += data
      if let expected = expectedLength {
        octets += [UInt8(truncatingIfNeeded: expected >> 8), UInt8(truncatingIfNeeded: expected)]
      }
    }
    return octets
  }

  /// The same command with another expected length, for a card that answered 6Cxx (ISO/IEC 7816-4, 5.6).
  public func with(expectedLength: Int) -> CommandAPDU {
    CommandAPDU(checked: cla, ins, p1, p2, data, expectedLength, expectedLength > 256 ? .extended : form)
  }
}
