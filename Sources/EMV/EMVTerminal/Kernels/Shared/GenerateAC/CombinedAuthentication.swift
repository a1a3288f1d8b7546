internal import EMVCryptography
internal import EMVData
internal import ISO7816

/// Combined data authentication with the cryptogram (CDA) in one payment (EMV 4.4 Book 2, 6.6; open terminals agree).
struct CombinedAuthentication {
  /// A card that is asked for a signature.
  enum SigningCard {
    case certified(CardCertificate)
    /// A recorded card with zeros in place of its certificate: the signature cannot be judged.
    case redacted
  }

  /// Bit 4 of byte 3 of tag 9F33 (EMV 4.4 Book 4, annex A2).
  static let capability: UInt8 = 0x08

  /// The values of GET PROCESSING OPTIONS, which a signature of the card covers.
  var options: [UInt8] = []
  /// The data of the last relay resistance exchange, which a signature covers too; nil without an exchange.
  var relayData: [UInt8]?
  /// The result; nil before it was performed.
  private(set) var result: PaymentOutcome.DataAuthentication?

  /// Performs the part that precedes the cryptogram, for a card and a terminal that both have CDA.
  ///
  /// - Returns: Nil when data of the card are missing or wrong, which bits of tag 95 state.
  /// - Throws: `StepFailure` for another tag list than 82, and for a signed record that is no template 70.
  mutating func prepare(
    _ facts: ChipCardData, _ card: CardData, name: [UInt8], _ results: inout TerminalVerificationResults,
    _ terminal: inout KernelTerminal
  ) throws(StepFailure) -> SigningCard? {
    results.remove(.dataAuthenticationNotPerformed)
    let authentication = CardAuthentication(card, accountNumber: facts.accountNumber, name: name, terminal)
    do throws(AuthenticationFailure) {
      let isRedacted = authentication.isRedacted
      let certificate = try terminal.judge(isRedacted: isRedacted) { (_) throws(AuthenticationFailure) in
        _ = try authentication.value(.staticDataTagList)
        return try authentication.certificate()
      }
      return certificate.map(SigningCard.certified) ?? .redacted
    } catch {
      result = .failed(error)
      if error == .staticData { throw StepFailure(.decision, .dataAuthentication(error)) }
      results.insert(.cdaFailed)
      if case .missing = error { results.insert(.cardDataMissing) }
      return nil
    }
  }

  /// Adds the response to the first GENERATE AC to the data of the card, with the cryptogram that a signature holds.
  ///
  /// - Parameter certified: The card that signs; nil without CDA.
  /// - Returns: The type of the cryptogram, never a stronger one than was asked for.
  mutating func receive(
    _ response: ResponseAPDU, to command: CommandAPDU, asked: CryptogramType, of certified: SigningCard?,
    _ card: inout CardData, _ terminal: inout KernelTerminal
  ) throws(StepFailure) -> CryptogramType {
    let elements = try GeneratedCryptogram.elements(response)
    try card.add(elements, .generateCryptogram)
    let type = try GeneratedCryptogram.type(card, asked: asked)
    if type != .aac, let certified {
      let cryptogram = try cryptogram(in: elements, of: certified, riskManagement: command.data, &terminal)
      try card.add([TLVNode(.applicationCryptogram, cryptogram)], .generateCryptogram)
    }
    try GeneratedCryptogram.checkData(card)
    return type
  }

  /// Checks the signature of a response and returns the cryptogram in it: one exponentiation. A failure ends the application.
  /// The cryptogram in a signature that cannot be judged is not known: eight zeros.
  ///
  /// - Parameter riskManagement: The values of CDOL1, and for the second cryptogram those of CDOL2 behind them.
  mutating func cryptogram(
    in elements: [TLVNode], of card: SigningCard, riskManagement: [UInt8], _ terminal: inout KernelTerminal
  ) throws(StepFailure) -> [UInt8] {
    let signature = elements.first { $0.tag == .signedDynamicData }
    guard let signature else { throw StepFailure(.generateCryptogram, .missing(.signedDynamicData)) }
    let isRedacted = if case .redacted = card { true } else { false }
    do throws(AuthenticationFailure) {
      let cryptogram = try terminal.judge(isRedacted: isRedacted) {
        [options, relayData] (terminal) throws(AuthenticationFailure) in
        guard case .certified(let certificate) = card else { throw .missing(0x9F46) }
        let signed = try SignedDynamicData(
          signature.value, card: certificate, terminalData: terminal.data[.unpredictableNumber] ?? [])
        let others = elements.filter { $0.tag != .signedDynamicData }
        return try CombinedData(
          signed, cryptogramInformation: elements.first { $0.tag == .cryptogramInformationData }?.value.first ?? 0,
          transactionData: CombinedData.transactionData(
            options: options, riskManagement: riskManagement, response: others.encoded),
          relayData: relayData
        ).cryptogram
      }
      result = .passed
      return cryptogram ?? [UInt8](repeating: 0, count: 8)
    } catch {
      result = .failed(error)
      throw StepFailure(.generateCryptogram, .dataAuthentication(error))
    }
  }
}
