internal import ISO7816

/// A record that takes part in offline data authentication, as the card sent it.
public struct SignedRecord: Hashable, Sendable {
  /// The short file identifier, 1...30.
  public let sfi: UInt8
  /// The response data of READ RECORD, without the status word.
  public let data: [UInt8]

  /// Creates a record.
  public init(sfi: UInt8, data: [UInt8]) { (self.sfi, self.data) = (sfi, data) }
}

/// The static data to be authenticated (EMV 4.4 Book 3, 10.3).
public enum StaticData {
  /// The highest file whose records take part without tag and length of template 70.
  private static let lastGovernedFile: UInt8 = 10

  /// Joins the records that the AFL marks, in the order in which it lists them, and the value of tag 82 when tag 9F4A names it.
  ///
  /// - Parameters:
  ///   - records: The marked records; none is possible.
  ///   - tagList: Tag 9F4A; nil when the card sends none.
  ///   - interchangeProfile: Tag 82, two bytes.
  /// - Throws: `.staticData` for a record that is not one template 70, and for a tag list other than 82.
  /// - Returns: The bytes that the hash covers; empty without records and tag list.
  public static func joined(
    _ records: [SignedRecord], tagList: [UInt8]?, interchangeProfile: [UInt8]
  ) throws(AuthenticationFailure) -> [UInt8] {
    var joined: [UInt8] = []
    for record in records {
      let value = try Self.value(of: record.data)
      joined += record.sfi <= lastGovernedFile ? value : record.data
    }
    guard let tagList else { return joined }
    guard tagList == [0x82] else { throw .staticData }
    return joined + interchangeProfile
  }

  /// Returns the value of template 70, without tag and length. Nothing may stand beside the template.
  private static func value(of record: [UInt8]) throws(AuthenticationFailure) -> [UInt8] {
    var reader = TLVReader(record.span)
    guard let header = try? reader.next(), header.tag == 0x70, header.offset == 0,
      header.value.upperBound == record.count
    else { throw .staticData }
    return Array(record[header.value])
  }
}
