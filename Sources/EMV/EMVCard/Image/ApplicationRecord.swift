internal import Documents
internal import EMVData
public import ISO7816
internal import JSON
internal import Octets

/// A record of an application, checked.
public struct ApplicationRecord: Sendable {
  /// The short file identifier, 1...30.
  public let sfi: UInt8
  /// The record number, 1...255.
  public let number: UInt8
  /// Whether the certificate of the card covers it.
  public let isSigned: Bool
  /// The data objects of template 70.
  public let objects: [TLVNode]

  /// The response to READ RECORD, without a status word.
  var data: [UInt8] { TLVNode(.recordTemplate, objects).encoded }
  /// The key of the index: P1-P2 of READ RECORD, which are the record number and the short file identifier with the
  /// code 4 (EMV 4.4 Book 3, 6.5.11.2).
  var key: UInt16 { UInt16(number) << 8 | UInt16(sfi) << 3 | 4 }

  /// Reads `records` of an application.
  static func read(
    _ application: inout ObjectReader, lengths: [Tag: ClosedRange<Int>]
  ) -> [ApplicationRecord] {
    let records = application.objects(CardKeys.records.name) { record in
      let result = ApplicationRecord(
        sfi: UInt8(record.integer(CardKeys.sfi) ?? 1), number: UInt8(record.integer(CardKeys.record) ?? 1),
        isSigned: record.flag(CardKeys.signed) ?? false,
        objects: record.dataObjects(CardKeys.data.name, lengths: lengths))
      let count = result.data.count
      if count > 256 { record.note("", "the record has \(count.bytes): the limit is 256") }
      return result
    }
    if records.isEmpty { application.note("records", "no records: the account number must be readable") }
    for (index, record) in records.enumerated() where records[..<index].contains(where: { $0.key == record.key }) {
      application.note("records[\(index)]", "SFI \(record.sfi) record \(record.number) occurs more than once")
    }
    let limit = CardProfile.maximumRecords
    if records.count > limit { application.note("records", "\(records.count) records: the limit is \(limit)") }
    return records
  }

  /// The AFL that names the records in their order; neighbours share an entry. The signed records of an entry are its first.
  static func locator(of records: [ApplicationRecord]) -> ApplicationFileLocator {
    var entries: [ApplicationFileLocator.Entry] = []
    for record in records {
      if let last = entries.last, last.sfi == record.sfi, last.records.upperBound < 255,
        last.records.upperBound + 1 == record.number, !record.isSigned || last.authenticatedCount == last.records.count
      {
        entries[entries.count - 1] = .init(
          sfi: record.sfi, records: last.records.lowerBound...record.number,
          authenticatedCount: last.authenticatedCount + (record.isSigned ? 1 : 0))
      } else {
        entries.append(
          .init(
            sfi: record.sfi, records: record.number...record.number, authenticatedCount: record.isSigned ? 1 : 0))
      }
    }
    return ApplicationFileLocator(entries: entries)
  }
}
