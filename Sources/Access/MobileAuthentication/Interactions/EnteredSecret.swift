internal import Octets

/// A PIN or a password that a person has entered, as UTF-8 in locked memory. It may be empty.
public final class EnteredSecret: Sendable {
  // A secret has at least one byte: the first byte is not part of the entry.
  private let storage: Secret

  /// Copies an entry. The text itself stays unprotected.
  public convenience init(_ text: String) {
    var octets = Array(text.utf8)
    self.init(wiping: &octets)
  }

  /// Copies an entry in UTF-8 and wipes the array.
  public init(wiping octets: inout [UInt8]) {
    var all = [0] + octets
    storage = Secret(wiping: &all)
    octets.wipe()
  }

  /// The number of bytes in UTF-8.
  public var octetCount: Int { storage.count - 1 }

  /// Lends the bytes to a closure. Copies that the closure makes are unprotected.
  public func withExposedOctets<Result: ~Copyable, Failure: Error>(
    _ body: (Span<UInt8>) throws(Failure) -> Result
  ) throws(Failure) -> Result {
    try storage.withExposedOctets { (octets) throws(Failure) in try body(octets.extracting(1...)) }
  }

  /// Returns an unprotected copy as text, for a policy that examines characters. Nil when the entry is not UTF-8.
  public func exposedText() -> String? {
    withExposedOctets { octets in octets.withWipedCopy { String(validating: $0, as: UTF8.self) } }
  }

  /// Whether two entries are equal, in a time that depends on their lengths only.
  public func isEqual(to other: EnteredSecret) -> Bool {
    withExposedOctets { first in other.withExposedOctets { second in constantTimeEqual(first, second) } }
  }
}

extension Span<UInt8> {
  /// Calls a function that takes an array with a copy of the bytes, and wipes the copy.
  package func withWipedCopy<Result>(_ body: ([UInt8]) -> Result) -> Result {
    var copy = array
    defer { copy.wipe() }
    return body(copy)
  }
}
