internal import CNettle
public import Octets

/// An AES-256 key that encrypts and authenticates stored data in Galois/Counter Mode (NIST SP 800-38D), with its key
/// schedule in one locked block. Nettle enciphers.
///
/// A sealed value is the nonce (12 bytes), the ciphertext and the tag (16 bytes), in this order. The nonces are random:
/// one key may seal 2^32 values (SP 800-38D, section 8.3).
public struct SealingKey: ~Copyable, Sendable {
  /// The length of a key: 32 bytes.
  public static let keyCount = 32
  /// The number of bytes by which a sealed value is longer than its content: 28.
  public static let overhead = nonceCount + tagCount

  private static let nonceCount = 12
  private static let tagCount = 16

  private let schedule: Secret

  /// Expands a key.
  ///
  /// - Parameter key: 32 bytes; another length traps.
  public init(_ key: borrowing Secret) {
    schedule = Secret(count: MemoryLayout<gcm_aes256_ctx>.size) { _ in }
    key.withExposedOctets { octets in
      precondition(octets.count == Self.keyCount, "the key has \(octets.count.bytes): 32 are needed")
      unsafe octets.withUnsafeBufferPointer { from in
        guard let key = from.baseAddress else { return }
        unsafe withSchedule { unsafe nettle_gcm_aes256_set_key($0, key) }
      }
    }
  }

  /// Encrypts and authenticates a value.
  ///
  /// - Parameters:
  ///   - content: The value; it may be empty.
  ///   - identity: What the value is and where it belongs. It is not part of the result; only the same bytes open it.
  ///   - random: The source of the nonce.
  public borrowing func seal(
    _ content: Span<UInt8>, as identity: [UInt8], random: any RandomSource
  ) -> [UInt8] {
    let nonce = random.octets(Self.nonceCount)
    var message = start(nonce, identity)
    var sealed = nonce + [UInt8](repeating: 0, count: content.count + Self.tagCount)
    unsafe sealed.withUnsafeMutableBufferPointer { to in
      guard let target = to.baseAddress else { return }
      let output = unsafe target + Self.nonceCount
      unsafe withSchedule { key in
        unsafe content.withUnsafeBufferPointer { from in
          if let input = from.baseAddress {
            unsafe contactless_gcm_aes256_encrypt(&message, key, from.count, output, input)
          }
        }
        unsafe contactless_gcm_aes256_digest(&message, key, output + content.count)
      }
    }
    return sealed
  }

  /// Decrypts a sealed value. Returns nil when it was not sealed with this key and identity, or was changed since.
  ///
  /// The caller wipes the result when it is secret.
  public borrowing func open(_ sealed: [UInt8], as identity: [UInt8]) -> [UInt8]? {
    guard sealed.count >= Self.overhead else { return nil }
    var message = start(Array(sealed.prefix(Self.nonceCount)), identity)
    let count = sealed.count - Self.overhead
    var (content, tag) = ([UInt8](repeating: 0, count: count), [UInt8](repeating: 0, count: Self.tagCount))
    unsafe sealed.withUnsafeBufferPointer { from in
      guard let input = from.baseAddress else { return }
      unsafe withSchedule { key in
        unsafe content.withUnsafeMutableBufferPointer { to in
          if let output = to.baseAddress, count > 0 {
            unsafe contactless_gcm_aes256_decrypt(&message, key, count, output, input + Self.nonceCount)
          }
        }
        unsafe tag.withUnsafeMutableBufferPointer { to in
          if let output = to.baseAddress { unsafe contactless_gcm_aes256_digest(&message, key, output) }
        }
      }
    }
    guard constantTimeEqual(tag.span, sealed.span.extracting(last: Self.tagCount)) else {
      content.wipe()
      return nil
    }
    return content
  }

  private borrowing func start(_ nonce: [UInt8], _ identity: [UInt8]) -> gcm_ctx {
    var message = gcm_ctx()
    unsafe withSchedule { key in
      unsafe contactless_gcm_aes256_start(&message, key, nonce.count, nonce)
      unsafe contactless_gcm_aes256_authenticate(&message, key, identity.count, identity)
    }
    return message
  }

  private borrowing func withSchedule(_ body: (UnsafeMutablePointer<gcm_aes256_ctx>) -> Void) {
    // The block is page-aligned.
    unsafe schedule.withExposedStorage { unsafe body($0.assumingMemoryBound(to: gcm_aes256_ctx.self)) }
  }
}
