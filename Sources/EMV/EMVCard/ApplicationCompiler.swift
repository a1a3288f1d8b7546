internal import EMVCryptography
internal import EMVData
internal import ISO7816
internal import Octets

/// Checks one application of a profile and lays it out for the arena.
struct ApplicationCompiler {
  let aid: [UInt8]
  let priority: UInt8
  let facts: CardImage.Application?
  let directoryEntry: [TLVNode]

  private let pdol: DataObjectList
  private let interchangeProfile: [UInt8]
  private let issuerData: [UInt8]
  private let selectResponse: [UInt8]
  private let options: OptionsTemplate
  private let records: [CompiledRecord]
  private let dataObjects: [TLVNode]
  private let version: CryptogramVersion

  init(profile: CardProfile.Application, path: String, reader: inout ProfileReader) {
    aid = reader.octets(profile.aid, path + ".aid", AID.counts)
    priority = UInt8(reader.number(profile.priority, path + ".priority", 1...15))
    let label = Array(profile.label.utf8)
    if !(1...16).contains(label.count) || !label.allSatisfy({ (0x20...0x7E).contains($0) }) {
      reader.report(path + ".label", "1...16 printable characters are needed")
    }
    version = Self.version(profile.cryptogram, path + ".cryptogram", &reader)
    pdol = Self.pdol(profile.pdol, path + ".pdol", &reader)
    interchangeProfile = reader.octets(profile.aip, path + ".aip", 2...2)
    issuerData = Self.issuerData(profile.cryptogram, version, path + ".cryptogram", &reader)
    records = CompiledRecord.compile(profile.records, path + ".records", &reader)
    dataObjects = Self.dataObjects(profile.getData ?? [], path + ".getData", &reader)
    options = OptionsTemplate(
      interchangeProfile: interchangeProfile, locator: CompiledRecord.locator(of: records), issuerData: issuerData,
      qualifiers: reader.octets(profile.ctq, path + ".ctq", 2...2),
      further: reader.dataObjects(profile.processingOptions ?? [], path + ".processingOptions"))
    options.check(path + ".processingOptions", records, &reader)
    directoryEntry = [
      TLVNode(.adfName, aid), TLVNode(.applicationLabel, label), TLVNode(.applicationPriorityIndicator, [priority]),
      TLVNode(.kernelIdentifier, [profile.kernel.identifier]),
    ]
    selectResponse = Self.selectResponse(profile, aid, label, priority, path, &reader)
    facts = Self.facts(profile, aid, records, pdol, version, path, &reader)
  }

  /// Puts the application into the arena.
  func place(in compiler: inout ImageCompiler) -> ApplicationImage {
    let placedRecords = records.map { ($0.key, compiler.place($0.response)) }
    let placedObjects = dataObjects.map {
      (UInt16(truncatingIfNeeded: $0.tag.rawValue), compiler.place(ResponseAPDU(data: $0.encoded).encoded))
    }
    return ApplicationImage(
      aid: compiler.place(aid), selectResponse: compiler.place(selectResponse), pdolValueCount: pdol.valueCount,
      optionsResponse: compiler.place(options.response), atcOffset: options.atcOffset,
      cryptogramOffset: options.cryptogramOffset, qualifiersOffset: options.qualifiersOffset,
      cryptogramPlan: plan(in: &compiler), hasMandatoryPadding: version.padding == .mandatory,
      records: compiler.place(Self.index(placedRecords)), dataObjects: compiler.place(Self.index(placedObjects)))
  }

  private func plan(in compiler: inout ImageCompiler) -> ArenaSlice {
    let profile = compiler.place(interchangeProfile)
    let covered = compiler.place(version.coveredIssuerData(of: issuerData) ?? [])
    let steps = CryptogramVersion.dataElements.flatMap { tag -> [UInt8] in
      switch tag {
      case .applicationInterchangeProfile: Self.step(CryptogramStep.constant, profile.offset, profile.count)
      case .applicationTransactionCounter: Self.step(CryptogramStep.transactionCounter, 0, 2)
      default:
        pdol.range(of: tag).map { Self.step(CryptogramStep.terminalValues, $0.lowerBound, $0.count) } ?? []
      }
    }
    return compiler.place(steps + Self.step(CryptogramStep.constant, covered.offset, covered.count))
  }

  private static func step(_ kind: UInt8, _ offset: Int, _ count: Int) -> [UInt8] {
    [kind, UInt8(offset >> 8), UInt8(offset & 0xFF), UInt8(count)]
  }

  private static func index(_ entries: [(key: UInt16, slice: ArenaSlice)]) -> [UInt8] {
    entries.flatMap { entry in
      [entry.key, UInt16(entry.slice.offset), UInt16(entry.slice.count)].flatMap { [UInt8($0 >> 8), UInt8($0 & 0xFF)] }
    }
  }
}

extension CardProfile.Kernel {
  /// Tag 9F2A (EMV Contactless Book B, table 3-3).
  var identifier: UInt8 {
    switch self {
    case .visa: 0x03
    }
  }
}
