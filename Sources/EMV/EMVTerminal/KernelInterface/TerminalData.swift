public import EMVData
public import ISO7816
internal import Octets

/// Data elements of the terminal: at most one value for each tag.
public struct TerminalData: Hashable, Sendable {
  // Ordered.
  private var tags: [Tag] = []
  private var values: [[UInt8]] = []
  private var index = TagIndex([])

  /// Creates the data.
  public init(_ values: [Tag: [UInt8]] = [:]) {
    for (tag, value) in values.sorted(by: { $0.key < $1.key }) {
      tags.append(tag)
      self.values.append(value)
    }
    index = TagIndex(tags)
  }

  /// The value of a tag, or nil. Setting nil removes the tag.
  public subscript(tag: Tag) -> [UInt8]? {
    get { index.position(of: tag, in: tags).map { values[$0] } }
    set {
      switch (index.position(of: tag, in: tags), newValue) {
      case (let position?, let value?): values[position] = value
      case (let position?, nil):
        tags.remove(at: position)
        values.remove(at: position)
        index = TagIndex(tags)
      case (nil, let value?):
        let position = tags.firstIndex { tag < $0 } ?? tags.count
        tags.insert(tag, at: position)
        values.insert(value, at: position)
        index = TagIndex(tags)
      case (nil, nil): break
      }
    }
  }

  /// Takes over all values of other data; they replace values of the same tag.
  public mutating func merge(_ other: TerminalData) {
    for (tag, value) in zip(other.tags, other.values) { self[tag] = value }
  }
}

extension TerminalData: DataObjectSource {
  /// Writes the values of a list as `DataObjectList.write` does, which is compiled for this source here.
  public func write(_ list: DataObjectList, into octets: inout MutableRawSpan) { list.write(into: &octets, from: self) }

  /// The value of a tag, or nil.
  public func value(of tag: Tag) -> [UInt8]? { self[tag] }

  /// Copies the value of an entry's tag when it has exactly the entry's length.
  @inline(__always)
  public func copyValue(of entry: DataObjectList.Entry, to offset: Int, in octets: inout MutableRawSpan) -> Bool {
    guard let position = index.position(of: entry.tag, in: tags) else { return false }
    let value = values[position]
    guard value.count == entry.count else { return false }
    octets.copy(value.span, to: offset)
    return true
  }
}

extension TerminalData {
  // The data elements that come from the payment request. Tag 95 is all zeros at first.
  init(_ request: PaymentRequest) {
    self.init([
      .amountAuthorised: request.amount.numeric,
      .amountOther: request.amountOther?.numeric ?? [UInt8](repeating: 0, count: 6),
      .transactionCurrencyCode: request.currency.octets,
      .transactionCurrencyExponent: [UInt8(truncatingIfNeeded: request.currency.exponent)],
      .transactionDate: request.date.numeric, .transactionTime: request.time.numeric,
      .transactionType: [request.type.rawValue],
      .terminalVerificationResults: TerminalVerificationResults().octets,
    ])
    // An amount beyond 32 bits has no binary form.
    self[.amountAuthorisedBinary] = UInt32(exactly: request.amount.minorUnits)?.bigEndianOctets
  }
}

// Tags of a terminal that `ISO7816` and `EMVData` do not name.
extension Tag {
  /// 81: amount, authorised (binary).
  static let amountAuthorisedBinary: Tag = 0x81
  /// 9F09: application version number, terminal.
  static let terminalApplicationVersion: Tag = 0x9F09
  /// 9F16: merchant identifier.
  static let merchantIdentifier: Tag = 0x9F16
  /// 9F1C: terminal identification.
  static let terminalIdentification: Tag = 0x9F1C
  /// 9F39: point-of-service (POS) entry mode.
  static let pointOfServiceEntryMode: Tag = 0x9F39
}
