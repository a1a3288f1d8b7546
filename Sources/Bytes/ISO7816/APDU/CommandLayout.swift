/// The seven shapes of a command APDU (ISO/IEC 7816-3:2006, 12.1.3).
public enum APDUCase: String, CaseIterable, Sendable {
  /// Header only.
  case case1 = "1"
  /// Header and a short Le.
  case case2Short = "2S"
  /// Header, short Lc and data.
  case case3Short = "3S"
  /// Header, short Lc, data and a short Le.
  case case4Short = "4S"
  /// Header and an extended Le.
  case case2Extended = "2E"
  /// Header, extended Lc and data.
  case case3Extended = "3E"
  /// Header, extended Lc, data and an extended Le.
  case case4Extended = "4E"
}

/// The places of the parts of a command APDU. It holds no bytes, so it can be copied on the byte path without cost.
///
/// ```
///        | CLA INS P1 P2 |        Lc        |   data   |      Le       |
/// short  |       4       | -  or 1 (1-255)  | Lc       | - or 1 (0=256)|
/// ext.   |       4       | -  or 00 + 2     | Lc       | - or 2 (0=65536), 3 with its 00 when there is no Lc |
/// ```
public struct CommandLayout: Equatable, Sendable {
  /// The shape.
  public let apduCase: APDUCase
  /// The offset of the command data, or the length of the header when there are no data.
  public let dataOffset: Int
  /// Nc, the number of bytes of command data: 0...65535.
  public let dataCount: Int
  /// Ne, the maximum number of response bytes: 0 (no Le), 1...65536.
  public let expectedLength: Int

  @usableFromInline
  init(_ apduCase: APDUCase, dataOffset: Int = 4, dataCount: Int = 0, expectedLength: Int = 0) {
    self.apduCase = apduCase
    self.dataOffset = dataOffset
    self.dataCount = dataCount
    self.expectedLength = expectedLength
  }

  /// Classifies a command.
  ///
  /// - Throws: `APDUError` for bytes that have none of the seven forms.
  @inlinable
  public init(parsing command: Span<UInt8>) throws(APDUError) {
    let count = command.count
    guard count >= 4 else { throw APDUError(.tooShort(minimum: 4), count: count) }
    if count == 4 {
      self.init(.case1)
    } else if count == 5 {
      self.init(.case2Short, expectedLength: command[4] == 0 ? 256 : Int(command[4]))
    } else if command[4] != 0 {
      try self.init(short: command)
    } else {
      try self.init(extended: command)
    }
  }

  @usableFromInline
  init(short command: Span<UInt8>) throws(APDUError) {
    let stated = Int(command[4])
    let following = command.count - 5
    if following == stated {
      self.init(.case3Short, dataOffset: 5, dataCount: stated)
    } else if following == stated + 1 {
      let le = command[command.count - 1]
      self.init(.case4Short, dataOffset: 5, dataCount: stated, expectedLength: le == 0 ? 256 : Int(le))
    } else {
      throw APDUError(.lengthMismatch(stated: stated, following: following), count: command.count)
    }
  }

  @usableFromInline
  init(extended command: Span<UInt8>) throws(APDUError) {
    let count = command.count
    guard count >= 7 else { throw APDUError(.truncatedLength, count: count) }
    let stated = Int(command[5]) << 8 | Int(command[6])
    let following = count - 7
    if following == 0 {
      self.init(.case2Extended, expectedLength: stated == 0 ? 65536 : stated)
    } else if stated == 0 {
      throw APDUError(.zeroLength, count: count)
    } else if following == stated {
      self.init(.case3Extended, dataOffset: 7, dataCount: stated)
    } else if following == stated + 2 {
      let le = Int(command[count - 2]) << 8 | Int(command[count - 1])
      self.init(.case4Extended, dataOffset: 7, dataCount: stated, expectedLength: le == 0 ? 65536 : le)
    } else {
      throw APDUError(.lengthMismatch(stated: stated, following: following), count: count)
    }
  }
}
