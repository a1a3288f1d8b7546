internal import Documents
internal import EMVData
internal import ISO7816
internal import JSON
internal import Octets

/// One application of a profile, read and checked: the keys of every application, and what its scheme adds.
struct ApplicationCompiler {
  /// Tag 84; empty when it is wrong.
  let aid: [UInt8]
  /// Tag 87, 1 (first) to 15.
  let priority: UInt8
  /// The facts for wallet and issuer; nil when there are problems.
  let facts: CardImage.Application?
  /// The data objects of the entry in the directory.
  let directoryEntry: [TLVNode]
  /// The response to SELECT, without a status word.
  let information: [UInt8]
  /// The records and the programs.
  let builder: ApplicationBuilder

  init(_ reader: inout ObjectReader, _ schemes: [CardScheme]) {
    let before = reader.problems.count
    let name = reader.octets(CardKeys.aid) ?? []
    aid = reader.problems.count == before ? name : []
    let label = reader.text(CardKeys.label.name)
    if !(1...16).contains(label.utf8.count) || !label.utf8.allSatisfy({ (0x20...0x7E).contains($0) }) {
      reader.note(CardKeys.label.name, "1...16 printable characters are needed")
    }
    priority = UInt8(reader.integer(CardKeys.priority) ?? 1)
    let scheme = Self.scheme(&reader, schemes)
    let pdol = Self.pdol(&reader)
    // Template A5 has these besides the label, the priority and the PDOL.
    let further = reader.optionalDataObjects(CardKeys.fci.name) ?? []
    let discretionary = reader.optionalDataObjects(CardKeys.issuerDiscretionary.name) ?? []
    var builder = ApplicationBuilder(
      pdol: pdol, interchangeProfile: reader.octets(CardKeys.aip) ?? [0, 0],
      records: ApplicationRecord.read(&reader, lengths: scheme?.recordLengths ?? [:]))
    builder.signingKey = CertifiedKey.read(&reader, aid: aid, builder)
    builder.dataObjects = Self.dataObjects(&reader)
    let firstATC = UInt16(reader.integer(CardKeys.firstATC) ?? 1)
    let uses = reader.integer(CardKeys.uses) ?? 0
    if let scheme { scheme.compile(&reader, &builder) } else { reader.acceptUnknownKeys() }
    self.builder = builder
    let common = [TLVNode(.applicationLabel, Array(label.utf8)), TLVNode(.applicationPriorityIndicator, [priority])]
    directoryEntry =
      [TLVNode(.adfName, aid)] + common + [TLVNode(.kernelIdentifier, scheme?.kernelIdentifier ?? [])]
    information = Self.information(name, common, pdol, further, discretionary)
    if information.count > 256 {
      reader.note("fci", "the response to SELECT has \(information.count.bytes): the limit is 256")
    }
    let account = ApplicationAccount(builder, &reader)
    facts =
      if let scheme, reader.problems.isEmpty {
        CardImage.Application(
          aid: aid, label: label, scheme, builder, account, firstATC: firstATC, uses: uses)
      } else {
        nil
      }
  }

  private static func scheme(_ reader: inout ObjectReader, _ schemes: [CardScheme]) -> CardScheme? {
    let name = reader.text("kernel")
    if let scheme = schemes.first(where: { $0.name == name }) { return scheme }
    let known = schemes.map(\.name).joined(separator: ", ")
    reader.refuse("kernel", "\"\(name.prefix(40))\" is not one of \(known)")
    return nil
  }

  private static func pdol(_ reader: inout ObjectReader) -> DataObjectList {
    let octets = reader.octets(CardKeys.pdol) ?? []
    guard let list = try? DataObjectList(parsing: octets) else {
      reader.refuse(CardKeys.pdol.name, "not a data object list: tags, each with a length byte, are needed")
      return DataObjectList(entries: [])
    }
    // Tag 83 and its length bytes share the 255 bytes of command data with the values.
    guard list.valueCount > 252 else { return list }
    reader.refuse(CardKeys.pdol.name, "\(list.valueCount.bytes) of values: the limit is 252")
    return DataObjectList(entries: [])
  }

  private static func dataObjects(_ reader: inout ObjectReader) -> [TLVNode] {
    let limit = CardProfile.maximumDataObjects
    let nodes =
      reader.optionalList(CardKeys.getData.name) { (value, place, reader) -> TLVNode? in
        guard let node = reader.dataObject(value, at: place) else { return nil }
        guard node.tag.octetCount > 2 || node.tag == .applicationTransactionCounter else { return node }
        reader.refuse(place, "tag \(node.tag) cannot be asked for: P1-P2 name it, and 9F36 is the card's own")
        return nil
      } ?? []
    if nodes.count > limit { reader.note("getData", "\(nodes.count) data objects: the limit is \(limit)") }
    return nodes
  }

  private static func information(
    _ aid: [UInt8], _ common: [TLVNode], _ pdol: DataObjectList, _ further: [TLVNode], _ discretionary: [TLVNode]
  ) -> [UInt8] {
    var inner = common
    if !pdol.entries.isEmpty { inner.append(TLVNode(.pdol, pdol.encoded)) }
    inner += further
    if !discretionary.isEmpty { inner.append(TLVNode(.fciIssuerDiscretionaryData, discretionary)) }
    return TLVNode(.fciTemplate, [TLVNode(.dfName, aid), TLVNode(.fciProprietaryTemplate, inner)]).encoded
  }
}
