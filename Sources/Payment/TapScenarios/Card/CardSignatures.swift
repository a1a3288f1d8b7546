internal import EMVCryptography
internal import EMVData
internal import EMVIssuer
internal import ISO7816
internal import PaymentAcceptance

/// Offline data authentication of a card that steps have read, with the keys of the test authority (EMV 4.4 Book 2,
/// sections 5 and 6; EMV Contactless Book C-3 v2.11, 5.6, for the signature in GET PROCESSING OPTIONS).
struct CardSignatures {
  private let exchanges: [Exchange]
  private let objects: [Tag: [UInt8]]
  /// The terminal's values, as the lists of the card asked for them.
  private let terminal: TapEvidence

  /// - Parameter exchanges: The exchanges whose status word is 9000.
  init(_ exchanges: [Exchange]) {
    self.exchanges = exchanges
    let sources = [Instruction.getProcessingOptions, Instruction.readRecord, Instruction.generateAC]
    let nodes = exchanges.filter { sources.contains($0.instruction) }.flatMap { $0.nodes.primitives }
    var objects = Dictionary(nodes.map { ($0.tag, $0.value) }) { first, _ in first }
    if objects[.primaryAccountNumber] == nil, let track = objects[.track2EquivalentData] {
      objects[.primaryAccountNumber] = Track2EquivalentData(track)?.accountNumber.compressedNumeric
    }
    if let plain = nodes.first(where: { $0.tag == .responseFormat1 })?.value, plain.count > 2 {
      objects[.applicationInterchangeProfile] = objects[.applicationInterchangeProfile] ?? Array(plain.prefix(2))
    }
    self.objects = objects
    terminal = TapEvidence(ofTerminal: exchanges)
  }

  /// Checks the certificates, the static data, and the signature of the payment where there is one.
  func check() throws(AuthenticationFailure) {
    let date = value(.transactionDate).flatMap { TransactionDate(numeric: $0) }
    guard let date else { throw .missing(.transactionDate) }
    let issuer = try IssuerCertificate(
      in: objects, provider: Array((selectedName ?? []).prefix(5)), authorities: TestAuthority.keys(), at: date)
    let covered = try StaticData.joined(
      signedRecords, tagList: objects[0x9F4A], interchangeProfile: objects[.applicationInterchangeProfile] ?? [])
    let card = try CardCertificate(in: objects, issuer: issuer, staticData: covered, at: date)
    guard let signature = objects[0x9F4B] else { throw .missing(0x9F4B) }
    if let related = objects[.cardAuthenticationRelatedData] {
      let data = SignedDynamicData.fastTerminalData(
        unpredictableNumber: value(.unpredictableNumber) ?? [], amount: value(.amountAuthorised) ?? [],
        currency: value(.transactionCurrencyCode) ?? [], cardData: related)
      _ = try SignedDynamicData(signature, .fast, card: card, terminalData: data)
    } else {
      try checkCombined(signature, card)
    }
  }

  private func checkCombined(_ signature: [UInt8], _ card: CardCertificate) throws(AuthenticationFailure) {
    guard let cryptogram = exchanges.last(where: { $0.instruction == Instruction.generateAC }) else {
      throw .missing(.applicationCryptogram)
    }
    let signed = try SignedDynamicData(
      signature, card: card, terminalData: value(.unpredictableNumber) ?? [])
    let options = exchanges.last { $0.instruction == Instruction.getProcessingOptions }
    let values = options.map { Array(commandData($0.command).dropFirst(2)) } ?? []
    let others = (cryptogram.nodes.first?.children ?? []).filter { $0.tag != 0x9F4B }
    _ = try CombinedData(
      signed, cryptogramInformation: objects[.cryptogramInformationData]?.first ?? 0,
      transactionData: CombinedData.transactionData(
        options: values, riskManagement: commandData(cryptogram.command), response: others.flatMap(\.encoded)))
  }

  private func value(_ tag: Tag) -> [UInt8]? { terminal.value(of: tag)?.value }

  private var selectedName: [UInt8]? {
    exchanges.last { $0.name == "SELECT AID" }?.nodes.first(.dfName)?.value
  }

  /// The records that the AFL marks for authentication, in its order.
  private var signedRecords: [SignedRecord] {
    guard let options = exchanges.last(where: { $0.instruction == Instruction.getProcessingOptions }),
      let locator = ApplicationFileLocator(ofResponse: options.response ?? [])
    else { return [] }
    return locator.entries.flatMap { entry in
      entry.records.prefix(Int(entry.authenticatedCount)).compactMap { record -> SignedRecord? in
        let header: [UInt8] = [0x00, Instruction.readRecord, record, entry.sfi << 3 | 0x04]
        let read = exchanges.last { $0.command.starts(with: header) }
        return read.map { SignedRecord(sfi: entry.sfi, data: Array(($0.response ?? []).dropLast(2))) }
      }
    }
  }
}
