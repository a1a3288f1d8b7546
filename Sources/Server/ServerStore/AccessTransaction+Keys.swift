extension AccessTransaction {
  /// The generations of a key, the oldest first.
  package func keyGenerations(_ purpose: KeyGenerationRecord.Purpose) throws(AccessError) -> [KeyGenerationRecord] {
    try records("WHERE purpose = ? ORDER BY generation", [purpose])
  }
  /// The newest generation of a key.
  package func newestKey(_ purpose: KeyGenerationRecord.Purpose) throws(AccessError) -> KeyGenerationRecord? {
    try first("WHERE purpose = ? ORDER BY generation DESC LIMIT 1", [purpose])
  }
  /// The keys of a generation.
  package func keys(ofGeneration generation: Int) throws(AccessError) -> [KeyGenerationRecord] {
    try records("WHERE generation = ?", [generation])
  }

  /// The generation of the keys with which a counter of a card was granted; nil before the first grant. A counter that no
  /// delivery granted belongs to the delivery before it.
  package func generation(
    ofCounter counter: Int, place: Int, ofCard card: String
  ) throws(AccessError) -> Int? {
    let delivery: KeyDeliveryRecord? = try first(
      "WHERE card = ? AND place = ? AND firstCounter <= ? ORDER BY firstCounter DESC LIMIT 1", [card, place, counter])
    return delivery?.generation
  }

  /// Lets all authorizations expire at a moment, unless they expire before.
  package func endAuthorizations(at moment: Int64) throws(AccessError) {
    try update(AuthorizationRecord.table, "expiresAt", to: moment, where: "expiresAt > ?", [moment])
  }
  /// Withdraws the tokens for the login by biometrics of all devices.
  package func removeBiometricTokens() throws(AccessError) {
    try update(WalletDeviceRecord.table, "biometricToken", to: nil, where: "biometricToken IS NOT NULL", [])
  }
  /// Removes all challenges, tokens and sessions, expired ones included.
  package func removeTokensAndSessions() throws(AccessError) {
    let tables = [
      ChallengeRecord.table, OutOfBandTokenRecord.table, AuthorizationRecord.table, RegistrationTokenRecord.table,
      WalletSessionRecord.table, WalletTokenRecord.table, OperatorSessionRecord.table,
    ]
    for table in tables { try remove(from: table, where: "1 = 1", []) }
  }
}
