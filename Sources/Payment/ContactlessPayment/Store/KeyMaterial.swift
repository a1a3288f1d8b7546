package import EMVCard
internal import EMVCryptography
package import Octets

/// The bytes of a key in a store, and the derivation of the keys of one payment from them.
package final class KeyMaterial: Sendable {
  package let kind: PaymentKeyKind
  /// The card's master key for application cryptograms, or the session key of one payment.
  package let key: Secret
  package let cvc3Key: Secret?
  /// The card's master key for issuer scripts.
  package let scriptKey: Secret?

  package init(
    kind: PaymentKeyKind, key: consuming Secret, cvc3Key: consuming Secret?, scriptKey: consuming Secret? = nil
  ) {
    self.kind = kind
    self.key = key
    self.cvc3Key = cvc3Key
    self.scriptKey = scriptKey
  }

  /// Checks that there is a key for every role of an application, and that the kind is possible for it.
  ///
  /// - Throws: `WalletStoreError.noKey` or `.singleUseKeysImpossible`.
  package func check(for application: CardImage.Application) throws(WalletStoreError) {
    try check(for: application.keyRoles, application.cryptogramVersion)
  }

  func check(for roles: [PaymentKeyRole], _ version: CryptogramVersion) throws(WalletStoreError) {
    let (needsCVC3, needsScript) = (roles.contains(.dynamicCVC3), roles.contains(.scriptIntegrity))
    switch kind {
    case .singleUse where version.needsUnpredictableNumber || needsCVC3 || needsScript:
      throw .singleUseKeysImpossible(version)
    case .limitedUse where needsCVC3 && cvc3Key == nil: throw .noKey(.dynamicCVC3)
    case .limitedUse where needsScript && scriptKey == nil: throw .noKey(.scriptIntegrity)
    default: break
    }
  }

  /// Returns the key of one payment for a role. A key that depends on the terminal's unpredictable number is derived by
  /// the card; this returns its master key.
  func paymentKey(_ role: PaymentKeyRole, _ version: CryptogramVersion, _ counter: UInt16) -> Secret {
    switch role {
    case .dynamicCVC3:
      return Self.present(cvc3Key)
    case .scriptIntegrity:
      let master = Self.present(scriptKey)
      guard version.scriptKey == .visa else { return master }
      return version.scriptSessionKey(masterKey: master, atc: counter, cryptogram: 0)
    case .issuerAuthentication: return key.duplicate()
    case .applicationCryptogram:
      guard kind == .limitedUse, !version.needsUnpredictableNumber else { return key.duplicate() }
      return version.cryptogramKey(masterKey: key, atc: counter)
    }
  }
}

extension KeyMaterial {
  /// A copy of a key that the store has checked.
  private static func present(_ key: borrowing Secret?) -> Secret {
    switch key {
    case .some(let key): key.duplicate()
    case .none: preconditionFailure("the store checks that there is a key for every role")
    }
  }

  /// A copy of a key. Optional chaining on a stored key that cannot be copied calls the function for nil too (Swift 6.3).
  fileprivate static func copy(_ key: borrowing Secret?) -> Secret? {
    switch key {
    case .some(let key): key.duplicate()
    case .none: nil
    }
  }
}

extension PaymentKeys {
  /// The keys of a batch with their counters, in order. For stores.
  package var parts: [(batch: KeyBatch, material: KeyMaterial)] {
    switch self {
    case .limitedUse(let key):
      let batch = KeyBatch(
        kind: .limitedUse, firstCounter: Int(key.firstCounter), usesLeft: key.uses, expiry: key.expiry)
      return [(batch, key.material)]
    case .singleUse(let keys):
      return keys.map { key in
        let batch = KeyBatch(kind: .singleUse, firstCounter: Int(key.counter), usesLeft: 1, expiry: key.expiry)
        return (batch, KeyMaterial(kind: .singleUse, key: key.sessionKey.duplicate(), cvc3Key: nil))
      }
    }
  }

  /// Checks that batches fit the applications of a card and have not expired.
  ///
  /// - Parameters:
  ///   - keys: One batch per application.
  ///   - image: The card.
  ///   - now: The date of the store's clock.
  /// - Throws: `WalletStoreError.wrongKeys`, `.tooManyKeys`, `.keysExpired`, `.noKey` or `.singleUseKeysImpossible`.
  package static func check(
    _ keys: [PaymentKeys], for image: CardImage, at now: WallTime
  ) throws(WalletStoreError) {
    guard keys.count == image.applications.count else {
      throw .wrongKeys(applications: image.applications.count, keys: keys.count)
    }
    for (application, batch) in zip(image.applications, keys) {
      let parts = batch.parts
      guard parts.count <= maximumSingleUseCount else { throw .tooManyKeys(limit: maximumSingleUseCount) }
      for part in parts {
        if let expiry = part.batch.expiry, now >= expiry { throw .keysExpired(expiry: expiry, now: now) }
      }
      try parts.first?.material.check(for: application)
    }
  }
}

extension LimitedUseKey {
  fileprivate var material: KeyMaterial {
    KeyMaterial(
      kind: .limitedUse, key: masterKey.duplicate(), cvc3Key: KeyMaterial.copy(cvc3Key),
      scriptKey: KeyMaterial.copy(scriptKey))
  }
}
