import Glibc
import Synchronization

/// The port from which all code takes random bytes.
public protocol RandomSource: Sendable {
  /// Returns the next bytes.
  func octets(_ count: Int) -> [UInt8]
}

/// The kernel's generator (`getrandom`).
public struct SystemRandomSource: RandomSource {
  /// Creates the source.
  public init() {}

  /// Returns fresh random bytes.
  public func octets(_ count: Int) -> [UInt8] {
    var generator = SystemRandomNumberGenerator()
    var octets: [UInt8] = []
    octets.reserveCapacity(count)
    // A system call for each eight bytes, not for each one.
    while octets.count < count { octets += generator.next().bigEndianOctets.prefix(count - octets.count) }
    return octets
  }
}

/// A repeatable sequence from a seed (SplitMix64), for tests and simulation. Never use it for keys.
public final class SeededRandomSource: RandomSource {
  private let state: Mutex<SplitMix64>

  /// Creates a source. Equal seeds give equal sequences.
  public init(seed: UInt64) {
    state = Mutex(SplitMix64(seed: seed))
  }

  /// Returns the next bytes of the sequence.
  public func octets(_ count: Int) -> [UInt8] {
    state.withLock { generator in (0..<count).map { _ in UInt8(truncatingIfNeeded: generator.next() >> 32) } }
  }
}

/// SplitMix64 (Steele, Lea and Flood 2014), a small and fast generator that gives the same sequence on every platform.
public struct SplitMix64: RandomNumberGenerator, Sendable {
  private var state: UInt64

  /// Creates a generator. Equal seeds give equal sequences.
  public init(seed: UInt64) {
    state = seed
  }

  /// Returns the next 64 bits.
  public mutating func next() -> UInt64 {
    state &+= 0x9E37_79B9_7F4A_7C15
    var mixed = state
    mixed = (mixed ^ (mixed >> 30)) &* 0xBF58_476D_1CE4_E5B9
    mixed = (mixed ^ (mixed >> 27)) &* 0x94D0_49BB_1331_11EB
    return mixed ^ (mixed >> 31)
  }
}
