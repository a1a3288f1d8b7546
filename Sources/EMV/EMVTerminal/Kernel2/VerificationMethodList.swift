public import EMVData
internal import Octets

/// How kernel 2 verifies the cardholder in EMV mode (EMV 4.4 Book 3, 10.5). That a device which verifies its holder
/// needs no list, and the results `010002` above the CVM required limit and `3F0002` up to it, are from open terminals;
/// `010002` with AIP 1B80 is confirmed by a public record of a phone's payment.
public enum VerificationMethodList {
  /// What a rule may look at.
  public struct Context: Hashable, Sendable {
    /// Tag 9F02 in minor units.
    public var amount: UInt64
    /// Whether amount and application have the same currency: tags 5F2A and 9F42.
    public var isApplicationCurrency: Bool
    /// Tag 9C.
    public var type: TransactionType
    /// Whether tag 9F03 is above zero.
    public var hasCashback: Bool
    /// Whether nobody attends the terminal: tag 9F35, second digit 4 to 6.
    public var isUnattended: Bool
    /// Byte 2 of tag 9F33.
    public var capability: UInt8

    /// Creates a context.
    public init(
      amount: UInt64, isApplicationCurrency: Bool = true, type: TransactionType = .purchase, hasCashback: Bool = false,
      isUnattended: Bool = false, capability: UInt8
    ) {
      self.amount = amount
      self.isApplicationCurrency = isApplicationCurrency
      self.type = type
      self.hasCashback = hasCashback
      self.isUnattended = isUnattended
      self.capability = capability
    }
  }

  /// What was chosen.
  public struct Choice: Hashable, Sendable {
    /// The method.
    public let method: VerificationMethod
    /// Tag 9F34: method, condition, result.
    public let results: [UInt8]
    /// The bits for tag 95.
    public let verificationResults: TerminalVerificationResults

    init(_ method: VerificationMethod, _ results: [UInt8], _ bits: TerminalVerificationResults = .init()) {
      self.method = method
      self.results = results
      verificationResults = bits
    }
  }

  /// A device that verifies its holder.
  public static func onDevice(isRequired: Bool) -> Choice {
    isRequired ? Choice(.consumerDevice, [0x01, 0x00, 0x02]) : Choice(.none, [0x3F, 0x00, 0x02])
  }

  /// An application that knows no verification: AIP byte 1 bit 5 is zero (10.5).
  public static var notSupported: Choice { Choice(.none, [0x3F, 0x00, 0x00]) }

  /// Goes through tag 8E.
  ///
  /// - Parameters:
  ///   - list: The value, or nil when the card gave none.
  ///   - context: What the conditions of its rules are asked of.
  /// - Returns: The first rule that fits and succeeds; nil when the list is malformed.
  public static func choose(_ list: [UInt8]?, _ context: Context) -> Choice? {
    guard let list, !list.isEmpty else { return Choice(.none, [0x3F, 0x00, 0x00], .cardDataMissing) }
    guard list.count >= 8, list.count % 2 == 0 else { return nil }
    // Without a rule there is nothing to go by (10.5: as if there were no list).
    guard list.count > 8 else { return Choice(.none, [0x3F, 0x00, 0x00], .cardDataMissing) }
    let amounts = (UInt64(bigEndian: list[0..<4]) ?? 0, UInt64(bigEndian: list[4..<8]) ?? 0)
    var bits = TerminalVerificationResults()
    for index in stride(from: 8, to: list.count, by: 2) {
      let (code, condition) = (list[index], list[index + 1])
      guard holds(condition, code, amounts, context) else { continue }
      if let method = method(code, context.capability) { return success(method, code, condition, bits) }
      if !known.contains(code & 0x3F) { bits.insert(.verificationNotRecognised) }
      // Bit 7: another rule may follow.
      guard code & 0x40 != 0, index + 2 < list.count else {
        bits.insert(.verificationFailed)
        return Choice(.none, [code, condition, 0x01], bits)
      }
    }
    bits.insert(.verificationFailed)
    return Choice(.none, [0x3F, 0x00, 0x01], bits)
  }

  private static func success(
    _ method: VerificationMethod, _ code: UInt8, _ condition: UInt8, _ bits: TerminalVerificationResults
  ) -> Choice {
    var bits = bits
    if method == .onlinePIN { bits.insert(.onlinePINEntered) }
    // A signature and an online PIN are not yet known to be right: result 00, unknown.
    return Choice(method, [code, condition, method == .none ? 0x02 : 0x00], bits)
  }

  // EMV 4.4 Book 3, table 43. Offline PINs are known, but no contactless terminal can do them.
  private static let known: Set<UInt8> = [0x00, 0x01, 0x02, 0x03, 0x04, 0x05, 0x1E, 0x1F]

  // Byte 2 of tag 9F33: bit 7 online PIN, bit 6 signature, bit 4 no CVM.
  private static func method(_ code: UInt8, _ capability: UInt8) -> VerificationMethod? {
    switch code & 0x3F {
    case 0x02 where capability & 0x40 != 0: .onlinePIN
    case 0x1E where capability & 0x20 != 0: .signature
    case 0x1F where capability & 0x08 != 0: VerificationMethod.none
    default: nil
    }
  }

  // EMV 4.4 Book 3, table 44. A condition that is not known does not hold.
  private static func holds(
    _ condition: UInt8, _ code: UInt8, _ amounts: (x: UInt64, y: UInt64), _ context: Context
  ) -> Bool {
    let isCash = [0x01, 0x17].contains(context.type.rawValue)
    switch condition {
    case 0x00: return true
    case 0x01: return isCash && context.isUnattended
    case 0x02: return !isCash && !context.hasCashback
    // The rule is passed over when the terminal cannot do the method.
    case 0x03: return method(code, context.capability) != nil || !known.contains(code & 0x3F)
    case 0x04: return isCash && !context.isUnattended
    case 0x05: return context.hasCashback
    case 0x06: return context.isApplicationCurrency && context.amount < amounts.x
    case 0x07: return context.isApplicationCurrency && context.amount > amounts.x
    case 0x08: return context.isApplicationCurrency && context.amount < amounts.y
    case 0x09: return context.isApplicationCurrency && context.amount > amounts.y
    default: return false
    }
  }
}
