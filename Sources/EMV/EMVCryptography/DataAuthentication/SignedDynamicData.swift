internal import Ciphers

/// Signed dynamic application data, tag 9F4B or the response to INTERNAL AUTHENTICATE: the card's signature over data of this
/// payment (EMV 4.4 Book 2, 6.5 and 6.6; Book C-3, fDDA).
public struct SignedDynamicData: Hashable, Sendable {
  /// The forms of a signature.
  public enum Form: Hashable, Sendable {
    /// Format 05: DDA and CDA.
    case standard
    /// Format 05 or 95: fDDA of kernel 3. Cards use 95 with an online cryptogram, but not all of them.
    case fast

    fileprivate func has(_ format: UInt8) -> Bool { format == 0x05 || self == .fast && format == 0x95 }
  }

  /// The ICC dynamic data, at least one byte: its first byte is the length of the ICC dynamic number.
  public let content: [UInt8]
  /// The ICC dynamic number, tag 9F4C, 2 to 8 bytes.
  public let dynamicNumber: [UInt8]

  /// The bytes of a signature besides the dynamic data: format, algorithm, length and hash.
  private static let overhead = 3 + SHA1.count

  /// Recovers and checks a signature: one exponentiation.
  ///
  /// - Parameters:
  ///   - signature: The signature.
  ///   - form: The permitted formats.
  ///   - card: The certificate of the card.
  ///   - terminalData: What the hash covers after the dynamic data: the values of the DDOL for DDA, tag 9F37 for CDA, and
  ///     `fastTerminalData` for fDDA.
  public init(
    _ signature: [UInt8], _ form: Form = .standard, card: CardCertificate, terminalData: [UInt8]
  ) throws(AuthenticationFailure) {
    let recovered = try card.key.recover(signature, as: .dynamicData)
    guard form.has(recovered[0]) else { throw .format(.dynamicData) }
    guard recovered[1] == 0x01 else { throw .algorithm(.dynamicData) }
    let covered = Array(recovered.dropLast(SHA1.count))
    guard SHA1.digest(of: covered, terminalData) == Array(recovered.suffix(SHA1.count)) else {
      throw .hash(.dynamicData)
    }
    let count = Int(recovered[2])
    guard (1...recovered.count - Self.overhead).contains(count) else { throw .dynamicData }
    content = Array(recovered[3..<3 + count])
    let numberCount = Int(content[0])
    guard (2...8).contains(numberCount), numberCount < count else { throw .dynamicData }
    dynamicNumber = Array(content[1...numberCount])
  }

  /// What the hash of fDDA covers of the terminal and the card.
  ///
  /// - Parameters:
  ///   - unpredictableNumber: Tag 9F37, four bytes.
  ///   - amount: Tag 9F02, six bytes.
  ///   - currency: Tag 5F2A, two bytes.
  ///   - cardData: Tag 9F69, the whole value.
  public static func fastTerminalData(
    unpredictableNumber: [UInt8], amount: [UInt8], currency: [UInt8], cardData: [UInt8]
  ) -> [UInt8] { unpredictableNumber + amount + currency + cardData }
}
