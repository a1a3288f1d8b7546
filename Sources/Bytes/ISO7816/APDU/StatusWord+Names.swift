internal import Octets

extension StatusWord {
  // Computed and inlined: a stored constant of another module costs a call at each response.

  /// 9000: normal processing.
  @inlinable
  public static var ok: StatusWord { StatusWord(rawValue: 0x9000) }
  /// 6283: selected file deactivated.
  @inlinable
  public static var selectedFileDeactivated: StatusWord { StatusWord(rawValue: 0x6283) }
  /// 6300: verification failed.
  @inlinable
  public static var verificationFailed: StatusWord { StatusWord(rawValue: 0x6300) }
  /// 6581: memory failure.
  @inlinable
  public static var memoryFailure: StatusWord { StatusWord(rawValue: 0x6581) }
  /// 6700: wrong length.
  @inlinable
  public static var wrongLength: StatusWord { StatusWord(rawValue: 0x6700) }
  /// 6984: referenced data invalidated. To a Visa reader: use another interface (Book C-3, 5.4).
  @inlinable
  public static var referencedDataInvalidated: StatusWord { StatusWord(rawValue: 0x6984) }
  /// 6985: conditions of use not satisfied.
  @inlinable
  public static var conditionsNotSatisfied: StatusWord { StatusWord(rawValue: 0x6985) }
  /// 6986: command not allowed. To a Visa reader: see the phone (Book C-3, 5.4).
  @inlinable
  public static var commandNotAllowed: StatusWord { StatusWord(rawValue: 0x6986) }
  /// 6987: a data object of secure messaging is missing.
  @inlinable
  public static var secureMessagingDataMissing: StatusWord { StatusWord(rawValue: 0x6987) }
  /// 6988: a data object of secure messaging is incorrect.
  @inlinable
  public static var secureMessagingDataIncorrect: StatusWord { StatusWord(rawValue: 0x6988) }
  /// 6A80: incorrect data.
  @inlinable
  public static var incorrectData: StatusWord { StatusWord(rawValue: 0x6A80) }
  /// 6A81: function not supported; on SELECT: card blocked.
  @inlinable
  public static var functionNotSupported: StatusWord { StatusWord(rawValue: 0x6A81) }
  /// 6A82: file or application not found.
  @inlinable
  public static var notFound: StatusWord { StatusWord(rawValue: 0x6A82) }
  /// 6A83: record not found.
  @inlinable
  public static var recordNotFound: StatusWord { StatusWord(rawValue: 0x6A83) }
  /// 6A86: incorrect parameters P1-P2.
  @inlinable
  public static var incorrectParameters: StatusWord { StatusWord(rawValue: 0x6A86) }
  /// 6A88: referenced data not found.
  @inlinable
  public static var referencedDataNotFound: StatusWord { StatusWord(rawValue: 0x6A88) }
  /// 6D00: instruction not supported.
  @inlinable
  public static var instructionNotSupported: StatusWord { StatusWord(rawValue: 0x6D00) }
  /// 6E00: class not supported.
  @inlinable
  public static var classNotSupported: StatusWord { StatusWord(rawValue: 0x6E00) }

  /// The meaning of the status word in words (ISO/IEC 7816-4:2013, tables 5 to 7).
  public var text: String {
    switch meaning {
    case .normal: return "normal processing"
    case .bytesRemaining(let count): return "\(count.bytes) available"
    case .counter(let count): return "counter \(count)"
    case .wrongLength(let count): return "wrong Le, \(count.bytes) available"
    case .warning, .error, .other: break
    }
    if let text = Self.texts[rawValue] { return text }
    return Self.families[UInt8(rawValue >> 8)] ?? "proprietary status"
  }

  private static let texts: [UInt16: String] = [
    0x6281: "part of the data may be corrupted", 0x6282: "end of file before Ne bytes",
    0x6283: "selected file deactivated", 0x6300: "verification failed", 0x6400: "execution error",
    0x6581: "memory failure", 0x6700: "wrong length", 0x6881: "logical channel not supported",
    0x6882: "secure messaging not supported", 0x6982: "security status not satisfied",
    0x6983: "authentication method blocked", 0x6984: "referenced data invalidated",
    0x6985: "conditions of use not satisfied", 0x6986: "command not allowed", 0x6987: "secure messaging data missing",
    0x6988: "secure messaging data incorrect", 0x6A80: "incorrect data",
    0x6A81: "function not supported", 0x6A82: "file or application not found", 0x6A83: "record not found",
    0x6A84: "not enough memory", 0x6A86: "incorrect P1-P2", 0x6A88: "referenced data not found",
    0x6D00: "instruction not supported", 0x6E00: "class not supported", 0x6F00: "no precise diagnosis",
  ]

  private static let families: [UInt8: String] = [
    0x62: "warning, state unchanged", 0x63: "warning, state changed", 0x64: "execution error, state unchanged",
    0x65: "execution error, state changed", 0x66: "security-related error", 0x68: "function in CLA not supported",
    0x69: "command not allowed", 0x6A: "wrong parameters", 0x6B: "wrong parameters P1-P2",
  ]
}
