import Ciphers
import Octets

/// A personal identification number of 4 to 12 digits in a locked block (ISO 9564-1).
struct PersonalIdentificationNumber: ~Copyable, Sendable {
  /// The lengths a PIN can have.
  static let counts = 4...12

  // The length in one byte and the digits, padded with F: the start of both block formats.
  private let block: Secret
  /// The number of digits.
  let count: Int

  /// Copies ASCII digits and wipes the array, also when they are not a PIN and the result is nil.
  init?(wiping digits: inout [UInt8]) {
    defer { digits.wipe() }
    guard Self.counts.contains(digits.count), digits.allSatisfy({ (0x30...0x39).contains($0) }) else { return nil }
    count = digits.count
    block = Secret(count: 8) { octets in
      octets.put(UInt8(digits.count), at: 0)
      for place in 1..<8 {
        octets.put(Self.digit(2 * place - 2, of: digits) << 4 | Self.digit(2 * place - 1, of: digits), at: place)
      }
    }
  }

  private static func digit(_ position: Int, of digits: [UInt8]) -> UInt8 {
    position < digits.count ? digits[position] & 0x0F : 0x0F
  }

  /// ISO 9564-1 format 2: 2 and the length, the digits, padded with F; 8 bytes.
  borrowing func iso9564Format2() -> Secret {
    block.withExposedOctets { plain in
      Secret(count: 8) { $0.put(plain.block64() | 0x20 << 56, at: 0) }
    }
  }

  /// Visa's format: the length and the digits padded with F, masked with the last four bytes of the left half of the
  /// card's master key, and with the digits of the current PIN when it is given; 8 bytes. The scheme's document is not
  /// public; confirmed by values of a payment HSM.
  ///
  /// - Parameters:
  ///   - masterKey: The card's master key for application cryptograms, 16 bytes; any other length traps.
  ///   - current: The PIN that the card has now, or nil to set a new PIN without it.
  borrowing func visaFormat(
    masterKey: borrowing Secret, current: borrowing PersonalIdentificationNumber?
  ) -> Secret {
    let currentDigits: UInt64 =
      switch current {
      case .some(let current): current.leftJustifiedDigits()
      case .none: 0
      }
    return masterKey.withExposedOctets { key in
      precondition(key.count == TripleDESKeys.keyCount, "a double-length key has 16 bytes")
      return block.withExposedOctets { plain in
        Secret(count: 8) { $0.put(plain.block64() ^ key.block64() & 0xFFFF_FFFF ^ currentDigits, at: 0) }
      }
    }
  }

  private borrowing func leftJustifiedDigits() -> UInt64 {
    block.withExposedOctets { plain in (plain.block64() << 8) & ~(UInt64.max >> UInt64(count * 4)) }
  }
}
