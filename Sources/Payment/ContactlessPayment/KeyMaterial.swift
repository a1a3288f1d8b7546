package import EMVCard
internal import EMVCryptography
package import Octets

/// The octets of a key in a store, and how they become what a card needs for a payment.
package final class KeyMaterial: Sendable {
  package let kind: PaymentKeyKind
  /// The card's master key for application cryptograms, or the session key of the one payment.
  package let key: Secret
  package let cvc3Key: Secret?

  package init(kind: PaymentKeyKind, key: consuming Secret, cvc3Key: consuming Secret?) {
    self.kind = kind
    self.key = key
    self.cvc3Key = cvc3Key
  }

  /// Makes sure that there is a key for every role of an application, and that the kind can serve it.
  package func check(for application: CardImage.Application) throws(WalletStoreError) {
    try check(for: application.keyRoles, application.cryptogramVersion)
  }

  func check(for roles: [PaymentKeyRole], _ version: CryptogramVersion) throws(WalletStoreError) {
    let needsCVC3 = roles.contains(.dynamicCVC3)
    switch kind {
    case .singleUse where version.needsUnpredictableNumber || needsCVC3: throw .singleUseKeysImpossible(version)
    case .limitedUse where needsCVC3 && cvc3Key == nil: throw .noKey(.dynamicCVC3)
    default: break
    }
  }

  /// The key of one payment for a role. A key that waits for the terminal's unpredictable number is derived by the
  /// card, from the master key.
  func paymentKey(_ role: PaymentKeyRole, _ version: CryptogramVersion, _ counter: UInt16) -> Secret {
    switch role {
    case .dynamicCVC3:
      guard let cvc3Key = cvc3Key?.duplicate() else {
        preconditionFailure("the store checks that there is a key for every role")
      }
      return cvc3Key
    case .applicationCryptogram:
      guard kind == .limitedUse, !version.needsUnpredictableNumber else { return key.duplicate() }
      return version.cryptogramKey(masterKey: key, atc: counter)
    }
  }
}

extension PaymentKeys {
  /// What a store keeps of a batch, in order.
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

  /// Makes sure that batches fit the applications of a card.
  package static func check(_ keys: [PaymentKeys], for image: CardImage) throws(WalletStoreError) {
    guard keys.count == image.applications.count else {
      throw .wrongKeys(applications: image.applications.count, keys: keys.count)
    }
    for (application, batch) in zip(image.applications, keys) {
      let parts = batch.parts
      guard parts.count <= maximumSingleUseCount else { throw .tooManyKeys(limit: maximumSingleUseCount) }
      try parts.first?.material.check(for: application)
    }
  }
}

extension LimitedUseKey {
  fileprivate var material: KeyMaterial {
    switch cvc3Key {
    case .some(let cvc3Key):
      KeyMaterial(kind: .limitedUse, key: masterKey.duplicate(), cvc3Key: cvc3Key.duplicate())
    case .none: KeyMaterial(kind: .limitedUse, key: masterKey.duplicate(), cvc3Key: nil)
    }
  }
}
