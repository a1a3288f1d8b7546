internal import EMVData
internal import ISO7816
internal import Octets

/// One record, checked, with its ready-made answer to READ RECORD.
struct CompiledRecord {
  let sfi: UInt8
  let record: UInt8
  let nodes: [TLVNode]
  let response: [UInt8]

  /// The key of the index: short file identifier and record number.
  var key: UInt16 { UInt16(sfi) << 8 | UInt16(record) }

  static func compile(
    _ profiles: [CardProfile.Record], _ path: String, lengths: [Tag: ClosedRange<Int>],
    _ reader: inout ProfileReader
  ) -> [CompiledRecord] {
    if profiles.isEmpty { reader.report(path, "no records: the account number must be readable") }
    var records: [CompiledRecord] = []
    for (index, profile) in profiles.enumerated() {
      let here = "\(path)[\(index)]"
      let sfi = UInt8(reader.number(profile.sfi, here + ".sfi", 1...30))
      let number = UInt8(reader.number(profile.record, here + ".record", 1...255))
      let nodes = reader.dataObjects(profile.data, here + ".data", lengths: lengths)
      let template = TLVNode(.recordTemplate, nodes).encoded
      if template.count > 256 { reader.report(here, "the record has \(template.count) octets: the limit is 256") }
      let compiled = CompiledRecord(
        sfi: sfi, record: number, nodes: nodes, response: ResponseAPDU(data: template).encoded)
      if records.contains(where: { $0.key == compiled.key }) {
        reader.report(here, "SFI \(sfi) record \(number) stands more than once")
      }
      records.append(compiled)
    }
    let limit = ImageCompiler.maximumRecords
    if records.count > limit { reader.report(path, "\(records.count) records: the limit is \(limit)") }
    return records
  }

  /// The AFL that names the records in their order; neighbours share an entry.
  static func locator(of records: [CompiledRecord]) -> ApplicationFileLocator {
    var entries: [ApplicationFileLocator.Entry] = []
    for record in records {
      if let last = entries.last, last.sfi == record.sfi, last.records.upperBound < 255,
        last.records.upperBound + 1 == record.record
      {
        entries[entries.count - 1] = .init(sfi: record.sfi, records: last.records.lowerBound...record.record)
      } else {
        entries.append(.init(sfi: record.sfi, records: record.record...record.record))
      }
    }
    return ApplicationFileLocator(entries: entries)
  }
}
