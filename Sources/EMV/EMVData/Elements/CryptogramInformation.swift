/// CID, tag 9F27: the cryptogram's type, whether the card requires an advice, and the reason (EMV 4.4 Book 3, table
/// 15).
public struct CryptogramInformation: Hashable, Sendable {
  /// The byte.
  public let rawValue: UInt8

  /// Creates information from its byte.
  public init(rawValue: UInt8) {
    self.rawValue = rawValue
  }

  /// The cryptogram's type; nil for the reserved value.
  public var type: CryptogramType? { CryptogramType(cryptogramInformationData: rawValue) }

  /// Whether the card requires an advice (bit 4).
  public var wantsAdvice: Bool { rawValue & 0x08 != 0 }

  /// The type, then the other bits that are set.
  public var words: [String] {
    var words = [type?.rawValue ?? "reserved type"]
    if rawValue & 0x30 != 0 { words.append("payment system specific cryptogram \(rawValue >> 4 & 0x03)") }
    if wantsAdvice { words.append("advice required") }
    if rawValue & 0x07 != 0 { words.append(Self.reasons[rawValue & 0x07] ?? "RFU (\(rawValue & 0x07))") }
    return words
  }

  private static let reasons: [UInt8: String] = [
    1: "service not allowed", 2: "PIN try limit exceeded", 3: "issuer authentication failed",
  ]
}
