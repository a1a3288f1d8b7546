public import Documents
internal import EMVData
internal import ISO7816
internal import JSON

extension CardFaultPlan {
  /// The names of the kinds, sorted.
  public static var kinds: [String] { FaultKeys.faultParameters.keys.sorted() }

  /// The names of the commands in the books, and their instruction bytes.
  static let commands: [String: UInt8] = [
    "SELECT": Instruction.select, "READ RECORD": Instruction.readRecord, "GET DATA": Instruction.getData,
    "GET PROCESSING OPTIONS": Instruction.getProcessingOptions, "GENERATE AC": Instruction.generateAC,
    "COMPUTE CRYPTOGRAPHIC CHECKSUM": 0x2A, "EXCHANGE RELAY RESISTANCE DATA": 0xEA,
  ]

  /// The key `faults` of a profile, for the schema and the table of keys.
  public static var profileKey: ProfileKey { FaultKeys.faults }

  /// Reads `faults` of a profile. Notes the problems and leaves out the rules that have some.
  static func rules(_ profile: inout ObjectReader) -> [Rule] {
    let rules = profile.optionalObjects(FaultKeys.faults.name) { Self.rule(&$0) } ?? []
    if rules.count > maximumRules {
      profile.note("faults", "\(rules.count) rules: the limit is \(maximumRules)")
    }
    return rules.compactMap(\.self)
  }

  private static func rule(_ reader: inout ObjectReader) -> Rule? {
    let occasion =
      reader.optionalObject(FaultKeys.when.name) { Self.occasion(&$0) }
      ?? Occasion(instruction: nil, exchange: nil, tag: nil)
    let fault = reader.object(FaultKeys.what.name) { Self.fault(&$0) }
    let times = reader.integer(FaultKeys.times)
    let percent = reader.integer(FaultKeys.percent) ?? 100
    let seed = reader.integer(FaultKeys.seed) ?? 0
    if case .value? = fault, occasion.tag == nil { reader.note("when", "value needs the tag of the data object") }
    for tag in fault.map({ written(by: $0, occasion.tag) }) ?? [] where keptTags.contains(tag) {
      reader.note(
        "what", "\(tag) is not replaced: an account number, a counter or a cryptogram comes from the card only")
    }
    return fault.map { Rule(occasion: occasion, fault: $0, times: times, percent: percent, seed: UInt64(seed)) }
  }

  /// The data elements that no fault replaces or adds: account numbers and tracks, the counter, cryptograms and signatures.
  private static let keptTags: Set<Tag> = [
    0x56, 0x57, 0x5A, 0x9F6B, .applicationTransactionCounter, .applicationCryptogram, .issuerApplicationData, 0x9F4B,
    0x9F60, 0x9F61,
  ]

  /// The tags of the data objects that a fault replaces or adds, those within templates included.
  private static func written(by fault: Fault, _ tag: Tag?) -> [Tag] {
    func tags(_ nodes: [TLVNode]) -> [Tag] { nodes.flatMap { [$0.tag] + tags($0.children) } }
    switch fault {
    case .value(let octets):
      let inner = tag?.isConstructed == true ? (try? [TLVNode](parsing: octets.span)) ?? [] : []
      return [tag].compactMap(\.self) + tags(inner)
    case .added(let octets): return tags((try? [TLVNode](parsing: octets.span)) ?? [])
    default: return []
    }
  }

  private static func occasion(_ reader: inout ObjectReader) -> Occasion {
    var instruction: UInt8?
    if let command = reader.optionalText(FaultKeys.command.name) {
      instruction = commands[command] ?? (command.utf8.count == 2 ? UInt8(command, radix: 16) : nil)
      if instruction == nil {
        let known = commands.keys.sorted().joined(separator: ", ")
        reader.note("command", "\"\(command.prefix(40))\": 2 hexadecimal digits or one of \(known) are needed")
      }
    }
    let exchange = reader.integer(FaultKeys.exchange)
    let tag = reader.optionalText(FaultKeys.tag.name).map {
      Tag(rawValue: $0.utf8.count <= 6 ? UInt32($0, radix: 16) ?? 0 : 0)
    }
    if let tag, !tag.isWellFormed { reader.note("tag", "not a tag of 2, 4 or 6 hexadecimal digits") }
    return Occasion(instruction: instruction, exchange: exchange, tag: tag)
  }

  private static func fault(_ reader: inout ObjectReader) -> Fault? {
    let kind = reader.text(FaultKeys.kind.name)
    guard checkParameters(kind, &reader) else { return nil }
    switch kind {
    case "status":
      let octets = reader.octets(FaultKeys.status) ?? [0, 0]
      let keepsData = reader.flag(FaultKeys.keepsData) ?? false
      return .status(StatusWord(rawValue: UInt16(octets[0]) << 8 | UInt16(octets[1])), keepsData: keepsData)
    case "wrong-length":
      let change = reader.integer(FaultKeys.by) ?? 1
      if change == 0 { reader.note("by", "0: that changes nothing") }
      return .wrongLength(by: change)
    case "truncated": return .truncated(octets: reader.integer(FaultKeys.missingOctets) ?? 1)
    case "delay": return .delay(milliseconds: reader.integer(FaultKeys.milliseconds) ?? 1)
    case "chained": return .chained(part: reader.integer(FaultKeys.partOctets) ?? 256)
    case "bad-tlv": return .malformed
    case "duplicated": return .duplicated
    case "missing": return .missing
    case "length-corrected": return .lengthCorrected
    case "value": return .value(reader.octets(FaultKeys.replacement) ?? [])
    case "added":
      let objects = reader.octets(FaultKeys.objects) ?? []
      if !objects.isEmpty, (try? [TLVNode](parsing: objects.span)) == nil {
        reader.note("objects", "not a sequence of whole data objects")
      }
      return .added(objects)
    default: return .linkLost
    }
  }

  /// Checks that the kind is known, has the parameters that it needs and has no others.
  private static func checkParameters(_ kind: String, _ reader: inout ObjectReader) -> Bool {
    guard let parameters = FaultKeys.faultParameters[kind] else {
      reader.refuse("kind", "\"\(kind.prefix(40))\": the kinds are \(kinds.joined(separator: ", "))")
      reader.acceptUnknownKeys()
      return false
    }
    var isRight = true
    for name in FaultKeys.faultParameterNames {
      let isGiven = reader.has(name)
      let parameter = parameters.first { $0.name == name }
      guard isGiven ? parameter == nil : parameter?.isRequired == true else { continue }
      reader.note(name, isGiven ? "\(kind) does not take it" : "\(kind) needs it")
      isRight = false
    }
    return isRight
  }
}
