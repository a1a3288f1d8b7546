internal import EMVCryptography
internal import EMVData
internal import ISO7816
internal import Octets

extension ApplicationCompiler {
  /// The answer to GET PROCESSING OPTIONS.
  enum Options {
    case withCryptogram(OptionsTemplate)
    case plain(PlainOptions)
  }

  static func options(
    _ profile: CardProfile.Application, _ interchangeProfile: [UInt8], _ records: [CompiledRecord],
    _ layout: IssuerDataLayout, _ path: String, _ reader: inout ProfileReader
  ) -> Options {
    let locator = CompiledRecord.locator(of: records)
    let further = reader.dataObjects(profile.processingOptions ?? [], path + ".processingOptions")
    guard profile.kernel == .visa else {
      let format = reader.number(profile.optionsFormat ?? 2, path + ".optionsFormat", 1...2)
      let options = PlainOptions(
        interchangeProfile: interchangeProfile, locator: locator, format: format, further: further,
        isMobileVerified: profile.kernel == .americanExpress)
      options.check(path, records, &reader)
      return .plain(options)
    }
    let qualifiers = reader.octets(profile.ctq ?? "", path + ".ctq", 2...2)
    let options = OptionsTemplate(
      interchangeProfile: interchangeProfile, locator: locator, issuerData: layout.octets(.asGiven),
      qualifiers: qualifiers, further: further)
    options.check(path + ".processingOptions", records, &reader)
    return .withCryptogram(options)
  }

  /// Whether the application has an EMV mode with GENERATE AC: kernel 2 looks at tag 82 byte 2 bit 8.
  static func generates(_ kernel: CardProfile.Kernel, _ interchangeProfile: [UInt8]) -> Bool {
    switch kernel {
    case .visa: false
    case .americanExpress: true
    case .mastercard: interchangeProfile.isEmpty || interchangeProfile[1] & 0x80 != 0
    }
  }

  static func generation(
    _ profile: CardProfile.Application, _ records: [CompiledRecord], _ layout: IssuerDataLayout, _ path: String,
    _ reader: inout ProfileReader
  ) -> GenerationTemplate? {
    let format = reader.number(profile.cryptogramFormat ?? 2, path + ".cryptogramFormat", 1...2)
    guard let octets = records.flatMap(\.nodes).first(where: { $0.tag == .cdol1 })?.value else {
      reader.report(path + ".records", "tag 8C is missing: GENERATE AC brings what it asks for")
      return nil
    }
    guard let list = reader.list(octets, path + ".records", limit: 255, name: "tag 8C") else { return nil }
    reader.check(list, covers: layout.version, path + ".records", name: "tag 8C: ")
    return GenerationTemplate(list, layout, format: format, asksForVerification: profile.kernel == .mastercard)
  }

  static func relayResponse(
    _ profile: CardProfile.Application, _ path: String, _ reader: inout ProfileReader
  ) -> [UInt8] {
    guard profile.kernel == .mastercard, let times = profile.relayResistance else { return [] }
    let values = [
      reader.number(times.minimum, path + ".minimum", 0...0xFFFF),
      reader.number(times.maximum, path + ".maximum", 0...0xFFFF),
      reader.number(times.transmission, path + ".transmission", 0...0xFFFF),
    ]
    if times.minimum > times.maximum {
      reader.report(path + ".minimum", "\(times.minimum): it is above the maximum, \(times.maximum)")
    }
    let entropy = [UInt8](repeating: 0, count: RelayEntropy.count)
    let data = entropy + values.flatMap { UInt16($0).bigEndianOctets }
    return ResponseAPDU(data: TLVNode(.responseFormat1, data).encoded).encoded
  }

  /// What belongs to one kernel and not to another, and what tag 82 must say.
  static func check(
    _ profile: CardProfile.Application, _ interchangeProfile: [UInt8], _ records: [CompiledRecord], _ path: String,
    _ reader: inout ProfileReader
  ) {
    let isVisa = profile.kernel == .visa
    let given: [(String, Bool, isRight: Bool)] = [
      ("ctq", profile.ctq != nil, isVisa), ("optionsFormat", profile.optionsFormat != nil, !isVisa),
      ("cryptogramFormat", profile.cryptogramFormat != nil, !isVisa),
      ("relayResistance", profile.relayResistance != nil, profile.kernel == .mastercard),
    ]
    for (name, isGiven, isRight) in given where isGiven && !isRight {
      reader.report("\(path).\(name)", "kernel \(profile.kernel.identifier) has no use for it")
    }
    guard !isVisa, interchangeProfile.count == 2 else { return }
    let bits = ApplicationInterchangeProfile(
      rawValue: UInt16(interchangeProfile[0]) << 8 | UInt16(interchangeProfile[1]))
    if bits.isSet(octet: 1, bit: 6) || bits.isSet(octet: 1, bit: 1) {
      reader.report(path + ".aip", "byte 1 bits 6 and 1 must be 0: this card makes no signatures")
    }
    if profile.kernel == .mastercard { return checkKernel2(profile, bits, records, path, &reader) }
    if !bits.isSet(octet: 2, bit: 7) {
      reader.report(path + ".aip", "byte 2 bit 7 must be 1: only a mobile device gives tag 9F71")
    }
  }

  private static func checkKernel2(
    _ profile: CardProfile.Application, _ bits: ApplicationInterchangeProfile, _ records: [CompiledRecord],
    _ path: String, _ reader: inout ProfileReader
  ) {
    if !bits.contains(.onDeviceVerification) {
      reader.report(path + ".aip", "byte 1 bit 2 must be 1: this card's holder is verified on the device")
    }
    let hasTrack = records.flatMap(\.nodes).contains { $0.tag == KernelTwoTag.track2Data }
    if !bits.isSet(octet: 2, bit: 8), !hasTrack {
      reader.report(path + ".aip", "byte 2 bit 8 is 0: without EMV mode, tag 9F6B must give a mag-stripe mode")
    }
    if bits.isSet(octet: 2, bit: 1) != (profile.relayResistance != nil) {
      reader.report(path + ".aip", "byte 2 bit 1 and relayResistance go together: both or neither")
    }
  }
}

extension ProfileReader {
  /// Reads a data object list; nil when it is none.
  mutating func list(_ octets: [UInt8], _ path: String, limit: Int, name: String) -> DataObjectList? {
    guard let list = try? DataObjectList(parsing: octets) else {
      report(path, "\(name) is no data object list: tags, each with a length octet, are needed")
      return nil
    }
    if list.valueCount > limit { report(path, "\(name): \(list.valueCount) octets of values: the limit is \(limit)") }
    return list
  }

  /// Reports what a cryptogram covers and a list does not bring.
  mutating func check(
    _ list: DataObjectList, covers version: CryptogramVersion, _ path: String, name: String = ""
  ) {
    let fromCard: [Tag] = [.applicationInterchangeProfile, .applicationTransactionCounter]
    for tag in version.elements where !fromCard.contains(tag) {
      guard let wanted = DataElement.named(tag)?.lengths.upperBound else { continue }
      let found = list.range(of: tag)?.count
      if found != wanted {
        let given = found.map { "with length \($0)" } ?? "missing"
        report(path, "\(name)tag \(tag) is \(given): the cryptogram covers it with length \(wanted)")
      }
    }
  }
}
