internal import AccessMessages
internal import ContactlessPayment
internal import Documents
internal import JSON
internal import Octets

extension CardEnvelope {
  /// Reads the content of an envelope and wipes it.
  ///
  /// - Throws: `ProvisioningError.envelope` for a content of the wrong form, of another card or another delivery.
  init(content octets: inout [UInt8], card: String, delivery: String) throws(ProvisioningError) {
    defer { octets.wipe() }
    do {
      try self.init(JSONValue(parsing: octets))
    } catch is DocumentError {
      // The text of the error could contain a part of a key.
      throw .envelope("its content has the wrong form")
    } catch { throw .envelope("its content is not JSON") }
    guard self.card == card, self.delivery == delivery else {
      throw .envelope("it is for another card or another request")
    }
  }

  /// The keys as a wallet stores them.
  var paymentKeys: [PaymentKeys] { keys.map(\.paymentKeys) }

  /// The signing key as a wallet stores it, which compares it with the certificates of the card; nil for a card that
  /// makes no signatures.
  ///
  /// - Throws: `ProvisioningError.envelope` for numbers that make no key.
  func cardSigningKey() throws(ProvisioningError) -> CardSigningKey? {
    guard let sent = signingKey else { return nil }
    let key = CardSigningKey(p: Secret(copying: sent.p), q: Secret(copying: sent.q), exponent: sent.exponent)
    guard let key else {
      throw .envelope("its signing key is not an RSA key of a card")
    }
    return key
  }
}

extension CardEnvelope.Keys {
  /// The keys as a wallet stores them.
  var paymentKeys: PaymentKeys {
    switch self {
    case .limitedUse(let masterKey, let cvc3Key, let scriptKey, let firstCounter, let uses):
      return .limitedUse(
        LimitedUseKey(
          masterKey: Secret(copying: masterKey), cvc3Key: cvc3Key.map { Secret(copying: $0) },
          scriptKey: scriptKey.map { Secret(copying: $0) }, firstCounter: UInt16(clamping: firstCounter), uses: uses))
    case .singleUse(let keys, let firstCounter):
      return .singleUse(
        keys.enumerated().map { place, key in
          SingleUseKey(sessionKey: Secret(copying: key), counter: UInt16(clamping: firstCounter + place))
        })
    }
  }
}
