import Octets
import Synchronization

/// All mutants, each wrong in one thing.
extension Mutant {
  static let all =
    directory + options + records + cryptogram + values + transport + ending + authentication
    + otherAuthentication + verification + malformed + times

  /// A mutant that changes commands with an instruction byte.
  static func sending(
    _ fault: String, _ instruction: UInt8, _ change: @escaping @Sendable (Bytes, MutantMemory) -> Bytes
  ) -> Mutant {
    Mutant(fault: fault, command: { $0.instruction == instruction ? change($0, $1) : $0 })
  }

  /// A mutant that takes another response for that of commands with an instruction byte.
  static func taking(
    _ fault: String, _ instruction: UInt8, _ change: @escaping @Sendable (Bytes, MutantMemory) -> Bytes
  ) -> Mutant {
    Mutant(fault: fault, response: { $1.instruction == instruction ? change($0, $2) : $0 })
  }

  /// A mutant that sends a command again.
  static func repeating(_ fault: String, _ matches: @escaping @Sendable (Bytes) -> Bool) -> Mutant {
    Mutant(fault: fault, further: { command, _, _ in matches(command) ? [command] : [] })
  }
}

/// Random bytes that are always the same.
struct ConstantRandomSource: RandomSource {
  func octets(_ count: Int) -> [UInt8] {
    Array([0x12, 0x34, 0x56, 0x78].prefix(count)) + .init(repeating: 0, count: Swift.max(0, count - 4))
  }
}

/// A source whose numbers count up.
final class CountingRandomSource: RandomSource {
  private let count = Mutex<UInt32>(0x1234_0000)

  func octets(_ count: Int) -> [UInt8] {
    let next = self.count.withLock { number in
      number &+= 1
      return number
    }
    return (0..<count).map { UInt8(truncatingIfNeeded: next >> UInt32(8 * Swift.max(0, Swift.min(3, count - 1 - $0)))) }
  }
}
