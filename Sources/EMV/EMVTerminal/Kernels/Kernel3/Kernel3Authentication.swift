internal import EMVCryptography
internal import EMVData
internal import ISO7816

/// Offline data authentication of kernel 3: fDDA, or SDA for a card without it (EMV Contactless Book C-3 v2.11, 5.6).
enum Kernel3Authentication {
  /// Byte 1 of tag 9F69: the only version that this kernel takes.
  private static let version: UInt8 = 0x01

  /// Checks a card, or takes the verdict of a redacted recording.
  ///
  /// - Throws: The failure of the first check that is not met.
  static func check(
    _ card: CardData, accountNumber: PrimaryAccountNumber, name: [UInt8], _ terminal: inout KernelTerminal
  ) throws(AuthenticationFailure) {
    let authentication = CardAuthentication(card, accountNumber: accountNumber, name: name, terminal)
    _ = try terminal.judge(isRedacted: authentication.isRedacted) { (terminal) throws(AuthenticationFailure) in
      try check(card, authentication, terminal)
    }
  }

  private static func check(
    _ card: CardData, _ authentication: CardAuthentication, _ terminal: KernelTerminal
  ) throws(AuthenticationFailure) {
    let profile = ApplicationInterchangeProfile(octets: card.value(.applicationInterchangeProfile) ?? []) ?? []
    if profile.contains(.dda) { return try checkSignature(authentication, terminal) }
    guard profile.contains(.sda) else { throw .notSupported }
    _ = try SignedStaticData(
      authentication.value(.signedStaticData), issuer: authentication.issuer(),
      staticData: authentication.staticData(), isOnline: true)
  }

  private static func checkSignature(
    _ authentication: CardAuthentication, _ terminal: KernelTerminal
  ) throws(AuthenticationFailure) {
    let signature = try authentication.value(.signedDynamicData)
    let related = try authentication.value(.cardAuthenticationRelatedData)
    guard related.first == version else { throw .version }
    let data = SignedDynamicData.fastTerminalData(
      unpredictableNumber: terminal.data[.unpredictableNumber] ?? [], amount: terminal.data[.amountAuthorised] ?? [],
      currency: terminal.data[.transactionCurrencyCode] ?? [], cardData: related)
    _ = try SignedDynamicData(signature, .fast, card: authentication.certificate(), terminalData: data)
  }
}
