package import FIDOUAF

/// A registered key of an authenticator, as a relying party keeps it.
package struct RegisteredKey: Hashable, Sendable {
  /// The model of the authenticator.
  package let aaid: AAID
  /// The identifier of the key.
  package let keyID: KeyID
  /// The user.
  package let userName: String
  /// The encoded public key.
  package let publicKey: [UInt8]
  /// The encoding of the public key.
  package let publicKeyEncoding: PublicKeyEncoding
  /// The signature algorithm.
  package let signatureAlgorithm: SignatureAlgorithm
  /// The version of the authenticator.
  package var authenticatorVersion: UInt16
  /// The last signature counter.
  package var signatureCounter: UInt32

  /// Creates a key.
  package init(
    aaid: AAID, keyID: KeyID, userName: String, publicKey: [UInt8], publicKeyEncoding: PublicKeyEncoding,
    signatureAlgorithm: SignatureAlgorithm, authenticatorVersion: UInt16, signatureCounter: UInt32
  ) {
    (self.aaid, self.keyID, self.userName) = (aaid, keyID, userName)
    (self.publicKey, self.publicKeyEncoding) = (publicKey, publicKeyEncoding)
    (self.signatureAlgorithm, self.authenticatorVersion) = (signatureAlgorithm, authenticatorVersion)
    self.signatureCounter = signatureCounter
  }

  /// Returns whether it is the key with the same model and identifier, whatever its counter is.
  package func isSame(as other: RegisteredKey) -> Bool { aaid == other.aaid && keyID == other.keyID }

  /// The key as a policy sees it; nil for a model without metadata.
  var candidate: PolicyCandidate? {
    AuthenticatorMetadata.model(aaid).map {
      PolicyCandidate($0.authenticator(with: signatureAlgorithm), keyIDs: [keyID])
    }
  }
}
