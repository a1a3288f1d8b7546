internal import Glibc

/// An IP address. An IPv4 address that is mapped to IPv6 (RFC 4291, section 2.5.5.2) is the IPv4 address.
package struct NetworkAddress: Hashable, Sendable {
  /// 4 bytes of IPv4, or 16 of IPv6.
  let octets: [UInt8]

  /// Reads an address in text form. Ignores the zone of an IPv6 address. Nil for any other text.
  init?(_ text: String) {
    if let octets = Self.octets(text, AF_INET, count: 4) {
      self.octets = octets
      return
    }
    let withoutZone = String(text.prefix { $0 != "%" })
    guard let octets = Self.octets(withoutZone, AF_INET6, count: 16) else { return nil }
    let mapped: [UInt8] = [0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0xFF, 0xFF]
    self.octets = octets.starts(with: mapped) ? Array(octets.suffix(4)) : octets
  }

  static func octets(_ text: String, _ family: Int32, count: Int) -> [UInt8]? {
    var octets = [UInt8](repeating: 0, count: count)
    // `octets` has the size of an address of the family, and the text ends with a zero byte.
    return unsafe inet_pton(family, text, &octets) == 1 ? octets : nil
  }

  /// The address in text form: four decimal numbers, or eight hexadecimal groups.
  var text: String {
    guard octets.count == 16 else { return octets.map(String.init).joined(separator: ".") }
    return Self.groups(octets).joined(separator: ":")
  }

  /// The host of a URL with an address: an IPv6 address in brackets, in its short form (RFC 5952). Nil for another number of
  /// bytes than 4 and 16.
  static func urlHost(_ octets: [UInt8]) -> String? {
    if octets.count == 4 { return octets.map(String.init).joined(separator: ".") }
    let count = Int(INET6_ADDRSTRLEN)
    var text = [CChar](repeating: 0, count: count)
    // The call reads 16 bytes and writes at most the size of the text, which ends with a zero byte.
    guard octets.count == 16, unsafe inet_ntop(AF_INET6, octets, &text, socklen_t(count)) != nil
    else { return nil }
    return "[\(String(decoding: text.prefix { $0 != 0 }.map(UInt8.init(bitPattern:)), as: UTF8.self))]"
  }

  private static func groups(_ octets: [UInt8]) -> [String] {
    stride(from: 0, to: octets.count, by: 2).map { String(UInt16(octets[$0]) << 8 | UInt16(octets[$0 + 1]), radix: 16) }
  }

  /// The text that stands for a client at an address in counts: an IPv4 address, or the network of 64 bits of an IPv6
  /// address, since a client chooses the other 64 bits. A text that is not an address stands for itself.
  package static func counted(_ text: String) -> String {
    guard let address = NetworkAddress(text) else { return text }
    guard address.octets.count == 16 else { return address.text }
    return groups(Array(address.octets.prefix(8))).joined(separator: ":") + "::/64"
  }
}

/// A network of IP addresses.
public struct AddressNetwork: Hashable, Sendable {
  private let address: NetworkAddress
  private let prefixLength: Int

  /// Reads `ADDRESS/BITS`, or an address, which is a network of one. Nil for any other text.
  public init?(_ text: String) {
    let parts = text.split(separator: "/", maxSplits: 1, omittingEmptySubsequences: false).map(String.init)
    guard let address = NetworkAddress(parts[0]) else { return nil }
    let bits = address.octets.count * 8
    guard parts.count == 2 else {
      (self.address, prefixLength) = (address, bits)
      return
    }
    guard let length = Int(parts[1]), (0...bits).contains(length) else { return nil }
    (self.address, prefixLength) = (address, length)
  }

  /// The network as `init` reads it.
  package var text: String { "\(address.text)/\(prefixLength)" }

  /// Returns whether an address is in the network.
  func contains(_ other: NetworkAddress) -> Bool {
    guard other.octets.count == address.octets.count else { return false }
    return (0..<prefixLength).allSatisfy { bit in
      let difference: UInt8 = address.octets[bit / 8] ^ other.octets[bit / 8]
      let mask: UInt8 = 0x80 >> UInt8(bit % 8)
      return difference & mask == 0
    }
  }
}
