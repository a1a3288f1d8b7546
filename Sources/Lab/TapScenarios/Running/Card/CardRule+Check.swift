internal import EMVCryptography
internal import EMVData
internal import ISO7816
internal import Octets
internal import PaymentAcceptance

extension CardRule {
  /// Returns every response that breaks the rule.
  func failures(in exchanges: [Exchange]) -> [ScenarioFailure] {
    let answered = exchanges.filter(\.isNormal)
    if judgesLastResponse, let last = exchanges.last, !last.isNormal {
      return [failure(last, "9000", (last.response ?? []).suffix(2).hex)]
    }
    switch self {
    case .form: return answered.compactMap(formFailure)
    case .once: return repetitions(answered)
    case .records: return recordFailures(exchanges)
    case .directory: return directoryFailures(answered)
    case .name: return answered.compactMap(nameFailure)
    case .mandatory: return mandatoryFailures(answered)
    case .track: return trackFailures(answered)
    case .lengths: return lengthFailures(answered)
    case .formats: return answered.flatMap(formatFailures)
    case .texts: return answered.flatMap(textFailures)
    case .single: return answered.flatMap(singleFailures)
    case .shortest: return answered.compactMap(shortestFailure)
    case .promises: return promiseFailures(answered)
    case .methods: return methodFailures(answered)
    case .inputs: return inputFailures(answered)
    case .validity: return validityFailures(answered)
    case .usage: return usageFailures(answered)
    case .agreement: return agreementFailures(answered)
    case .authentication: return authenticationFailures(answered)
    }
  }

  // These rules say something of each response with 9000: without one they would say nothing.
  private var judgesLastResponse: Bool {
    switch self {
    case .form, .once, .name, .lengths, .formats, .texts, .single, .shortest: true
    case .records, .directory, .mandatory, .track, .promises, .methods, .inputs, .validity, .usage, .agreement,
      .authentication:
      false
    }
  }

  func failure(_ exchange: Exchange?, _ expected: String, _ got: String, _ tag: Tag? = nil) -> ScenarioFailure {
    ScenarioFailure(exchange, rawValue, expected, got, tag: tag)
  }

  private func formFailure(_ exchange: Exchange) -> ScenarioFailure? {
    let wanted: [Tag]
    switch exchange.instruction {
    case Instruction.select: wanted = [.fciTemplate]
    case Instruction.getProcessingOptions, Instruction.generateAC: wanted = [.responseFormat2, .responseFormat1]
    case Instruction.readRecord: wanted = [.recordTemplate]
    case 0x2A: wanted = [.responseFormat2]
    case 0xEA: wanted = [.responseFormat1]
    default: return nil
    }
    let found = exchange.nodes.map(\.tag)
    guard found.count != 1 || !wanted.contains(found[0]) else {
      // Tables 8 and 10 of Book 1, 11.3.4.
      let missing = ([.dfName, .fciProprietaryTemplate] as [Tag]).filter { exchange.nodes.all($0).isEmpty }
      guard found == [.fciTemplate], let tag = missing.first else { return nil }
      return failure(exchange, "tag \(tag) in template 6F", "none", tag)
    }
    let text = found.isEmpty ? "no data objects" : found.map(\.description).joined(separator: ", ")
    return failure(exchange, "one template \(wanted.map(\.description).choice)", text)
  }

  private func repetitions(_ exchanges: [Exchange]) -> [ScenarioFailure] {
    let sources = [Instruction.getProcessingOptions, Instruction.readRecord]
    var seen: Set<Tag> = []
    var reads: Set<[UInt8]> = []
    return exchanges.filter { sources.contains($0.instruction) && reads.insert($0.command).inserted }.flatMap {
      exchange in
      exchange.nodes.primitives.filter { !seen.insert($0.tag).inserted }.map {
        failure(exchange, "each data object once", "tag \($0.tag) again")
      }
    }
  }

  private func recordFailures(_ exchanges: [Exchange]) -> [ScenarioFailure] {
    guard let options = exchanges.last(where: { $0.instruction == Instruction.getProcessingOptions && $0.isNormal })
    else { return [failure(nil, "GET PROCESSING OPTIONS with an AFL", "none")] }
    guard let locator = ApplicationFileLocator(ofResponse: options.response ?? []) else {
      return options.nodes.needNoRecords ? [] : [failure(options, "a well-formed AFL", "none")]
    }
    let places = locator.records.map { [$0.sfi, $0.record] }
    let again = Set(places).count < places.count
    return (again ? [failure(options, "each record once", "a record again")] : [])
      + locator.records.compactMap { record in
        let command = [0x00, Instruction.readRecord, record.record, record.sfi << 3 | 0x04] as [UInt8]
        let read = exchanges.last { $0.command.starts(with: command) }
        guard let read, !read.isNormal else { return nil }
        return failure(read, "SFI \(record.sfi) record \(record.record)", (read.response ?? []).suffix(2).hex)
      }
  }

  private func directoryFailures(_ exchanges: [Exchange]) -> [ScenarioFailure] {
    guard let directory = exchanges.first(where: { $0.name == "SELECT PPSE" }) else {
      return [failure(nil, "a directory", "none")]
    }
    let entries = directory.nodes.all(.applicationTemplate)
    let names = entries.map { $0.first(.adfName)?.value ?? [] }
    let priorities = entries.compactMap { $0.first(.applicationPriorityIndicator)?.value.first.map { $0 & 0x0F } }
      .filter { $0 > 0 }
    return [
      entries.isEmpty ? failure(directory, "an entry (tag 61)", "none") : nil,
      names.contains { !(5...16).contains($0.count) } ? failure(directory, "names of 5 to 16 bytes", "another") : nil,
      entries.contains { !$0.namesKernel }
        ? failure(directory, "kernels that are assigned", "another", .kernelIdentifier) : nil,
      Set(names).count < names.count ? failure(directory, "each name once", "a name again") : nil,
      Set(priorities).count < priorities.count ? failure(directory, "each priority once", "a priority again") : nil,
    ].compactMap { $0 }
  }

  private func nameFailure(_ exchange: Exchange) -> ScenarioFailure? {
    guard exchange.instruction == Instruction.select else { return nil }
    let wanted = commandData(exchange.command)
    let found = exchange.nodes.first(.dfName)?.value ?? []
    return found.starts(with: wanted) ? nil : failure(exchange, wanted.hex, found.isEmpty ? "no tag 84" : found.hex)
  }

  private func mandatoryFailures(_ exchanges: [Exchange]) -> [ScenarioFailure] {
    let found = Set(
      exchanges.filter { $0.instruction == Instruction.readRecord }.flatMap { $0.nodes.primitives.map(\.tag) })
    return [.primaryAccountNumber, .applicationExpirationDate, .cdol1].filter { !found.contains($0) }.map {
      (tag: Tag) in
      failure(nil, "tag \(tag) in the records", "absent")
    }
  }

  private func trackFailures(_ exchanges: [Exchange]) -> [ScenarioFailure] {
    let objects = exchanges.flatMap(\.nodes)
    guard let octets = objects.first(.track2EquivalentData)?.value else { return [failure(nil, "tag 57", "absent")] }
    guard let track = Track2EquivalentData(octets) else { return [failure(nil, "track 2 data", "other bytes")] }
    let number = objects.first(.primaryAccountNumber).flatMap { PrimaryAccountNumber(compressedNumeric: $0.value) }
    let expiry = objects.first(.applicationExpirationDate).map { String($0.value.hex.prefix(4)) }
    return [
      number.map { $0 == track.accountNumber } == false
        ? failure(nil, "the account number of tag 5A", "another one") : nil,
      expiry.map { $0 == track.expiry } == false ? failure(nil, "the month of tag 5F24", "another one") : nil,
    ].compactMap { $0 }
  }

  private func authenticationFailures(_ exchanges: [Exchange]) -> [ScenarioFailure] {
    do throws(AuthenticationFailure) {
      try RecordedAuthentication(exchanges.map { ($0.command, $0.response) }).check()
      return []
    } catch {
      return [failure(nil, "signatures that are right", "\(error)")]
    }
  }
}

extension TLVNode {
  /// Whether an entry of the directory names no kernel, or one that is assigned: 1 to 8 of an international scheme, or one of a
  /// domestic scheme, which needs three bytes (EMV Contactless Book B, 3.3.2.5, table 3-6).
  fileprivate var namesKernel: Bool {
    guard let octets = children.first(where: { $0.tag == .kernelIdentifier })?.value, let first = octets.first else {
      return true
    }
    return first & 0x80 == 0 ? first & 0x3F <= 8 || first & 0x3F >= 0x20 : first & 0x3F == 0 || octets.count >= 3
  }
}

extension Exchange {
  /// The instruction byte; 0 for a command without one.
  var instruction: UInt8 { command.count > 1 ? command[1] : 0 }

  /// The data objects of the response; empty for other data.
  var nodes: [TLVNode] {
    let data = Array((response ?? []).dropLast(2))
    return (try? [TLVNode](parsing: data.span)) ?? []
  }
}
