internal import ISO7816
internal import Octets

extension FaultPlan {
  /// The kinds of faults, and which fields each needs or takes.
  public static var kinds: [String] { parameters.keys.sorted() }

  private enum Field: String, CaseIterable {
    case status, keepsData, by, octets, milliseconds
  }

  private static let parameters: [String: (needs: Set<Field>, takes: Set<Field>)] = [
    "status": ([.status], [.keepsData]), "bad-tlv": ([], []), "wrong-length": ([.by], []),
    "truncated": ([.octets], []), "duplicated": ([], []), "missing": ([], []), "delay": ([.milliseconds], []),
    "chained": ([], [.octets]), "length-corrected": ([], []), "link-lost": ([], []),
  ]

  /// The names of the commands in the books, and their instruction octets.
  static let commands: [String: UInt8] = [
    "SELECT": Instruction.select, "READ RECORD": Instruction.readRecord, "GET DATA": Instruction.getData,
    "GET PROCESSING OPTIONS": Instruction.getProcessingOptions, "GENERATE AC": Instruction.generateAC,
    "COMPUTE CRYPTOGRAPHIC CHECKSUM": 0x2A, "EXCHANGE RELAY RESISTANCE DATA": 0xEA,
  ]

  /// The rules that are right; the others are reported.
  static func rules(_ faults: [CardProfile.Fault], _ reader: inout ProfileReader) -> [Rule] {
    if faults.count > maximumRules {
      reader.report("faults", "\(faults.count) rules: the limit is \(maximumRules)")
    }
    return faults.enumerated().compactMap { rule($0.element, "faults[\($0.offset)]", &reader) }
  }

  private static func rule(_ text: CardProfile.Fault, _ path: String, _ reader: inout ProfileReader) -> Rule? {
    let before = reader.problems.count
    let occasion = occasion(text.when ?? .init(), path + ".when", &reader)
    let times = text.times.map { reader.number($0, path + ".times", 1...0xFFFF) }
    let percent = reader.number(text.percent ?? 100, path + ".percent", 1...100)
    guard let fault = fault(text.what, path + ".what", &reader), reader.problems.count == before else { return nil }
    return Rule(occasion: occasion, fault: fault, times: times, percent: percent, seed: text.seed ?? 0)
  }

  private static func occasion(
    _ text: CardProfile.Fault.Occasion, _ path: String, _ reader: inout ProfileReader
  ) -> Occasion {
    var instruction: UInt8?
    if let command = text.command {
      instruction = commands[command] ?? (command.utf8.count == 2 ? UInt8(command, radix: 16) : nil)
      if instruction == nil {
        let known = commands.keys.sorted().joined(separator: ", ")
        reader.report(
          path + ".command", "\"\(command.prefix(40))\": 2 hexadecimal digits or one of \(known) are needed")
      }
    }
    let exchange = text.exchange.map { reader.number($0, path + ".exchange", 1...0xFFFF) }
    return Occasion(
      instruction: instruction, exchange: exchange, tag: text.tag.flatMap { tag($0, path + ".tag", &reader) })
  }

  private static func tag(_ text: String, _ path: String, _ reader: inout ProfileReader) -> Tag? {
    if text.utf8.count <= 6, let raw = UInt32(text, radix: 16), Tag(rawValue: raw).isWellFormed {
      return Tag(rawValue: raw)
    }
    reader.report(path, "no tag of 2, 4 or 6 hexadecimal digits")
    return nil
  }

  private static func fault(
    _ text: CardProfile.Fault.Kind, _ path: String, _ reader: inout ProfileReader
  ) -> Fault? {
    guard checkFields(text, path, &reader) else { return nil }
    switch text.kind {
    case "status":
      let octets = reader.octets(text.status ?? "", path + ".status", 2...2)
      guard octets.count == 2 else { return nil }
      return .status(
        StatusWord(rawValue: UInt16(octets[0]) << 8 | UInt16(octets[1])), keepsData: text.keepsData ?? false)
    case "wrong-length":
      let change = reader.number(text.by ?? 0, path + ".by", -127...127)
      if change == 0 { reader.report(path + ".by", "0: that changes nothing") }
      return .wrongLength(by: change)
    case "truncated": return .truncated(octets: reader.number(text.octets ?? 0, path + ".octets", 1...256))
    case "delay":
      return .delay(milliseconds: reader.number(text.milliseconds ?? 0, path + ".milliseconds", 1...maximumDelay))
    case "chained": return .chained(part: reader.number(text.octets ?? 256, path + ".octets", 1...256))
    case "bad-tlv": return .malformed
    case "duplicated": return .duplicated
    case "missing": return .missing
    case "length-corrected": return .lengthCorrected
    default: return .linkLost
    }
  }

  /// A kind must be known, have what it needs and nothing that it does not take.
  private static func checkFields(
    _ text: CardProfile.Fault.Kind, _ path: String, _ reader: inout ProfileReader
  ) -> Bool {
    guard let (needs, takes) = parameters[text.kind] else {
      reader.report(
        path + ".kind", "\"\(text.kind.prefix(40))\": the kinds are \(kinds.joined(separator: ", "))")
      return false
    }
    let fields: [(field: Field, isGiven: Bool)] = [
      (.status, text.status != nil), (.keepsData, text.keepsData != nil), (.by, text.by != nil),
      (.octets, text.octets != nil), (.milliseconds, text.milliseconds != nil),
    ]
    var isRight = true
    for (field, isGiven) in fields
    where isGiven ? !(needs.contains(field) || takes.contains(field)) : needs.contains(field) {
      reader.report("\(path).\(field.rawValue)", isGiven ? "\(text.kind) does not take it" : "\(text.kind) needs it")
      isRight = false
    }
    return isRight
  }
}
