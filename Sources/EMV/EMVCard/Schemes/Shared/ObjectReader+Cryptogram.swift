internal import Documents
internal import EMVCryptography
internal import EMVData
internal import ISO7816
internal import JSON
internal import Octets

extension ObjectReader {
  /// Reads `version` of `cryptogram`.
  ///
  /// - Parameters:
  ///   - name: The payment system.
  ///   - versions: Its versions by their numbers; not empty.
  /// - Returns: The version with the least number when the value is missing or wrong, so that the rest of the profile
  ///   is checked against a layout.
  mutating func version(of name: String, _ versions: [Int: CryptogramVersion]) -> CryptogramVersion {
    let number = integer("version", in: Int.min...Int.max)
    if let version = versions[number] { return version }
    let known = versions.keys.sorted().map(String.init).joined(separator: ", ")
    note("version", "\(number): this engine makes \(name) cryptograms of versions \(known)")
    guard let first = versions.min(by: { $0.key < $1.key }) else { preconditionFailure("\(name) has no versions") }
    return first.value
  }

  /// Notes the data elements that a cryptogram covers and a list does not ask for; returns whether the list is whole.
  ///
  /// - Parameters:
  ///   - place: The place of the list in the profile.
  ///   - name: The start of the message, such as `tag 8C: `.
  mutating func check(
    _ list: DataObjectList, covers version: CryptogramVersion, _ place: String, name: String = ""
  ) -> Bool {
    let fromCard: [Tag] = [.applicationInterchangeProfile, .applicationTransactionCounter]
    var isWhole = true
    for tag in version.elements where !fromCard.contains(tag) {
      guard let wanted = DataElement.named(tag)?.lengths.upperBound else { continue }
      let found = list.range(of: tag)?.count
      if found == wanted { continue }
      let given = found.map { "has length \($0)" } ?? "is missing"
      note(place, "\(name)tag \(tag) \(given): the cryptogram covers it with length \(wanted)")
      isWhole = false
    }
    return isWhole
  }

  /// Reads a data object list of a record; notes the problem and returns nil when it is wrong or has more than 255
  /// bytes of values.
  mutating func list(_ octets: [UInt8], _ place: String, name: String) -> DataObjectList? {
    guard let list = try? DataObjectList(parsing: octets) else {
      note(place, "\(name) is not a data object list: tags, each with a length byte, are needed")
      return nil
    }
    if list.valueCount <= 255 { return list }
    note(place, "\(name): \(list.valueCount.bytes) of values: the limit is 255")
    return nil
  }

  /// Notes a response to GET PROCESSING OPTIONS that is too long; returns whether it fits.
  ///
  /// - Parameter isSigned: Whether it holds a signature.
  mutating func checkOptions(_ data: [UInt8], _ place: String, isSigned: Bool = false) -> Bool {
    let limit = isSigned ? CommandProgram.maximumSignedCount : 256
    if data.count <= limit { return true }
    note(place, "the response to GET PROCESSING OPTIONS has \(data.count.bytes): the limit is \(limit)")
    return false
  }
}

extension TLVNode {
  /// The offset of the value of the first data object with a tag, from the first byte of `encoded`; nil when there is
  /// none.
  func valueOffset(of wanted: Tag) -> Int? {
    var offset = encoded.count - value.count
    if tag == wanted { return offset }
    for child in children {
      if let found = child.valueOffset(of: wanted) { return offset + found }
      offset += child.encoded.count
    }
    return nil
  }
}
