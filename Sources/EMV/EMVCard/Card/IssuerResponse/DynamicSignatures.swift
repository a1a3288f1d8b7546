internal import Octets

/// The signatures that INTERNAL AUTHENTICATE has made since the card was armed: one for each dynamic number, the counter of an
/// application. Applications whose counters are equal share a number, since they share the card's key.
struct DynamicSignatures {
  /// The answer to a request for a signature.
  enum Permission {
    /// The number has a signature over other values, or one that failed its check.
    case none
    /// The number has no signature: the new one is kept at this position.
    case signs(Int)
    /// The number has a signature over these values, at this position.
    case repeats(Int)
  }

  /// The room of one signature.
  private struct Entry {
    /// Nil while the room is free.
    var number: UInt16?
    private var values: [UInt8]
    private var valueCount = 0
    private var signature: [UInt8]
    /// Whether the signature has passed its check.
    private var isRight = false

    init(valueCount: Int, signatureCount: Int) {
      values = [UInt8](repeating: 0, count: valueCount)
      signature = [UInt8](repeating: 0, count: signatureCount)
    }

    /// Whether it holds a signature over these values.
    func covers(_ other: Span<UInt8>) -> Bool {
      isRight && other.count == valueCount && values.span.starts(with: other)
    }

    mutating func keep(_ number: UInt16, _ values: Span<UInt8>, _ signature: [UInt8]?) {
      self.number = number
      isRight = signature != nil
      guard let signature else { return }
      valueCount = values.count
      self.values.withMutableOctets { $0.copy(values, to: 0) }
      self.signature.withMutableOctets { $0.copy(signature.span, to: 0) }
    }

    func copy(to offset: Int, of response: inout MutableRawSpan) { response.copy(signature.span, to: offset) }
  }

  private var entries: [Entry]

  /// Reserves the room, since a command must not allocate.
  ///
  /// - Parameters:
  ///   - applicationCount: The number of applications, each of which has a counter.
  ///   - valueCount: The bytes of the longest list of values; 0 for a card without INTERNAL AUTHENTICATE.
  ///   - signatureCount: The bytes of a signature.
  init(applicationCount: Int, valueCount: Int, signatureCount: Int) {
    entries = (0..<(valueCount > 0 ? applicationCount : 0)).map { _ in
      Entry(valueCount: valueCount, signatureCount: signatureCount)
    }
  }

  /// Frees the room: an arming brings other numbers.
  mutating func removeAll() {
    for index in entries.indices { entries[index].number = nil }
  }

  /// Returns the answer to a request for a signature.
  func permission(for number: UInt16, _ values: Span<UInt8>) -> Permission {
    for index in entries.indices {
      guard let taken = entries[index].number else { return .signs(index) }
      guard taken == number else { continue }
      return entries[index].covers(values) ? .repeats(index) : .none
    }
    return .none
  }

  /// Keeps a signature; nil for one that failed its check, after which the number gets no other.
  mutating func keep(_ place: Int, _ number: UInt16, _ values: Span<UInt8>, _ signature: [UInt8]?) {
    entries[place].keep(number, values, signature)
  }

  /// Copies a signature into a response.
  func copy(_ place: Int, to offset: Int, of response: inout MutableRawSpan) {
    entries[place].copy(to: offset, of: &response)
  }
}
