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

  private let kernel: CardProfile.Kernel
  private let pdol: DataObjectList
  private let interchangeProfile: [UInt8]
  private let layout: IssuerDataLayout
  private let selectResponse: [UInt8]
  private let options: Options
  private let generation: GenerationTemplate?
  private let checksum: ChecksumTemplate?
  private let relayResponse: [UInt8]
  private let records: [CompiledRecord]
  private let dataObjects: [TLVNode]

  init(profile: CardProfile.Application, path: String, reader: inout ProfileReader) {
    kernel = profile.kernel
    aid = reader.octets(profile.aid, path + ".aid", AID.counts)
    priority = UInt8(reader.number(profile.priority, path + ".priority", 1...15))
    let label = Array(profile.label.utf8)
    if !(1...16).contains(label.count) || !label.allSatisfy({ (0x20...0x7E).contains($0) }) {
      reader.report(path + ".label", "1...16 printable characters are needed")
    }
    let version = Self.version(profile, path + ".cryptogram", &reader)
    pdol = Self.pdol(profile, version, path + ".pdol", &reader)
    interchangeProfile = reader.octets(profile.aip, path + ".aip", 2...2)
    layout = IssuerDataLayout(profile.cryptogram, version, path + ".cryptogram", &reader)
    let lengths = profile.kernel == .mastercard ? KernelTwoTag.lengths : [:]
    records = CompiledRecord.compile(profile.records, path + ".records", lengths: lengths, &reader)
    dataObjects = Self.dataObjects(profile.getData ?? [], path + ".getData", &reader)
    checksum =
      profile.kernel == .mastercard ? ChecksumTemplate(records, path + ".records", &reader) : nil
    options = Self.options(profile, interchangeProfile, records, layout, path, &reader)
    let generates = Self.generates(profile.kernel, interchangeProfile)
    generation = generates ? Self.generation(profile, records, layout, path, &reader) : nil
    relayResponse = Self.relayResponse(profile, path + ".relayResistance", &reader)
    Self.check(profile, interchangeProfile, records, path, &reader)
    directoryEntry = [
      TLVNode(.adfName, aid), TLVNode(.applicationLabel, label), TLVNode(.applicationPriorityIndicator, [priority]),
      TLVNode(.kernelIdentifier, [profile.kernel.identifier]),
    ]
    selectResponse = Self.selectResponse(profile, aid, label, priority, path, &reader)
    facts = ApplicationFacts(
      profile, records, pdol, version, generation, checksum,
      isGenerating: profile.kernel == .visa || generates
    ).make(aid, path, &reader)
  }

  /// Puts the application into the arena.
  ///
  /// - Parameter firstKey: How many keys the applications before it need.
  func place(in compiler: inout ImageCompiler, firstKey: Int) -> ApplicationImage {
    let placedRecords = records.map { ($0.key, compiler.place($0.response)) }
    let placedObjects = dataObjects.map {
      (UInt16(truncatingIfNeeded: $0.tag.rawValue), compiler.place(ResponseAPDU(data: $0.encoded).encoded))
    }
    let profile = compiler.place(interchangeProfile)
    var commands: CommandSet = relayResponse.isEmpty ? [] : .exchangeRelayData
    if generation != nil { commands.insert(.generateAC) }
    if checksum != nil { commands.insert(.computeChecksum) }
    return ApplicationImage(
      aid: compiler.place(aid), selectResponse: compiler.place(selectResponse), commands: commands,
      firstKey: firstKey, options: place(options, profile, in: &compiler),
      generation: generation.map { $0.place(in: &compiler, profile, pdol: pdol) },
      checksum: checksum.map { $0.place(in: &compiler, pdol: pdol) }, relayResponse: compiler.place(relayResponse),
      records: compiler.place(Self.index(placedRecords)), dataObjects: compiler.place(Self.index(placedObjects)))
  }

  private func place(
    _ options: Options, _ profile: ArenaSlice, in compiler: inout ImageCompiler
  ) -> OptionsImage {
    let (response, cryptogram) =
      switch options {
      case .plain(let template): (template.response, OptionsCryptogramImage?.none)
      case .withCryptogram(let template):
        (
          template.response,
          OptionsCryptogramImage(
            atcOffset: template.atcOffset, cryptogramOffset: template.cryptogramOffset,
            qualifiersOffset: template.qualifiersOffset,
            plan: layout.version.plan(
              in: &compiler, profile, pdol, CryptogramStep.optionsValues,
              covered: layout.version.coveredIssuerData(of: layout.octets(.asGiven)) ?? []))
        )
      }
    return OptionsImage(
      valueCount: pdol.valueCount, response: compiler.place(response), refusal: kernel.refusal,
      cryptogram: cryptogram, mobileSupport: pdol.mobileSupport, terms: PaymentTermsLayout(nil, pdol: pdol))
  }

  private static func index(_ entries: [(key: UInt16, slice: ArenaSlice)]) -> [UInt8] {
    entries.flatMap { entry in
      [entry.key, UInt16(entry.slice.offset), UInt16(entry.slice.count)].flatMap(\.bigEndianOctets)
    }
  }
}

extension CardProfile.Kernel {
  /// Tag 9F2A (EMV Contactless Book B, table 3-3).
  var identifier: UInt8 {
    switch self {
    case .mastercard: 0x02
    case .visa: 0x03
    case .americanExpress: 0x04
    }
  }

  /// What an unarmed card answers to GET PROCESSING OPTIONS so that the terminal sends its user to the phone. The same
  /// status word says different things to different kernels (EMV Contactless Books C-3, 5.4, and C-4, 8.2.4).
  var refusal: StatusWord? {
    switch self {
    // Kernel 2 hears it from the answer that would bring the cryptogram.
    case .mastercard: nil
    case .visa: .commandNotAllowed
    case .americanExpress: .referencedDataInvalidated
    }
  }
}
