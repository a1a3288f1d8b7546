import Ciphers
import EMVCryptography
import Octets
import Testing

@Suite("Signatures of RSA")
struct SigningTests {
  private static func key(_ p: String, _ q: String, exponent: [UInt8] = [3]) throws -> RSASigningKey? {
    RSASigningKey(
      p: Secret(copying: try [UInt8](hex: p)), q: Secret(copying: try [UInt8](hex: q)), exponent: exponent)
  }

  @Test(arguments: ChainVector.signatures)
  func `a signature is the one that another program makes, also with scratch memory that was used before`(
    _ vector: ChainVector.Signature
  ) throws {
    guard let key = try Self.key(vector.p, vector.q) else { throw SigningFailure.noKey }
    let block = try [UInt8](hex: vector.block)
    let scratch = key.makeScratch()
    for _ in 0..<2 {
      var copy = block
      var span = copy.mutableSpan
      let isSigned = key.sign(&span, scratch: scratch)
      #expect(isSigned && copy.hex == vector.signature)
      scratch.withExposedOctets { octets in
        var sum: UInt8 = 0
        for index in octets.indices { sum |= octets[index] }
        #expect(sum == 0, "the scratch memory is wiped")
      }
    }
  }

  @Test func `a signature that the public key does not confirm is replaced by zeros`() throws {
    let vector = try #require(ChainVector.signatures.first)
    // A composite number in place of a prime: both halves of the computation are wrong, as after a fault.
    var prime = try [UInt8](hex: vector.p)
    prime[prime.count - 2] ^= 0x40
    guard let key = try Self.key(prime.hex, vector.q, exponent: [1, 0, 1]) else { throw SigningFailure.noKey }
    var block = try [UInt8](hex: vector.block)
    let scratch = key.makeScratch()
    var span = block.mutableSpan
    let isSigned = key.sign(&span, scratch: scratch)
    #expect(!isSigned && block.allSatisfy { $0 == 0 })
  }

  @Test func `primes of different lengths, short ones, and other exponents make no key`() throws {
    let vector = try #require(ChainVector.signatures.first)
    func isKey(_ p: String, _ q: String, _ exponent: [UInt8] = [3]) throws -> Bool {
      let key = try Self.key(p, q, exponent: exponent)
      return key != nil
    }
    #expect(try isKey(vector.p, vector.q))
    #expect(try !isKey(vector.p, String(vector.q.dropLast(2))))
    #expect(try !isKey("FB", "F1"))
    #expect(try !isKey(vector.p, vector.q, [5]))
    #expect(try !isKey(vector.p, vector.q, []))
    // p - 1 is divisible by 3.
    #expect(try !isKey(String(repeating: "0", count: vector.p.count - 2) + "07", vector.q))
  }

  private enum SigningFailure: Error {
    case noKey
  }
}
