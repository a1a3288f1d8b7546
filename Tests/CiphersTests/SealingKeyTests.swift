import Ciphers
import Octets
import Testing

@Suite("Sealed values")
struct SealingKeyTests {
  /// Returns the same bytes for every call.
  struct FixedRandomSource: RandomSource {
    let fixed: [UInt8]
    func octets(_ count: Int) -> [UInt8] { fixed }
  }

  struct Vector: Sendable {
    let key, nonce, content, identity, sealed: String

    init(_ texts: (key: String, nonce: String, content: String, identity: String, sealed: String)) {
      (key, nonce, content, identity, sealed) = texts
    }
  }

  /// Test cases 13, 14 and 16 of "The Galois/Counter Mode of Operation" (McGrew and Viega).
  static let published = [
    Vector(
      (zeros(32), zeros(12), "", "", "530F8AFBC74536B9A963B4F1C4CB738B")),
    Vector(
      (
        zeros(32), zeros(12), zeros(16), "", "CEA7403D4D606B6E074EC5D3BAF39D18D0D1C8A799996BF0265B98B5D48AB919"
      )),
    Vector(
      (
        "FEFFE9928665731C6D6A8F9467308308FEFFE9928665731C6D6A8F9467308308", "CAFEBABEFACEDBADDECAF888",
        "D9313225F88406E5A55909C5AFF5269A86A7A9531534F7DA2E4C303D8A318A721C3C0C95956809532FCF0E2449A6B525"
          + "B16AEDF5AA0DE657BA637B39", "FEEDFACEDEADBEEFFEEDFACEDEADBEEFABADDAD2",
        "522DC1F099567D07F47F37A32A84427D643A8CDCBFE5C0C97598A2BD2555D1AA8CB08E48590DBB3DA7B08B1056828838"
          + "C5F61E6393BA7A0ABCC9F66276FC6ECE0F4E1768CDDF8853BB2D551B"
      )),
  ]

  static func zeros(_ count: Int) -> String { String(repeating: "00", count: count) }

  static func key(_ first: UInt8 = 0) -> SealingKey {
    SealingKey(Secret(copying: (0..<32).map { first &+ $0 }))
  }

  @Test(arguments: published.indices)
  func `published vectors are sealed and opened`(_ row: Int) throws {
    let vector = Self.published[row]
    let key = SealingKey(Secret(copying: try [UInt8](hex: vector.key)))
    let (nonce, content) = (try [UInt8](hex: vector.nonce), try [UInt8](hex: vector.content))
    let identity = try [UInt8](hex: vector.identity)
    let sealed = key.seal(content.span, as: identity, random: FixedRandomSource(fixed: nonce))
    #expect(sealed.hex == vector.nonce + vector.sealed)
    #expect(key.open(sealed, as: identity) == content)
  }

  @Test(arguments: [0, 1, 15, 16, 17, 31, 32, 33, 4095, 4096, 4097, 70_000])
  func `a value of any length is 28 bytes longer when sealed, and is opened again`(_ count: Int) {
    let key = Self.key()
    let content = (0..<count).map { UInt8(truncatingIfNeeded: $0) }
    let sealed = key.seal(content.span, as: [7], random: SystemRandomSource())
    #expect(sealed.count == count + SealingKey.overhead)
    #expect(key.open(sealed, as: [7]) == content)
  }

  @Test func `a change of any bit, another length, identity or key does not open`() {
    let key = Self.key()
    let sealed = key.seal([1, 2, 3, 4, 5].span, as: [7], random: SeededRandomSource(seed: 1))
    for place in sealed.indices {
      for bit in 0..<8 {
        var changed = sealed
        changed[place] ^= 1 << UInt8(bit)
        #expect(key.open(changed, as: [7]) == nil)
      }
    }
    for count in 0..<sealed.count { #expect(key.open(Array(sealed.prefix(count)), as: [7]) == nil) }
    #expect(key.open(sealed + [0], as: [7]) == nil)
    for identity in [[], [6], [7, 0]] as [[UInt8]] { #expect(key.open(sealed, as: identity) == nil) }
    #expect(Self.key(1).open(sealed, as: [7]) == nil)
    #expect(key.open(sealed, as: [7]) == [1, 2, 3, 4, 5])
  }

  @Test func `the same value sealed twice differs`() {
    let key = Self.key()
    let random = SystemRandomSource()
    let first = key.seal([1, 2, 3].span, as: [], random: random)
    #expect(first != key.seal([1, 2, 3].span, as: [], random: random))
  }
}
