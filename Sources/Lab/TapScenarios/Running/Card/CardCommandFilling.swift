internal import EMVData
internal import EMVDecoding
internal import ISO7816

/// Fills the values of a command from the responses before it and from the values of the terminal.
struct CardCommandFilling {
  /// The lists of the application that is selected.
  var context = DecodingContext()
  /// The names in the directory, in their order, and the kernel that each names.
  var directory: [(name: [UInt8], kernel: Int?)] = []
  /// The locator of the last response to GET PROCESSING OPTIONS.
  var locator: ApplicationFileLocator?
  /// The AIP of the last response to GET PROCESSING OPTIONS.
  private var interchangeProfile: [UInt8] = []
  /// Whether the last response to GET PROCESSING OPTIONS had a cryptogram.
  private var hasCryptogram = false
  /// Whether the card of that response may have no records.
  private var needsNoRecords = false
  private let application: [UInt8]
  private let kernel: Int?
  private let values: [Tag: [UInt8]]

  /// The default values: a purchase of 12.34 EUR at an attended terminal in Germany that works online.
  private static let defaults: [Tag: [UInt8]] = [
    0x9F02: [0, 0, 0, 0, 0x12, 0x34], 0x9F03: [0, 0, 0, 0, 0, 0], 0x9F1A: [0x02, 0x76], 0x5F2A: [0x09, 0x78],
    0x95: [0, 0, 0, 0, 0], 0x9A: [0x26, 0x01, 0x31], 0x9C: [0x00], 0x9F21: [0x12, 0, 0], 0x9F35: [0x22],
    0x9F33: [0xE0, 0xF8, 0xC8], 0x9F40: [0x60, 0, 0xF0, 0xA0, 0x01], 0x9F34: [0x1F, 0x00, 0x02],
    0x9F66: [0x26, 0x00, 0x40, 0x00], 0x9F45: [0, 0], 0x9F4C: [0, 0, 0, 0, 0, 0, 0, 0], 0x9F09: [0x00, 0x02],
    0x9F6A: [0, 0, 0x12, 0x34], 0x9F7E: [0x00],
  ]

  /// - Parameter recorded: The values of a recorded terminal, in place of the default ones.
  init(_ test: CardTest, unpredictableNumber: [UInt8], recorded: [Tag: [UInt8]]) {
    (application, kernel) = (test.application, test.kernel)
    values = Self.defaults.merging([0x9F37: unpredictableNumber]) { $1 }.merging(recorded) { $1 }
      .merging(test.values) { $1 }
  }

  /// Why a command cannot be filled in.
  struct Missing: Error {
    /// The data that the card did not give.
    let name: String
    /// Whether the card has the list of the other mode of kernel 2, so that the scenario does not apply to this card.
    var isOtherMode = false
  }

  /// The name of the application that is judged; nil before the directory is read, and for a card without it.
  var chosenApplication: [UInt8]? {
    directory.first { entry in
      entry.name.starts(with: application) && (kernel == nil || entry.kernel == nil || entry.kernel == kernel)
    }?.name
  }

  /// Whether the directory was read and has no application that is judged.
  var isNotApplicable: Bool { !application.isEmpty && !directory.isEmpty && chosenApplication == nil }

  /// Whether a card of kernel 2 has EMV mode: AIP byte 2 bit 8 (EMV Contactless Book C-2, not public; as open cards and
  /// terminals do).
  private var hasEMVMode: Bool { interchangeProfile.dropFirst().first.map { $0 & 0x80 != 0 } ?? false }
  /// Whether a card of kernel 2 has mag-stripe mode only.
  var isMagstripeOnly: Bool { context.udol != nil && context.cdol1 == nil && !hasEMVMode }

  /// The commands of a step.
  func commands(_ form: CardCommandForm) throws(Missing) -> [[UInt8]] {
    if case .bytes(let octets) = form.kind { return [octets] }
    if form.kind == .readRecords {
      guard locator != nil || needsNoRecords else { throw Missing(name: "an AFL") }
      return (locator?.records ?? []).map {
        form.command([0x00, Instruction.readRecord, $0.record, $0.sfi << 3 | 0x04], nil)
      }
    }
    if form.kind == .cryptogram {
      guard !hasCryptogram else { return [] }
      let kind: CardCommandForm.Kind = context.cdol1 == nil && context.udol != nil ? .computeChecksum : .generateAC
      var form = form
      form.kind = kind
      return try commands(form)
    }
    let (header, data) = try content(form)
    return [form.command(header, data)]
  }

  private func content(_ form: CardCommandForm) throws(Missing) -> (header: [UInt8], data: [UInt8]?) {
    switch form.kind {
    case .bytes(let octets): return (octets, nil)
    case .selectDirectory: return ([0x00, Instruction.select, 0x04, 0x00], Array("2PAY.SYS.DDF01".utf8))
    case .selectApplication:
      guard let name = form.data ?? chosenApplication else { throw Missing(name: "a directory with the application") }
      return ([0x00, Instruction.select, 0x04, 0x00], name)
    case .processingOptions:
      let list = context.pdol.map { filled($0, form) } ?? []
      return ([0x80, Instruction.getProcessingOptions, 0x00, 0x00], TLVNode(0x83, list).encoded)
    case .readRecord(let position):
      guard let records = locator?.records, records.indices.contains(position - 1) else {
        throw Missing(name: "an AFL with \(position) records", isOtherMode: needsNoRecords)
      }
      let record = records[position - 1]
      return ([0x00, Instruction.readRecord, record.record, record.sfi << 3 | 0x04], nil)
    case .readRecords, .cryptogram: throw Missing(name: "one command")
    case .generateAC:
      guard let list = context.cdol1 else { throw Missing(name: "a CDOL1 (tag 8C)", isOtherMode: context.udol != nil) }
      return ([0x80, Instruction.generateAC, 0x80, 0x00], filled(list, form))
    case .computeChecksum:
      guard let list = context.udol else {
        throw Missing(name: "a UDOL (tag 9F69)", isOtherMode: context.cdol1 != nil || hasEMVMode)
      }
      return ([0x80, 0x2A, 0x8E, 0x80], filled(list, form))
    case .exchangeRelayData:
      return ([0x80, 0xEA, 0x00, 0x00], (form.values[0x9F37] ?? values[0x9F37]))
    case .getData: return ([0x80, Instruction.getData, 0x9F, 0x36], nil)
    }
  }

  private func filled(_ list: DataObjectList, _ form: CardCommandForm) -> [UInt8] {
    let all = values.merging(form.values) { $1 }
    return list.values(from: { (tag: Tag) in all[tag] })
  }

  /// Takes the directory, the lists and the locator of a response.
  mutating func learn(_ command: [UInt8], _ response: [UInt8]) {
    context.learn(command: command, response: response)
    guard command.count > 1, response.suffix(2).elementsEqual([0x90, 0x00]) else { return }
    let data = Array(response.dropLast(2))
    let nodes = (try? [TLVNode](parsing: data.span)) ?? []
    if TestedCommand.name(of: command, after: 0) == "SELECT PPSE" {
      directory = nodes.all(0x61).compactMap { entry in
        // Bits 6 to 1 of the first byte are the kernel (EMV Contactless Book B, table 3-6).
        let kernel = entry.first(.kernelIdentifier)?.value.first.map { Int($0 & 0x3F) }
        return entry.first(0x4F).map { ($0.value, kernel) }
      }
    }
    if command[1] == Instruction.getProcessingOptions {
      locator = ApplicationFileLocator(ofResponse: response)
      hasCryptogram = nodes.first(.applicationCryptogram) != nil
      needsNoRecords = nodes.needNoRecords
      interchangeProfile =
        nodes.first(.applicationInterchangeProfile)?.value ?? nodes.first(.responseFormat1)?.value ?? []
    }
  }
}

extension CardCommandForm {
  /// A command with this header and these data, as far as the form does not have its own.
  fileprivate func command(_ header: [UInt8], _ data: [UInt8]?) -> [UInt8] {
    let own = [cla, ins, p1, p2]
    let head = zip(header, own).map { $1 ?? $0 }
    let data = self.data ?? data ?? []
    let body = data.isEmpty ? [] : [UInt8(truncatingIfNeeded: data.count)] + data
    switch le {
    case nil: return head + body + [0x00]
    case ExpectedLength.none?: return head + body
    case .octet(let octet)?: return head + body + [octet]
    }
  }
}

extension [TLVNode] {
  /// Every data object with a tag, at any depth.
  func all(_ tag: Tag) -> [TLVNode] {
    flatMap { node in (node.tag == tag ? [node] : []) + node.children.all(tag) }
  }

  /// Whether options have a cryptogram and no locator: a card that computes with the options may have no records (EMV
  /// Contactless Book C-3 v2.11, 4.2.2).
  var needNoRecords: Bool { first(.applicationCryptogram) != nil && first(.applicationFileLocator) == nil }

  /// Every primitive data object, at any depth.
  var primitives: [TLVNode] { flatMap { $0.tag.isConstructed ? $0.children.primitives : [$0] } }
}
