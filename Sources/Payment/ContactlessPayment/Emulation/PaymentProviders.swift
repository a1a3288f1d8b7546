/// The registered application providers whose applications pay (ISO/IEC 7816-5). Names of other providers, such as
/// loyalty schemes and transport, do not show which payments a terminal accepts.
enum PaymentProviders {
  /// The number of bytes of a provider's identifier (RID).
  private static let identifierCount = 5

  /// Whether an application identifier, or the beginning of one, is that of a payment application. A name of fewer than
  /// five bytes is not.
  static func contains(_ name: Span<UInt8>) -> Bool {
    guard name.count >= identifierCount else { return false }
    var identifier: UInt64 = 0
    for index in 0..<identifierCount { identifier = identifier << 8 | UInt64(name[index]) }
    // No array: the byte path does not allocate.
    return switch identifier {
    case 0xA0_0000_0003,  // Visa
      0xA0_0000_0004,  // Mastercard
      0xA0_0000_0025,  // American Express
      0xA0_0000_0042,  // Groupement des Cartes Bancaires
      0xA0_0000_0065,  // JCB
      0xA0_0000_0098,  // Visa, debit in the USA
      0xA0_0000_0121,  // Dankort
      0xA0_0000_0141,  // Bancomat
      0xA0_0000_0152,  // Discover and Diners Club
      0xA0_0000_0277,  // Interac
      0xA0_0000_0324,  // Discover, ZIP
      0xA0_0000_0333,  // UnionPay
      0xA0_0000_0359,  // girocard
      0xA0_0000_0384,  // eftpos Australia
      0xA0_0000_0524,  // RuPay
      0xA0_0000_0658,  // Mir
      0xA0_0000_0672:  // Troy
      true
    default: false
    }
  }
}
