internal import Ciphers
package import EMVCryptography
package import EMVData
internal import EMVIssuer
internal import EMVTerminal
internal import ISO7816
internal import Octets

/// The offline data authentication of a card, from the commands that it received and its responses (EMV 4.4 Book 2,
/// sections 5 and 6; EMV Contactless Book C-3 v2.11, 5.6, for the signature in GET PROCESSING OPTIONS). Account numbers
/// and keys are never shown.
package struct RecordedAuthentication {
  private var name: [UInt8] = []
  private var values: [Tag: [UInt8]] = [:]
  private var terminal: [Tag: [UInt8]] = [:]
  private var locator: ApplicationFileLocator?
  // By P1 and P2 of READ RECORD.
  private var records: [[UInt8]: [UInt8]] = [:]
  // The values of GET PROCESSING OPTIONS and of the first GENERATE AC, and the response to that.
  private var options: [UInt8] = []
  private var riskManagement: [UInt8] = []
  private var generated: [TLVNode] = []
  private var relayData: [UInt8]?
  // The applications for which the directory requests kernel 7.
  private var unionPayNames: Set<[UInt8]> = []

  /// Reads the exchanges of the application that was selected last.
  package init(_ exchanges: [(command: [UInt8], response: [UInt8]?)]) {
    // The command whose response comes in parts (61xx), and the parts until now.
    var open: (command: CommandAPDU, data: [UInt8])?
    for exchange in exchanges {
      guard let response = exchange.response, response.count >= 2,
        let command = try? CommandAPDU(parsing: exchange.command.span)
      else { continue }
      let isPart = command.cla == 0x00 && command.ins == Instruction.getResponse
      let first = isPart ? open : nil
      let (whole, data) = (first?.command ?? command, (first?.data ?? []) + response.dropLast(2))
      open = response[response.count - 2] == 0x61 ? (whole, data) : nil
      if response.suffix(2) == [0x90, 0x00] { learn(whole, data) }
    }
  }

  /// Whether the card sent an issuer certificate.
  package var isPossible: Bool { values[0x90] != nil || values[0x9F4B] != nil || values[0x93] != nil }

  /// The date of the payment, tag 9A as it went to the card; nil when it did not.
  package var date: TransactionDate? { terminal[.transactionDate].flatMap(TransactionDate.init(numeric:)) }

  private mutating func learn(_ command: CommandAPDU, _ response: [UInt8]) {
    switch (command.cla, command.ins) {
    case (0x00, Instruction.select): learnSelection(response)
    case (0x80, Instruction.getProcessingOptions): learnOptions(command, response)
    case (0x00, Instruction.readRecord): learnRecord(command, response)
    case (0x80, Instruction.generateAC) where generated.isEmpty: learnCryptogram(command, response)
    case (0x80, 0xEA): relayData = command.data + response.dropFirst(2)
    default: break
    }
  }

  private mutating func learnSelection(_ response: [UInt8]) {
    guard let nodes = try? [TLVNode](parsing: response.span), let name = nodes.first(.dfName)?.value else { return }
    guard name != FileControlInformation.ppseName else { return learnDirectory(nodes) }
    let unionPayNames = unionPayNames
    self = RecordedAuthentication([])
    self.name = name
    self.unionPayNames = unionPayNames
    values[.pdol] = nodes.first(.pdol)?.value
  }

  private mutating func learnDirectory(_ nodes: [TLVNode]) {
    for node in nodes {
      func value(_ tag: Tag) -> [UInt8]? { node.children.first { $0.tag == tag }?.value }
      if let name = value(.adfName), value(.kernelIdentifier) == [ContactlessKernel.unionPay.rawValue] {
        unionPayNames.insert(name)
      }
      learnDirectory(node.children)
    }
  }

  private mutating func learnOptions(_ command: CommandAPDU, _ response: [UInt8]) {
    options = (try? [TLVNode](parsing: command.data.span))?.first?.value ?? []
    learnTerminal(.pdol, options)
    guard let read = try? ProcessingOptions(parsing: response) else { return }
    add(read.elements)
    locator = read.locator
  }

  private mutating func learnRecord(_ command: CommandAPDU, _ response: [UInt8]) {
    records[[command.p1, command.p2]] = response
    if let nodes = try? [TLVNode](parsing: response.span) { add(nodes.flatMap(\.children)) }
  }

  private mutating func learnCryptogram(_ command: CommandAPDU, _ response: [UInt8]) {
    riskManagement = command.data
    learnTerminal(.cdol1, riskManagement)
    generated = (try? [TLVNode](parsing: response.span))?.first?.children ?? []
    add(generated)
  }

  private mutating func add(_ nodes: [TLVNode]) {
    for node in nodes where !node.tag.isConstructed { values[node.tag] = node.value }
  }

  private mutating func learnTerminal(_ tag: Tag, _ octets: [UInt8]) {
    guard let list = values[tag].flatMap({ try? DataObjectList(parsing: $0) }), list.valueCount <= octets.count else {
      return
    }
    for (tag, value) in list.split(octets) { terminal[tag] = value }
  }
}

extension RecordedAuthentication {
  /// Returns a line for each step, until the first one that fails.
  ///
  /// - Parameters:
  ///   - date: The date of the payment, at which the certificates must be valid.
  ///   - verdict: What the recorded terminal found; nil when the recording does not hold it.
  package func lines(
    _ authorities: [CertificationAuthorityKey], at date: TransactionDate, verdict: String?
  ) -> [String] {
    guard !CardCertificate.isRedacted(values) else {
      return ["not judged: the recording is redacted" + (verdict.map { "; the terminal's verdict: \($0)" } ?? "")]
    }
    var lines: [String] = []
    do throws(AuthenticationFailure) {
      try add(to: &lines, authorities, date)
    } catch { lines.append("failed: \(error)") }
    return lines
  }

  /// Checks the certificates, the static data and the signature of the payment, which must be there, with the keys of
  /// the test authority.
  func check() throws(AuthenticationFailure) {
    guard let date else { throw .missing(.transactionDate) }
    var lines: [String] = []
    try add(to: &lines, TestAuthority.keys(), date)
    for tag: Tag in [0x9F46, 0x9F4B] where values[tag] == nil { throw .missing(tag) }
  }

  private func add(
    to lines: inout [String], _ authorities: [CertificationAuthorityKey], _ date: TransactionDate
  ) throws(AuthenticationFailure) {
    let objects = values.merging(accountNumber) { own, _ in own }
    let issuer = try IssuerCertificate(
      in: objects, provider: Array(name.prefix(5)), authorities: authorities, at: date)
    lines.append("authority: RID \(name.prefix(5).hex), index \(values[0x8F]?.hex ?? "")")
    lines.append(
      "issuer certificate (90): valid; account numbers from \(issuer.identifier), serial number "
        + "\(issuer.serialNumber.hex), key of \(issuer.key.modulus.count * 8) bits")
    let records = signedRecords
    let staticData = try StaticData.joined(
      records, tagList: values[0x9F4A], interchangeProfile: values[.applicationInterchangeProfile] ?? [])
    lines.append("static data: \(staticData.count.bytes) of \(records.count.counted("record"))")
    guard values[0x9F46] != nil else {
      guard let signature = values[0x93] else { throw .missing(0x9F46) }
      let signed = try SignedStaticData(signature, issuer: issuer, staticData: staticData, isOnline: true)
      return lines.append("signed static data (93): right; data authentication code \(signed.authenticationCode.hex)")
    }
    let card = try CardCertificate(in: objects, issuer: issuer, staticData: staticData, at: date)
    lines.append(
      "card certificate (9F46): valid; serial number \(card.serialNumber.hex), key of \(card.key.modulus.count * 8) bits"
    )
    guard let signature = values[0x9F4B] else { return lines.append("signature (9F4B): none") }
    lines.append(try generated.isEmpty ? fast(signature, card) : combined(signature, card))
  }

  /// The records that the AFL marks for authentication, in its order.
  private var signedRecords: [SignedRecord] {
    (locator?.entries ?? []).flatMap { entry in
      entry.records.prefix(Int(entry.authenticatedCount)).compactMap { number in
        records[[number, entry.sfi << 3 | 0x04]].map { SignedRecord(sfi: entry.sfi, data: $0) }
      }
    }
  }

  private var accountNumber: [Tag: [UInt8]] {
    let track = values[.track2EquivalentData].flatMap(Track2EquivalentData.init)
    return track.map { [.primaryAccountNumber: $0.accountNumber.compressedNumeric] } ?? [:]
  }

  private func fast(_ signature: [UInt8], _ card: CardCertificate) throws(AuthenticationFailure) -> String {
    let isUnionPay = unionPayNames.contains(name) || PaymentScheme.of(name)?.kernel == .unionPay
    let related = values[.cardAuthenticationRelatedData]
    if isUnionPay, (related?.first ?? 0) == 0 {
      let signed = try SignedDynamicData(signature, card: card, terminalData: terminal[.unpredictableNumber] ?? [])
      return "signature (9F4B), fDDA version 00: right; ICC dynamic number \(signed.dynamicNumber.hex)"
    }
    guard let related else { throw .missing(.cardAuthenticationRelatedData) }
    guard related.first == 0x01 else { throw .version }
    let signed = try SignedDynamicData(
      signature, isUnionPay ? .standard : .fast, card: card,
      terminalData: SignedDynamicData.fastTerminalData(
        unpredictableNumber: terminal[.unpredictableNumber] ?? [], amount: terminal[.amountAuthorised] ?? [],
        currency: terminal[.transactionCurrencyCode] ?? [], cardData: related))
    return "signature (9F4B), fDDA: right; ICC dynamic number \(signed.dynamicNumber.hex)"
  }

  private func combined(_ signature: [UInt8], _ card: CardCertificate) throws(AuthenticationFailure) -> String {
    let signed = try SignedDynamicData(signature, card: card, terminalData: terminal[.unpredictableNumber] ?? [])
    let others = generated.filter { $0.tag != 0x9F4B }
    let combined = try CombinedData(
      signed, cryptogramInformation: values[.cryptogramInformationData]?.first ?? 0,
      transactionData: CombinedData.transactionData(
        options: options, riskManagement: riskManagement, response: others.encoded),
      relayData: relayData)
    return "signature (9F4B), CDA: right; ICC dynamic number \(signed.dynamicNumber.hex), cryptogram "
      + combined.cryptogram.hex + (relayData == nil ? "" : ", relay resistance data right")
  }
}
