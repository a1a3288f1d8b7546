public import EMVData

/// The cardholder verification of kernels that read a list of methods, tag 8E (EMV 4.4 Book 3, 10.5).
public enum CVMListProcessing {
  /// The values that the conditions of the rules compare.
  public struct Context: Hashable, Sendable {
    /// Tag 9F02 in minor units.
    public var amount: UInt64
    /// Whether amount and application have the same currency: tags 5F2A and 9F42.
    public var isApplicationCurrency = true
    /// Tag 9C.
    public var type = TransactionType.purchase
    /// Whether tag 9F03 is above zero.
    public var hasCashback = false
    /// Whether the terminal is unattended: tag 9F35, second digit 4 to 6.
    public var isUnattended = false
    /// Byte 2 of tag 9F33.
    public var capability: UInt8
  }

  /// The chosen method and what it writes into the terminal's data.
  public struct Choice: Hashable, Sendable {
    /// The method.
    public let method: CardholderVerificationMethod
    /// Tag 9F34: method, condition, result.
    public let results: [UInt8]
    /// The bits for tag 95.
    public let verificationResults: TerminalVerificationResults

    init(_ method: CardholderVerificationMethod, _ results: [UInt8], _ bits: TerminalVerificationResults = []) {
      self.method = method
      self.results = results
      verificationResults = bits
    }
  }

  /// The choice for an application without cardholder verification: AIP byte 1 bit 5 is zero (10.5).
  public static var notSupported: Choice { Choice(.none, [0x3F, 0x00, 0x00]) }

  /// Returns the first rule of tag 8E that applies and succeeds.
  ///
  /// - Parameters:
  ///   - list: Tag 8E, or nil when the card gave none. A list without rules counts as missing (10.5).
  ///   - context: The values that the conditions compare.
  public static func choose(_ list: CardholderVerificationMethodList?, _ context: Context) -> Choice {
    guard let list, !list.rules.isEmpty else { return Choice(.none, [0x3F, 0x00, 0x00], .cardDataMissing) }
    var bits = TerminalVerificationResults()
    for (index, rule) in list.rules.enumerated() {
      guard holds(rule, list, context) else { continue }
      if let method = method(rule, context.capability) { return success(method, rule, bits) }
      if !known.contains(rule.code) { bits.insert(.verificationNotRecognised) }
      guard rule.continues, index + 1 < list.rules.count else {
        bits.insert(.cardholderVerificationFailed)
        return Choice(.none, [rule.method, rule.condition, 0x01], bits)
      }
    }
    bits.insert(.cardholderVerificationFailed)
    return Choice(.none, [0x3F, 0x00, 0x01], bits)
  }

  private static func success(
    _ method: CardholderVerificationMethod, _ rule: CardholderVerificationRule, _ bits: TerminalVerificationResults
  ) -> Choice {
    var bits = bits
    if method == .onlinePIN { bits.insert(.onlineCVMCaptured) }
    // Whether a signature or an online PIN is right is not known yet: result 00.
    return Choice(method, [rule.method, rule.condition, method == .none ? 0x02 : 0x00], bits)
  }

  // EMV 4.4 Book 3, table 43. A contactless terminal recognises offline PINs, but cannot check them.
  private static let known: Set<UInt8> = [0x00, 0x01, 0x02, 0x03, 0x04, 0x05, 0x1E, 0x1F]

  // Byte 2 of tag 9F33: bit 7 online PIN, bit 6 signature, bit 4 no CVM. Nil for a method that the terminal does not
  // have.
  private static func method(
    _ rule: CardholderVerificationRule, _ capability: UInt8
  ) -> CardholderVerificationMethod? {
    switch rule.code {
    case 0x02 where capability & 0x40 != 0: .onlinePIN
    case 0x1E where capability & 0x20 != 0: .signature
    case 0x1F where capability & 0x08 != 0: CardholderVerificationMethod.none
    default: nil
    }
  }

  // EMV 4.4 Book 3, table 44. An unknown condition does not hold.
  private static func holds(
    _ rule: CardholderVerificationRule, _ list: CardholderVerificationMethodList, _ context: Context
  ) -> Bool {
    let isCash = [0x01, 0x17].contains(context.type.rawValue)
    switch rule.condition {
    case 0x00: return true
    case 0x01: return isCash && context.isUnattended
    case 0x02: return !isCash && !context.hasCashback
    // The rule is skipped when the terminal does not have the method.
    case 0x03: return method(rule, context.capability) != nil || !known.contains(rule.code)
    case 0x04: return isCash && !context.isUnattended
    case 0x05: return context.hasCashback
    case 0x06: return context.isApplicationCurrency && context.amount < list.amountX
    case 0x07: return context.isApplicationCurrency && context.amount > list.amountX
    case 0x08: return context.isApplicationCurrency && context.amount < list.amountY
    case 0x09: return context.isApplicationCurrency && context.amount > list.amountY
    default: return false
    }
  }
}

extension CVMListProcessing.Context {
  // capability: byte 2 of tag 9F33.
  init(_ facts: ChipCardData, _ terminal: KernelTerminal, capability: UInt8) {
    let request = terminal.request
    // The second digit is 1 to 6; kernel 4 sets bit 4 for its card.
    let type = (terminal.data[.terminalType]?.first ?? 0) & 0x07
    self.init(
      amount: request.amount.minorUnits, isApplicationCurrency: facts.currency == request.currency.octets,
      type: request.type, hasCashback: request.amountOther?.minorUnits ?? 0 > 0,
      isUnattended: (4...6).contains(type), capability: capability)
  }
}
