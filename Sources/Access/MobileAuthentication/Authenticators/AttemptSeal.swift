internal import Crypto
internal import Octets

/// Detects wrong entries that were removed from the local data with an editor: HMAC-SHA-256 over a protection, with a key of
/// the device.
struct AttemptSeal: Sendable {
  private let key: SymmetricKey

  /// Derives the key from the bytes of the sealing key.
  init(_ material: borrowing Secret) { key = SealingPurpose.attempts.key(from: material) }

  /// Seals a protection after a change.
  func seal(_ protection: inout SecretProtection) { protection.seal = code(protection) }

  /// Checks a protection that was read.
  ///
  /// - Throws: `.attemptsChanged`.
  func check(_ protection: SecretProtection) throws(LocalDataError) {
    guard let seal = protection.seal, constantTimeEqual(seal.span, code(protection).span) else {
      throw .attemptsChanged
    }
  }

  private func code(_ protection: SecretProtection) -> [UInt8] {
    let mark = protection.attempts.lastFailure
    // The box has no fixed length and comes last; every other part but the kind and the start of the machine has one.
    let octets =
      Self.text(protection.kind.rawValue) + protection.count.bigEndianOctets + [UInt8(protection.attempts.failures)]
      + UInt64(bitPattern: mark?.wall.seconds ?? 0).bigEndianOctets
      + UInt64(mark?.wall.milliseconds ?? 0).bigEndianOctets
      + UInt64(bitPattern: mark?.sinceBoot.nanoseconds ?? 0).bigEndianOctets
      + Self.text(mark?.boot ?? "") + protection.verifier.box
    return [UInt8](HMAC<SHA256>.authenticationCode(for: octets, using: key))
  }

  private static func text(_ text: String) -> [UInt8] { UInt64(text.utf8.count).bigEndianOctets + Array(text.utf8) }
}
