internal import EMVData
public import ISO7816
internal import Octets

/// Data elements of the terminal: at most one value for each tag.
public struct TerminalData: Hashable, Sendable {
  // Ordered. A terminal has few data elements: a search by halves takes fewer instructions than the hash of a tag.
  private var tags: [Tag] = []
  private var values: [[UInt8]] = []

  /// Creates the data.
  public init(_ values: [Tag: [UInt8]] = [:]) {
    for (tag, value) in values.sorted(by: { $0.key < $1.key }) {
      tags.append(tag)
      self.values.append(value)
    }
  }

  /// The value of a tag, or nil. Setting nil removes the tag.
  public subscript(tag: Tag) -> [UInt8]? {
    get {
      let index = place(of: tag)
      return index < tags.count && tags[index] == tag ? values[index] : nil
    }
    set {
      let index = place(of: tag)
      if index < tags.count, tags[index] == tag {
        tags.remove(at: index)
        values.remove(at: index)
      }
      guard let newValue else { return }
      tags.insert(tag, at: index)
      values.insert(newValue, at: index)
    }
  }

  /// The index of a tag, or the index at which it belongs.
  private func place(of tag: Tag) -> Int {
    var (low, high) = (0, tags.count)
    while low < high {
      let middle = (low &+ high) / 2
      if tags[middle].rawValue < tag.rawValue { low = middle &+ 1 } else { high = middle }
    }
    return low
  }

  /// Takes over all values of other data; they replace values of the same tag.
  public mutating func merge(_ other: TerminalData) {
    for (tag, value) in zip(other.tags, other.values) { self[tag] = value }
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
