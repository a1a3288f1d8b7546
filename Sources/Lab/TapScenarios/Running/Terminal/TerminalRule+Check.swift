internal import EMVData
internal import EMVDecoding
internal import ISO7816
internal import Octets
internal import PaymentAcceptance

extension TerminalRule {
  /// Returns every place at which the commands of a tap break the rule.
  func failures(in exchanges: [Exchange]) -> [ScenarioFailure] {
    // A terminal that never sends the command has not kept the rule, unless the card has refused an earlier one.
    if !isSeen(in: exchanges), let subject {
      return exchanges.refusal != nil
        ? [] : [ScenarioFailure(nil, rawValue, "the command with instruction \(subject.hex)", "no such command")]
    }
    let presentations = Dictionary(grouping: exchanges.withWholeResponses, by: \.tap).sorted { $0.key < $1.key }.map(
      \.value)
    return presentations.flatMap { presentation -> [ScenarioFailure] in
      switch self {
      case .records: recordFailures(presentation)
      case .form: presentation.flatMap { CommandForm($0).failures }
      case .processingData, .cryptogramData, .checksumData: dataFailures(presentation)
      case .declineIsFinal: declineFailures(presentation)
      }
    }
  }

  /// Whether the command came that the rule is about.
  func isSeen(in exchanges: [Exchange]) -> Bool {
    subject.map { subject in exchanges.contains { $0.command.dropFirst().first == subject } } ?? true
  }

  /// Whether the card gave the response from which the rule follows, such as the one with the AFL.
  func isAnswered(in exchanges: [Exchange]) -> Bool {
    switch self {
    case .records, .declineIsFinal:
      exchanges.withWholeResponses.contains { $0.command.dropFirst().first == subject && $0.isNormal }
    case .form, .processingData, .cryptogramData, .checksumData: true
    }
  }

  /// The instruction of the command that the rule is about; nil for all commands.
  private var subject: UInt8? {
    switch self {
    case .records, .processingData: Instruction.getProcessingOptions
    case .cryptogramData, .declineIsFinal: Instruction.generateAC
    case .checksumData: 0x2A
    case .form: nil
    }
  }

  private func recordFailures(_ exchanges: [Exchange]) -> [ScenarioFailure] {
    guard let options = exchanges.lastIndex(where: { $0.command.dropFirst().first == 0xA8 && $0.isNormal }),
      let locator = ApplicationFileLocator(ofResponse: exchanges[options].response ?? [])
    else { return [] }
    let reads = exchanges[options...].filter { $0.command.dropFirst().first == 0xB2 }
    let wanted = locator.records.map { [$0.record, $0.sfi << 3 | 0x04] }
    let found = reads.map { Array($0.command.dropFirst(2).prefix(2)) }
    // A terminal need not read on after an error of the card.
    let isCut = exchanges.contains { $0.response == nil } || !reads.allSatisfy(\.isNormal)
    let instructions = Set(exchanges.compactMap { $0.command.dropFirst().first })
    let isKernel2 = !instructions.isDisjoint(with: [Instruction.generateAC, 0x2A, 0xEA])
    let readings = isKernel2 ? Self.readings(wanted, of: locator, isMagStripe: instructions.contains(0x2A)) : [wanted]
    let isRight = readings.contains { isCut ? $0.starts(with: found) : $0 == found }
    guard !isRight else { return [] }
    let different = zip(reads, wanted).first { Array($0.0.command.dropFirst(2).prefix(2)) != $0.1 }?.0 ?? reads.last
    return [ScenarioFailure(different, rawValue, Self.text(wanted), Self.text(found))]
  }

  /// The records that a terminal may read. A locator of kernel 2 that begins with 08010100 has the record of mag-stripe
  /// mode first: that mode reads it alone, and EMV mode may leave it out, as open terminals do.
  private static func readings(
    _ records: [[UInt8]], of locator: ApplicationFileLocator, isMagStripe: Bool
  ) -> [[[UInt8]]] {
    guard locator.encoded.starts(with: [0x08, 0x01, 0x01, 0x00]) else { return [records] }
    return [records, isMagStripe ? Array(records.prefix(1)) : Array(records.dropFirst())]
  }

  private static func text(_ records: [[UInt8]]) -> String {
    records.isEmpty ? "none" : records.map { "SFI \($0[1] >> 3) record \($0[0])" }.joined(separator: ", ")
  }

  private func declineFailures(_ exchanges: [Exchange]) -> [ScenarioFailure] {
    let first = exchanges.firstIndex { exchange in
      exchange.command.dropFirst().first == 0xAE && exchange.cryptogram == .aac
    }
    guard let first else { return [] }
    let further = exchanges[(first + 1)...].first { [0xAE, 0x2A, 0xA8].contains($0.command.dropFirst().first) }
    return further.map { [ScenarioFailure($0, rawValue, "no further cryptogram", $0.name)] } ?? []
  }

  /// The data of the command whose length the card's list gives.
  private func dataFailures(_ exchanges: [Exchange]) -> [ScenarioFailure] {
    var context = DecodingContext()
    var cryptograms = 0
    var failures: [ScenarioFailure] = []
    for exchange in exchanges {
      let data = commandData(exchange.command)
      switch (exchange.command.dropFirst().first, self) {
      case (0xA8, .processingData):
        let count = context.pdol?.valueCount ?? 0
        let head = Array(TLVNode(0x83, [UInt8](repeating: 0, count: count)).encoded.dropLast(count))
        if !data.starts(with: head) || data.count != head.count + count {
          failures.append(
            ScenarioFailure(exchange, rawValue, "template 83 with \(count.bytes)", Self.template(data)))
        }
      case (0xAE, .cryptogramData):
        let list = cryptograms == 0 ? context.cdol1 : context.cdol2
        cryptograms += 1
        failures += difference(exchange, list, data)
      case (0x2A, .checksumData): failures += difference(exchange, context.udol, data)
      default: break
      }
      if let response = exchange.response { context.learn(command: exchange.command, response: response) }
    }
    return failures
  }

  private func difference(_ exchange: Exchange, _ list: DataObjectList?, _ data: [UInt8]) -> [ScenarioFailure] {
    guard let list, list.valueCount != data.count else { return [] }
    return [ScenarioFailure(exchange, rawValue, list.valueCount.bytes, data.count.bytes)]
  }

  private static func template(_ data: [UInt8]) -> String {
    guard data.first == 0x83, data.count > 1 else { return "\(data.count.bytes) without template 83" }
    return "template 83 with length \([data[1]].hex) and \((data.count - 2).bytes)"
  }
}

extension Exchange {
  /// Whether the card answered 9000.
  var isNormal: Bool { response.map { $0.suffix(2).elementsEqual([0x90, 0x00]) } ?? false }

  /// The type of the cryptogram in the response; nil without one.
  var cryptogram: CryptogramType? {
    guard isNormal else { return nil }
    // Format 1: CID, ATC, cryptogram (EMV 4.4 Book 3, 6.5.5.4).
    if let plain = nodes.first(0x80)?.value.first { return CryptogramType(cryptogramInformationData: plain) }
    return nodes.first(0x77)?.first(.cryptogramInformationData)?.value.first.flatMap {
      CryptogramType(cryptogramInformationData: $0)
    }
  }
}

extension ApplicationFileLocator {
  /// The locator of a response to GET PROCESSING OPTIONS in format 1 or 2 (EMV 4.4 Book 3, 6.5.8.4); nil without one.
  init?(ofResponse response: [UInt8]) {
    let data = Array(response.dropLast(2))
    let nodes = (try? [TLVNode](parsing: data.span)) ?? []
    let octets = nodes.first(0x80).map { Array($0.value.dropFirst(2)) } ?? nodes.first(0x77)?.first(0x94)?.value
    guard let octets, let locator = try? ApplicationFileLocator(parsing: octets) else { return nil }
    self = locator
  }
}
