/// SW1-SW2, the last two bytes of a response (ISO/IEC 7816-4:2013, 5.6). Every value is kept.
public struct StatusWord: RawRepresentable, Hashable, Sendable, CustomStringConvertible {
  /// SW1 in the high byte, SW2 in the low one.
  public let rawValue: UInt16

  /// Creates a status word from its two bytes.
  @inlinable
  public init(rawValue: UInt16) {
    self.rawValue = rawValue
  }

  /// The meaning of a status word, with the number that some values carry.
  public enum Meaning: Equatable, Sendable {
    /// 9000.
    case normal
    /// 61xx: the number of bytes still available, where 00 means 256.
    case bytesRemaining(Int)
    /// 62xx, and 63xx other than 63Cx: executed with a warning.
    case warning
    /// 63Cx: a counter, such as the tries left after a wrong PIN, 0...15.
    case counter(Int)
    /// 6Cxx: wrong Le, with the number of bytes available, where 00 means 256.
    case wrongLength(available: Int)
    /// Other values from 64xx to 6Fxx.
    case error
    /// Any other value: proprietary, or not a status word of the standard.
    case other
  }

  /// The meaning of the status word.
  public var meaning: Meaning {
    let low = Int(rawValue & 0xFF)
    switch rawValue {
    case 0x9000: return .normal
    case 0x6100...0x61FF: return .bytesRemaining(low == 0 ? 256 : low)
    case 0x63C0...0x63CF: return .counter(low & 0x0F)
    case 0x6200...0x63FF: return .warning
    case 0x6C00...0x6CFF: return .wrongLength(available: low == 0 ? 256 : low)
    case 0x6400...0x6FFF: return .error
    default: return .other
    }
  }

  /// Creates the status word of a meaning that carries a number, or nil when the number is out of range.
  public init?(_ meaning: Meaning) {
    switch meaning {
    case .normal: self = .ok
    case .bytesRemaining(let count) where (1...256).contains(count):
      self.init(rawValue: 0x6100 | UInt16(count & 0xFF))
    case .counter(let count) where (0...15).contains(count): self.init(rawValue: 0x63C0 | UInt16(count))
    case .wrongLength(let count) where (1...256).contains(count): self.init(rawValue: 0x6C00 | UInt16(count & 0xFF))
    default: return nil
    }
  }

  /// Whether the command was executed without warning.
  @inlinable
  public var isOK: Bool { rawValue == 0x9000 }

  /// Four hexadecimal digits.
  public var description: String {
    let digits = String(rawValue, radix: 16, uppercase: true)
    return String(repeating: "0", count: 4 - digits.count) + digits
  }
}
