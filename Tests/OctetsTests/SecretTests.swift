import Octets
import Testing

@Suite("Secrets")
struct SecretTests {
  @Test(arguments: [1, 16, 64, 65, 512, 513, 1024, 1025, 4095, 4096, 4097, 70000])
  func `a secret of any size holds its bytes`(_ count: Int) {
    let octets = SeededRandomSource(seed: 5).octets(count)
    let secret = Secret(copying: octets.span)
    #expect(secret.count == count)
    #expect(secret.withExposedOctets { $0.array } == octets)
  }

  @Test func `a secret that the closure does not fill is zero`() {
    let secret = Secret(count: 3) { _ in }
    #expect(secret.withExposedOctets { $0.array } == [0, 0, 0])
  }

  @Test(arguments: [1, 64, 65, 128, 1000, 1024])
  func `secrets that share pages do not overlap`(_ count: Int) {
    let all = (0..<200).map { Held(Secret(copying: [UInt8](repeating: UInt8($0), count: count))) }
    for (number, held) in all.enumerated() {
      #expect(held.secret.withExposedOctets { $0.array } == [UInt8](repeating: UInt8(number), count: count))
    }
    #expect(all.allSatisfy { $0.secret.withExposedStorage { UInt(bitPattern: $0) } % 64 == 0 })
  }

  @Test(arguments: [1, 64, 500, 1024])
  func `a block is zeroed before another secret gets it`(_ count: Int) {
    // More than one page: some of the blocks are used again.
    for _ in 0..<3 {
      let all = (0..<200).map { _ in Held(Secret(count: count) { _ in }) }
      for held in all {
        #expect(held.secret.withExposedOctets { $0.array } == [UInt8](repeating: 0, count: count))
        held.secret.withExposedStorage { $0.storeBytes(of: 0xFF, toByteOffset: count - 1, as: UInt8.self) }
      }
    }
  }

  /// An array holds copyable values only.
  private final class Held {
    let secret: Secret
    init(_ secret: consuming Secret) { self.secret = secret }
  }

  @Test func `an error of the closure is thrown to the caller`() {
    struct Failure: Error {}
    #expect(throws: Failure.self) {
      _ = try Secret(count: 3) { (_: inout MutableRawSpan) throws(Failure) in throw Failure() }
    }
  }

  @Test func `a duplicate has the same bytes in another block`() {
    let octets: [UInt8] = [1, 2, 3]
    let secret = Secret(copying: octets.span)
    let other = secret.duplicate()
    other.withExposedStorage { block in block.storeBytes(of: 9, as: UInt8.self) }
    #expect(other.withExposedOctets { $0.array } == [9, 2, 3])
    #expect(secret.withExposedOctets { $0.array } == [1, 2, 3])
  }

  @Test func `moving a secret does not move its block`() {
    let octets: [UInt8] = [1]
    let secret = Secret(copying: octets.span)
    let before = secret.withExposedStorage { UInt(bitPattern: $0) }
    let moved = secret
    #expect(moved.withExposedStorage { UInt(bitPattern: $0) } == before)
  }

  @Test func `creating a secret from an array wipes the array's own storage`() {
    // The bytes are random because a constant array is in memory that cannot be wiped.
    var octets = SeededRandomSource(seed: 4).octets(4)
    let drawn = octets.hex
    let address = octets.withUnsafeBytes { UInt(bitPattern: $0.baseAddress) }
    let secret = Secret(wiping: &octets)
    #expect(octets == [0, 0, 0, 0])
    // Another address would mean that a copy was wiped and the original was freed unchanged.
    #expect(octets.withUnsafeBytes { UInt(bitPattern: $0.baseAddress) } == address)
    #expect(secret.withExposedOctets { $0.hex } == drawn)
  }

  @Test func `wiping sets an array to zeros and accepts an empty one`() {
    var octets: [UInt8] = [1, 2]
    octets.wipe()
    #expect(octets == [0, 0])
    var none: [UInt8] = []
    none.wipe()
    #expect(none.isEmpty)
  }

  @Test func `a secret without bytes traps`() async {
    await #expect(processExitsWith: .failure) { _ = Secret(count: 0) { _ in } }
  }

  @Test func `comparison in constant time detects every difference of content and length`() {
    func areEqual(_ left: [UInt8], _ right: [UInt8]) -> Bool { constantTimeEqual(left.span, right.span) }
    let octets = [UInt8](0..<32)
    #expect(areEqual(octets, [UInt8](0..<32)))
    #expect(areEqual([], []))
    for index in octets.indices {
      for bit in 0..<8 {
        var other = octets
        other[index] ^= 1 << bit
        #expect(!areEqual(octets, other))
      }
      #expect(!areEqual(octets, Array(octets[..<index])))
    }
    #expect(!areEqual(octets, octets + [0]))
  }
}
