/// The number of a kernel, tag 9F2A (EMV Contactless Book B v2.11, 3.3.2.5): one byte for the kernel of a payment
/// system, three bytes for a domestic kernel.
public struct KernelIdentifier: Hashable, Sendable, CustomStringConvertible {
  /// One or three bytes.
  public let octets: [UInt8]

  /// Creates the identifier of a payment system's kernel.
  public init(_ number: UInt8) { octets = [number] }

  /// Creates an identifier; nil for another number of bytes than one and three.
  public init?(octets: [UInt8]) {
    guard octets.count == 1 || octets.count == 3 else { return nil }
    self.octets = octets
  }

  /// The bytes as one number, big-endian: 3 for kernel 3. The key `kernel` of a terminal profile holds it.
  public var number: Int { octets.reduce(0) { $0 << 8 | Int($1) } }

  /// The number in hexadecimal digits, as EMV documents and terminals write it: `3`, `2A`.
  public var description: String { String(number, radix: 16, uppercase: true) }
}
