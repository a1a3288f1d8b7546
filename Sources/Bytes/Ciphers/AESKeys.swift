internal import CNettle
public import Octets

/// AES-128 keys with their key schedules and CMAC subkeys, one or more in one locked block (EMV 4.3 Book 2, B1.2).
/// Nettle enciphers.
///
/// Only AES-128: the constant of the book's option C for 192 and 256 bits is ambiguous in print.
public struct AESKeys: ~Copyable, Sendable {
  /// The length of a key: 16 bytes.
  public static let keyCount = 16

  private let schedules: KeySchedules<cmac_aes128_ctx>
  /// The number of keys.
  public var count: Int { schedules.count }

  /// Expands keys.
  ///
  /// - Parameters:
  ///   - count: The number of keys, at least 1.
  ///   - key: Returns the key with an index; a key of another length than 16 bytes traps.
  public init<Failure: Error>(count: Int, key: (Int) throws(Failure) -> Secret) throws(Failure) {
    schedules = KeySchedules(count: count)
    for index in 0..<count {
      let key = try key(index)
      load(key, at: index)
    }
  }

  /// Expands a single key.
  ///
  /// - Parameter key: 16 bytes; another length traps.
  public init(_ key: borrowing Secret) {
    schedules = KeySchedules(count: 1)
    load(key, at: 0)
  }

  private borrowing func load(_ key: borrowing Secret, at index: Int) {
    unsafe schedules.load(key, at: index) { unsafe nettle_cmac_aes128_set_key($1, $0) }
  }

  /// Enciphers one block.
  public borrowing func encipher(_ block: UInt128, with index: Int = 0) -> UInt128 {
    unsafe schedules.transform(block, with: index) { unsafe contactless_cmac_aes128_encipher($0, $1, $2) }
  }

  borrowing func withSchedule(_ index: Int, _ body: (UnsafeMutablePointer<cmac_aes128_ctx>) -> Void) {
    unsafe schedules.withSchedule(index, body)
  }
}
