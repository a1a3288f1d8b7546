internal import CNettle
public import Octets

/// An AES-128 key with its key schedule and CMAC subkeys in a locked block (EMV 4.3 Book 2, B1.2). Nettle enciphers.
///
/// Only AES-128: the constant of the book's option C for 192 and 256 bits is ambiguous in print.
public struct AESKeys: ~Copyable, Sendable {
  /// The length of a key: 16 bytes.
  public static let keyCount = 16

  private let schedules: KeySchedules<cmac_aes128_ctx>

  /// Expands a key.
  ///
  /// - Parameter key: 16 bytes; another length traps.
  public init(_ key: borrowing Secret) {
    schedules = KeySchedules(count: 1)
    unsafe schedules.load(key, at: 0) { unsafe nettle_cmac_aes128_set_key($1, $0) }
  }

  /// Enciphers one block.
  public borrowing func encipher(_ block: UInt128, with index: Int = 0) -> UInt128 {
    unsafe schedules.transform(block, with: index) { unsafe contactless_cmac_aes128_encipher($0, $1, $2) }
  }

  borrowing func withSchedule(_ index: Int, _ body: (UnsafeMutablePointer<cmac_aes128_ctx>) -> Void) {
    unsafe schedules.withSchedule(index, body)
  }
}
