/// What the operator searches by. Each field has an index.
package enum SearchField: String, CaseIterable {
  case userName, fullName, lastName, account, walletDeviceName, walletDeviceID, deviceName, deviceID, targetID,
    lastDigits

  /// Follows every text that begins with a prefix, when it is appended to the prefix.
  package static let lastCharacter = "\u{10FFFF}"

  /// The length of the last digits of an account number that are shown and searched by.
  package static let digitCount = 4

  /// In SQL, the value that is compared (the expression of its index), and the column that orders rows of the same value and is
  /// unique.
  fileprivate var columns: (expression: String, identity: String) {
    switch self {
    case .userName: ("userName", "id")
    case .fullName: ("lower(firstName || ' ' || lastName)", "id")
    case .lastName: ("lower(lastName)", "id")
    case .account: ("lower(name)", "name")
    case .walletDeviceName: ("lower(name)", "deviceID")
    case .walletDeviceID: ("deviceID", "deviceID")
    case .deviceName: ("lower(name)", "id")
    case .deviceID: ("deviceID", "id")
    case .targetID: ("id", "id")
    case .lastDigits: ("''", "id")
    }
  }

  /// The prefixes in the form of the stored values; empty when no value can begin with a text.
  ///
  /// The databases change the letters A to Z to lower case only. A name with other letters is found as it was written: in
  /// small letters, with a capital at its beginning, or in capitals.
  package func prefixes(of text: String) -> [String] {
    switch self {
    case .userName: return [text.lowercased()]
    case .walletDeviceID, .deviceID, .targetID: return [text]
    case .fullName, .lastName, .account, .walletDeviceName, .deviceName:
      let words = text.split(separator: " ", omittingEmptySubsequences: false)
      let capitalized = words.map { $0.prefix(1).uppercased() + $0.dropFirst().lowercased() }.joined(separator: " ")
      return Set([text, text.lowercased(), capitalized, text.uppercased()].map(\.withSmallLetters)).sorted()
    case .lastDigits:
      return text.utf8.count == Self.digitCount && text.utf8.allSatisfy({ (0x30...0x39).contains($0) }) ? [text] : []
    }
  }
}

/// A record that a search has found, with its place in the order of the field.
package struct Found<Record: StoredRecord> {
  package let record: Record
  package let place: SearchPlace
}

/// A place in the order of a field: by the value, then by the identity of the record.
package struct SearchPlace: Hashable, Comparable {
  package var value: String
  package var identity: String

  /// Creates a record.
  package init(value: String, identity: String) {
    (self.value, self.identity) = (value, identity)
  }

  package static func < (first: SearchPlace, second: SearchPlace) -> Bool {
    let (one, other) = (Array(first.value.utf8), Array(second.value.utf8))
    if one != other { return one.lexicographicallyPrecedes(other) }
    return first.identity.utf8.lexicographicallyPrecedes(second.identity.utf8)
  }
}

extension AccessTransaction {
  /// A page of the records whose value begins with a text, ordered by value and identity.
  ///
  /// - Parameters:
  ///   - field: A field of this kind of record.
  ///   - place: The page begins after this place; nil for the first page.
  ///   - limit: The most records of the page, at least 1.
  package func search<Record: StoredRecord>(
    _ field: SearchField, _ text: String, after place: SearchPlace?, limit: Int
  ) throws(AccessError) -> [Found<Record>] {
    precondition(limit >= 1, "a page has at least one record")
    var found: [Found<Record>] = []
    for prefix in field.prefixes(of: text) {
      let condition = field == .lastDigits ? Self.lastDigits : Self.prefixed(field)
      var arguments: [Argument]
      if field == .lastDigits {
        arguments = [prefix, place?.identity ?? "", limit]
      } else {
        let end = prefix + SearchField.lastCharacter
        let start = place.map { max($0, SearchPlace(value: prefix, identity: "")) }
        arguments = [start?.value ?? prefix, end, start?.value ?? prefix, start?.identity ?? "", limit]
      }
      for row in try rows("*, \(field.columns.expression) AS searchKey", of: Record.table, condition, arguments) {
        found.append(
          Found(
            record: try row.record(),
            place: SearchPlace(value: try row.value("searchKey"), identity: try row.value(field.columns.identity))))
      }
    }
    return Array(found.sorted { $0.place < $1.place }.prefix(limit))
  }

  private static func prefixed(_ field: SearchField) -> String {
    let (value, identity) = field.columns
    return """
      WHERE \(value) >= ? AND \(value) < ? AND (\(value) > ? OR \(identity) > ?) ORDER BY \(value), \(identity) LIMIT ?
      """
  }

  /// The cards of which an application has an account number that ends with digits.
  private static let lastDigits = """
    WHERE id IN (SELECT card FROM cardApplication WHERE substr(accountNumber, length(accountNumber) - 3) = ?)
    AND id > ? ORDER BY id LIMIT ?
    """
}

extension String {
  /// The text with the letters A to Z in lower case, as the databases change it.
  fileprivate var withSmallLetters: String {
    String(decoding: utf8.map { (0x41...0x5A).contains($0) ? $0 | 0x20 : $0 }, as: UTF8.self)
  }
}
