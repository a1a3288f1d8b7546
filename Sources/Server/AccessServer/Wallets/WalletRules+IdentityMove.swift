internal import AccessMessages
internal import JOSE
internal import JSON
internal import ServerStore

// A device of an older version had one identity at all its issuers. It moves to one of its own at each of them, with a request
// that both keys sign and that names the issuer.

extension WalletRules {
  /// Moves a device to a new identity: what the server keeps for the former one is for the new one then, and no signature with
  /// the former key is accepted any more.
  ///
  /// Repeating the request of a device that has moved changes nothing, so that a client may repeat one whose response was lost.
  ///
  /// - Throws: A refusal: `malformed`; `unauthorized` for a wrong signature, another server, or a former key that has moved to
  ///   another identity; `clockSkew`; `replay`; `notRegistered` for a device that the server does not know; `deviceInactive` for
  ///   one that is deactivated and was removed since; `deviceLinked` when the new identity has a wallet already.
  func moveIdentity(_ request: SignedRequest) throws(AccessError) {
    let (former, signature) = try verified(request)
    let move = try refusing { () throws(DeviceSignatureError) in
      try IdentityMove(verifying: String(decoding: request.body ?? [], as: UTF8.self))
    }
    try check(move, of: former, signature)
    if let moved = try transaction.movedDevice(formerKey: former.key.digest) {
      guard moved.deviceID.hasSameOctets(as: move.deviceID), moved.key == move.signatureKey.digest else { throw .moved }
      return
    }
    let targets = try transaction.devices(withDeviceID: former.deviceID).filter { former.isKey($0.signatureKey) }
    try move.encryptionKey.requireRecipient()
    try useIdentifier(of: signature, former)
    try checkDeactivations(of: former, targets)
    guard former.linked != nil || !targets.isEmpty else { throw .notRegistered }
    if let linked = former.linked { try moveWallet(linked, move) }
    for target in targets { try moveTarget(target, move) }
    try transaction.save(
      MovedDeviceRecord(
        formerKey: former.key.digest, formerDeviceID: former.deviceID, deviceID: move.deviceID,
        key: move.signatureKey.digest,
        createdAt: now))
    try audit(.deviceMoved, "from \(former.deviceID)", device: move.deviceID)
  }

  private func check(
    _ move: IdentityMove, of former: SigningDevice, _ signature: DeviceSignature
  ) throws(AccessError) {
    // A move without an audience could be that to any issuer, whatever the server accepts of older clients.
    guard let audience = signature.audience, audience == move.audience else {
      throw .refused(.unauthorized, "the signatures of a move name the same audience")
    }
    try checkAudience(audience)
    guard move.formerDeviceID.hasSameOctets(as: former.deviceID), move.formerSignatureKey.hasSamePoint(as: former.key)
    else { throw .refused(.unauthorized, "the move is that of another device") }
    guard !move.deviceID.hasSameOctets(as: former.deviceID), !move.signatureKey.hasSamePoint(as: former.key) else {
      throw .refused(.malformed, "a device moves to another identifier and another key")
    }
  }

  /// Moves what a wallet has of its device: the link, the cards, the open sessions and what waits for an answer.
  private func moveWallet(_ linked: WalletDeviceRecord, _ move: IdentityMove) throws(AccessError) {
    guard try transaction.walletDevice(move.deviceID) == nil else { throw .deviceLinked }
    let wallet = try wallet(linked.wallet)
    var device = linked
    device.deviceID = move.deviceID
    device.signatureKey = move.signatureKey.storedPoint
    device.encryptionKey = move.encryptionKey.json.compact
    try transaction.remove(WalletDeviceRecord.self, linked.deviceID)
    try transaction.save(device)
    for table in [WalletSessionRecord.table, WalletTokenRecord.table] {
      let condition = "deviceID = ? AND signatureKey = ?"
      let arguments: [any StoredValue] = [linked.deviceID, linked.signatureKey]
      try transaction.update(table, "signatureKey", to: device.signatureKey, where: condition, arguments)
      try transaction.update(
        table, "deviceID", to: move.deviceID, where: condition, [linked.deviceID, device.signatureKey])
    }
    try transaction.update(
      IssuedCardRecord.table, "device", to: move.deviceID, where: "device = ? AND account = ?",
      [linked.deviceID, wallet.userName])
    try moveDeactivation(of: .wallet(wallet.id), from: linked.deviceID, move)
  }

  /// Moves a dispatch target, and what its account was given for the device.
  private func moveTarget(_ target: DispatchTargetRecord, _ move: IdentityMove) throws(AccessError) {
    var device = target
    device.deviceID = move.deviceID
    device.signatureKey = move.signatureKey.json.compact
    device.encryptionKey = move.encryptionKey.json.compact
    try transaction.save(device)
    let columns: [(RecordTable, String)] = [
      (CredentialRecord.table, "deviceID"), (ChallengeRecord.table, "deviceID"),
      (ChallengeRecord.table, "authorizedBy"),
      (OutOfBandTokenRecord.table, "deviceID"), (OutOfBandTokenRecord.table, "authorizedBy"),
      (AuthorizationRecord.table, "deviceID"),
    ]
    for (table, column) in columns {
      try transaction.update(
        table, column, to: move.deviceID, where: "\(column) = ? AND account = ?", [target.deviceID, target.account])
    }
    try moveDeactivation(of: .account(target.account), from: target.deviceID, move)
  }

  /// Refuses the move of a device that is deactivated for a user from whose account or wallet it was removed. No key of the
  /// device is stored there, so that any client could move the deactivation away. The device keeps its identity until the operator
  /// activates it.
  ///
  /// - Throws: A refusal with code `deviceInactive`.
  private func checkDeactivations(of former: SigningDevice, _ targets: [DispatchTargetRecord]) throws(AccessError) {
    let owners =
      targets.map { DeactivationRecord.Owner.account($0.account) } + (former.linked.map { [.wallet($0.wallet)] } ?? [])
    for deactivation in try transaction.deactivations(ofDevice: former.deviceID) {
      guard owners.contains(deactivation.owner) else { throw .deviceInactive }
    }
  }

  private func moveDeactivation(
    of owner: DeactivationRecord.Owner, from deviceID: String, _ move: IdentityMove
  ) throws(AccessError) {
    for var deactivation in try transaction.deactivations(of: owner)
    where deactivation.deviceID.hasSameOctets(as: deviceID) {
      try transaction.removeDeactivation(of: owner, deviceID: deviceID)
      deactivation.deviceID = move.deviceID
      try transaction.save(deactivation)
    }
  }

}

extension SigningDevice {
  /// Whether a stored JWK is the key of the device.
  fileprivate func isKey(_ text: String) -> Bool {
    guard let json = try? JSONValue(parsing: text), let other = try? JSONWebKey(json) else { return false }
    return other.hasSamePoint(as: key)
  }
}
