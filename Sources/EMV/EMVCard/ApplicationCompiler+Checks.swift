internal import EMVCryptography
internal import EMVData
internal import ISO7816
internal import Octets

extension ApplicationCompiler {
  static func version(
    _ profile: CardProfile.Application, _ path: String, _ reader: inout ProfileReader
  ) -> CryptogramVersion {
    let number = profile.cryptogram.version
    let (known, name): ([Int: CryptogramVersion], String) =
      switch (profile.cryptogram.system, profile.kernel) {
      case (.commonCore, .mastercard), (.commonCore, .americanExpress): ([5: .commonCore5], "common core")
      case (.commonCore, .visa), (nil, .visa): ([10: .visa10, 18: .visa18, 22: .visa22], "Visa")
      case (nil, .mastercard):
        ([16: .mastercard16, 17: .mastercard17, 20: .mastercard20, 21: .mastercard21], "Mastercard")
      case (nil, .americanExpress): ([:], "American Express")
      }
    if profile.cryptogram.system == .commonCore, profile.kernel == .visa {
      reader.report(path + ".system", "kernel 3 takes Visa cryptograms only")
    } else if known.isEmpty {
      reader.report(path + ".system", "\(name) cryptograms are in no public document: \"commonCore\" is needed")
    } else if known[number] == nil {
      let versions = known.keys.sorted().map(String.init).joined(separator: ", ")
      reader.report(path + ".version", "\(number): this engine makes \(name) cryptograms of versions \(versions)")
    }
    // What stands in has the layout that the rest of the profile is checked against.
    return known[number] ?? known.min { $0.key < $1.key }?.value ?? .commonCore5
  }

  static func pdol(
    _ profile: CardProfile.Application, _ version: CryptogramVersion, _ path: String, _ reader: inout ProfileReader
  ) -> DataObjectList {
    let octets = reader.octets(profile.pdol, path, 0...252)
    guard let list = try? DataObjectList(parsing: octets) else {
      reader.report(path, "no data object list: tags, each with a length octet, are needed")
      return DataObjectList(entries: [])
    }
    // Tag 83 and its length octets share the 255 octets of command data with the values.
    if list.valueCount > 252 { reader.report(path, "\(list.valueCount) octets of values: the limit is 252") }
    if profile.kernel == .visa { reader.check(list, covers: version, path) }
    return list
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
}
