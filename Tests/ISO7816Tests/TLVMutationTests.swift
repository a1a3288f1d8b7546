import ISO7816
import Octets
import Testing

@Suite("Mutated BER-TLV")
struct TLVMutationTests {
  /// Complete, realistic inputs from which the mutations start.
  static let seeds = [
    "6F24840E315041592E5359532E4444463031A5128801015F2D08656E6573667264659F110101",
    "6F3B840E325041592E5359532E4444463031A529BF0C2661244F08A0000000250104035010416D65726963616E2045787072657373"
      + "8701019F28024004",
    "770E8202390094081801020120020400", "70138F019492009F3201039F4701039F49039F3704", "DF81150600000000FFFF",
    "5A8200020102", "00005A0101FFFF",
  ]

  private static func mutated(_ random: inout SplitMix64) throws -> [UInt8] {
    if Int.random(in: 0..<4, using: &random) == 0 {
      return (0..<Int.random(in: 0...64, using: &random)).map { _ in UInt8.random(in: 0...255, using: &random) }
    }
    var octets = try [UInt8](hex: seeds[Int.random(in: 0..<seeds.count, using: &random)])
    for _ in 0..<Int.random(in: 1...4, using: &random) {
      let at = Int.random(in: 0..<max(octets.count, 1), using: &random)
      switch Int.random(in: 0..<5, using: &random) {
      case 0 where !octets.isEmpty: octets[at] = UInt8.random(in: 0...255, using: &random)
      case 1 where !octets.isEmpty: octets[at] ^= 1 << UInt8.random(in: 0..<8, using: &random)
      case 2: octets.insert(UInt8.random(in: 0...255, using: &random), at: at)
      case 3 where !octets.isEmpty: octets.remove(at: at)
      case 4: octets.removeLast(octets.count - at)
      default: octets += octets.prefix(at)
      }
    }
    return octets
  }

  @Test func `20 000 mutated inputs never trap, and those that are read are written back to a stable form`() throws {
    var random = SplitMix64(seed: 7816)
    var (read, refused) = (0, 0)
    for _ in 0..<20_000 {
      let octets = try Self.mutated(&random)
      do throws(TLVError) {
        let nodes = try [TLVNode](parsing: octets.span)
        read += 1
        let encoded = nodes.encoded
        // Written data objects satisfy the strict rules, have the same meaning and are stable.
        let again = try [TLVNode](parsing: encoded.span, rules: .strict)
        guard again == nodes, again.encoded == encoded, encoded.count <= octets.count else {
          Issue.record("\(octets.hex) was written as \(encoded.hex)")
          return
        }
      } catch {
        refused += 1
        guard (0...octets.count).contains(error.offset) else {
          Issue.record("\(octets.hex): \(error)")
          return
        }
      }
      if let strict = try? [TLVNode](parsing: octets.span, rules: .strict) { #expect(strict.encoded == octets) }
    }
    #expect(read > 1000)
    #expect(refused > 1000)
  }

  @Test(arguments: seeds)
  func `every prefix of an input is read or refused at an offset inside it`(_ hex: String) throws {
    let octets = try [UInt8](hex: hex)
    for count in 0...octets.count {
      do throws(TLVError) {
        _ = try [TLVNode](parsing: octets.span.extracting(0..<count))
      } catch {
        #expect((0...count).contains(error.offset))
      }
    }
  }
}
