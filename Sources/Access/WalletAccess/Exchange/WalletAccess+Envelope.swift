internal import JOSE
internal import MobileAuthentication

extension WalletAccess {
  /// Decrypts a JWE with the encryption key of the device.
  ///
  /// - Returns: The content. The caller wipes it.
  /// - Throws: `.malformed` for a JWE of another device, and for one that was changed; `.keysLost` as for every use of the
  ///   identity.
  public func decrypt(_ envelope: String) async throws(WalletAccessError) -> [UInt8] {
    let key = try await withIdentity { (signer, record) async throws(OperationError) in
      try await signer.encryptionKey(of: record)
    }
    do throws(JOSEError) {
      return try JSONWebEncryption(decrypting: envelope, with: key).plaintext
    } catch { throw .malformed("the envelope cannot be decrypted: \(error)") }
  }
}
