internal import EMVCryptography
internal import EMVData
internal import ISO7816
internal import Octets

extension ApplicationCompiler {
  static func version(
    _ cryptogram: CardProfile.Cryptogram, _ path: String, _ reader: inout ProfileReader
  ) -> CryptogramVersion {
    // The others cover other data than this compiler lays out.
    let made: [CryptogramVersion] = [.visa10, .visa18]
    if let version = made.first(where: { Int($0.number) == cryptogram.version }) { return version }
    reader.report(path + ".version", "\(cryptogram.version): this engine makes Visa cryptograms of versions 10 and 18")
    return .visa18
  }

  static func pdol(_ text: String, _ path: String, _ reader: inout ProfileReader) -> DataObjectList {
    let octets = reader.octets(text, path, 0...252)
    guard let list = try? DataObjectList(parsing: octets) else {
      reader.report(path, "no data object list: tags, each with a length octet, are needed")
      return DataObjectList(entries: [])
    }
    // Tag 83 and its length octets share the 255 octets of command data with the values.
    if list.valueCount > 252 { reader.report(path, "\(list.valueCount) octets of values: the limit is 252") }
    let fromCard: [Tag] = [.applicationInterchangeProfile, .applicationTransactionCounter]
    for tag in CryptogramVersion.dataElements where !fromCard.contains(tag) {
      guard let wanted = DataElement.named(tag)?.lengths.upperBound else { continue }
      let found = list.range(of: tag)?.count
      if found != wanted {
        let given = found.map { "with length \($0)" } ?? "missing"
        reader.report(path, "tag \(tag) is \(given): the cryptogram covers it with length \(wanted)")
      }
    }
    return list
  }

  static func issuerData(
    _ cryptogram: CardProfile.Cryptogram, _ version: CryptogramVersion, _ path: String, _ reader: inout ProfileReader
  ) -> [UInt8] {
    let index = reader.octets(cryptogram.derivationKeyIndex, path + ".derivationKeyIndex", 1...1)
    let results = reader.octets(cryptogram.cvr, path + ".cvr", 4...4)
    if let first = results.first, first != 0x03 {
      reader.report(path + ".cvr", "the first octet is \(first.hex): it states the length of the others, 03")
    } else if !results.isEmpty, CryptogramType(visaCardVerificationResults: results) != .arqc {
      reader.report(path + ".cvr", "byte 2 bits 6 and 5 must say ARQC (10): this card always asks to go online")
    }
    return VisaIssuerApplicationData.standard(
      derivationKeyIndex: index.first ?? 0, cryptogramVersionNumber: version.number, cardVerificationResults: results)
  }

  static func dataObjects(_ texts: [String], _ path: String, _ reader: inout ProfileReader) -> [TLVNode] {
    let nodes = reader.dataObjects(texts, path)
    let limit = ImageCompiler.maximumDataObjects
    if nodes.count > limit { reader.report(path, "\(nodes.count) data objects: the limit is \(limit)") }
    for (index, node) in nodes.enumerated() where node.tag.octetCount > 2 || node.tag == .applicationTransactionCounter
    {
      reader.report(
        path + "[\(index)]", "tag \(node.tag) cannot be asked for: P1-P2 name it, and 9F36 is the card's own")
    }
    return nodes
  }

  static func selectResponse(
    _ profile: CardProfile.Application, _ aid: [UInt8], _ label: [UInt8], _ priority: UInt8, _ path: String,
    _ reader: inout ProfileReader
  ) -> [UInt8] {
    let list = (try? [UInt8](hex: profile.pdol)) ?? []
    let discretionary = reader.dataObjects(profile.issuerDiscretionary ?? [], path + ".issuerDiscretionary")
    var inner = [TLVNode(.applicationLabel, label), TLVNode(.applicationPriorityIndicator, [priority])]
    inner += list.isEmpty ? [] : [TLVNode(.pdol, list)]
    inner += reader.dataObjects(profile.fci ?? [], path + ".fci")
    inner += discretionary.isEmpty ? [] : [TLVNode(.fciIssuerDiscretionaryData, discretionary)]
    let fci = TLVNode(.fciTemplate, [TLVNode(.dfName, aid), TLVNode(.fciProprietaryTemplate, inner)]).encoded
    if fci.count > 256 {
      reader.report(path + ".fci", "the answer to SELECT has \(fci.count) octets: the limit is 256")
    }
    return ResponseAPDU(data: fci).encoded
  }

  static func facts(
    _ profile: CardProfile.Application, _ aid: [UInt8], _ records: [CompiledRecord], _ pdol: DataObjectList,
    _ version: CryptogramVersion, _ path: String, _ reader: inout ProfileReader
  ) -> CardImage.Application? {
    let objects = records.flatMap(\.nodes)
    let number = accountNumber(objects, path + ".records", &reader)
    let sequence = objects.first { $0.tag == .panSequenceNumber }?.value.first
    if sequence == nil { reader.report(path + ".records", "tag 5F34 is missing: the issuer derives the key with it") }
    let counter = reader.number(profile.firstATC ?? 1, path + ".firstATC", 1...0xFFFF)
    let uses = reader.number(profile.uses ?? 10, path + ".uses", 0...0xFFFF)
    guard let identifier = AID(aid), let number, let sequence else { return nil }
    return CardImage.Application(
      aid: identifier, label: profile.label, kernel: profile.kernel, accountNumber: number, sequenceNumber: sequence,
      cryptogramVersion: version, pdol: pdol, firstATC: UInt16(counter), uses: uses)
  }

  private static func accountNumber(
    _ objects: [TLVNode], _ path: String, _ reader: inout ProfileReader
  ) -> PrimaryAccountNumber? {
    let plain = objects.first { $0.tag == .primaryAccountNumber }
    let track = objects.first { $0.tag == .track2EquivalentData }
    let fromPlain = plain.flatMap { PrimaryAccountNumber(compressedNumeric: $0.value) }
    let fromTrack = track.flatMap { Track2EquivalentData($0.value)?.accountNumber }
    if plain != nil, fromPlain == nil { reader.report(path, "tag 5A is no account number") }
    if track != nil, fromTrack == nil { reader.report(path, "tag 57 is no track 2 equivalent data") }
    if plain == nil, track == nil {
      reader.report(path, "tag 5A or 57 is missing: the account number must be readable")
    }
    if let fromPlain, let fromTrack, fromPlain != fromTrack {
      reader.report(path, "tags 5A and 57 have different account numbers")
    }
    return fromPlain ?? fromTrack
  }
}
