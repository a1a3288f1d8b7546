internal import EMVCryptography
internal import EMVData
internal import Octets

/// Offline data authentication of kernels 3 and 7: fDDA, or SDA for a card without it where the kernel takes it (EMV Contactless
/// Book C-3 v2.11, 5.6).
enum Kernel3Authentication {
  /// Byte 1 of tag 9F69: the version that kernel 3 takes, and kernel 7 besides version 00.
  private static let version: UInt8 = 0x01

  /// Tag 9F08 of the first cards of kernel 7 that must have version 01 for a reader that takes it.
  private static let firstVersion1Card: UInt16 = 0x0030

  /// Checks a card, or takes the verdict of a redacted recording.
  ///
  /// - Throws: The failure of the first check that is not met.
  static func check(
    _ card: CardData, _ rules: QualifierRules, accountNumber: PrimaryAccountNumber, name: [UInt8],
    _ terminal: inout KernelTerminal
  ) throws(AuthenticationFailure) {
    let authentication = CardAuthentication(card, accountNumber: accountNumber, name: name, terminal)
    _ = try terminal.judge(isRedacted: authentication.isRedacted) { (terminal) throws(AuthenticationFailure) in
      try check(card, rules, authentication, terminal)
    }
  }

  private static func check(
    _ card: CardData, _ rules: QualifierRules, _ authentication: CardAuthentication, _ terminal: KernelTerminal
  ) throws(AuthenticationFailure) {
    let profile = ApplicationInterchangeProfile(octets: card.value(.applicationInterchangeProfile) ?? []) ?? []
    if profile.contains(.dda) {
      let signature = try authentication.value(.signedDynamicData)
      let data = try coveredData(card, rules, authentication, terminal)
      _ = try SignedDynamicData(signature, rules.form, card: authentication.certificate(), terminalData: data)
      return
    }
    guard rules.takesStaticData, profile.contains(.sda) else { throw .notSupported }
    _ = try SignedStaticData(
      authentication.value(.signedStaticData), issuer: authentication.issuer(),
      staticData: authentication.staticData(), isOnline: true)
  }

  // What the signature covers besides the dynamic data of the card.
  private static func coveredData(
    _ card: CardData, _ rules: QualifierRules, _ authentication: CardAuthentication, _ terminal: KernelTerminal
  ) throws(AuthenticationFailure) -> [UInt8] {
    let number = terminal.data[.unpredictableNumber] ?? []
    if rules.hasVersion0(card.value(.cardAuthenticationRelatedData)) {
      // A card without tag 9F08 counts as a new one: no signature covers the tag, so that its absence proves nothing.
      let cardVersion = card.value(.cardApplicationVersion).flatMap { UInt16(bigEndian: $0) } ?? firstVersion1Card
      let needsVersion1 = terminal.qualifiers.contains(.fastAuthenticationVersion1)
      guard !needsVersion1 || cardVersion < firstVersion1Card else { throw .version }
      return number
    }
    let related = try authentication.value(.cardAuthenticationRelatedData)
    guard related.first == version else { throw .version }
    return SignedDynamicData.fastTerminalData(
      unpredictableNumber: number, amount: terminal.data[.amountAuthorised] ?? [],
      currency: terminal.data[.transactionCurrencyCode] ?? [], cardData: related)
  }
}
