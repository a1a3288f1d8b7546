internal import AccessMessages
internal import OperatorPages
internal import ServerShell
internal import ServerStore

/// The rules of the operator's page.
struct PageRules: RequestRules {
  let scope: RequestScope

  var operations: OperationRules { OperationRules(scope: scope) }
  var wallets: WalletRules { WalletRules(scope: scope) }
  var issuer: IssuerRules { IssuerRules(scope: scope) }
  var administration: OperatorRules { OperatorRules(scope: scope) }
}

extension PageRules: PageFacts {
  var auditEvents: [String] { AuditEvent.allCases.map(\.rawValue) }

  var attemptLimits: (perCard: Int, perAddress: Int) {
    (RecordLimits.attemptsPerCard, RecordLimits.attemptsPerAddress)
  }

  func lastDigits(of card: IssuedCardRecord) throws(AccessError) -> String { try issuer.entry(card).lastDigits }

  func writableTags(of card: IssuedCardRecord) throws(AccessError) -> [String] { try issuer.writableTags(of: card) }

  func removedDevices(_ deactivations: [DeactivationRecord]) throws(AccessError) -> [DeviceList.Entry] {
    try administration.removedDevices(deactivations)
  }

  func unlinkedDevices(of wallet: EnrolledWalletRecord) throws(AccessError) -> [DeactivationRecord] {
    try administration.unlinkedDevices(of: wallet)
  }
}

extension PageRules {
  func linkedDevice(_ id: String) throws(AccessError) -> (WalletDeviceRecord, EnrolledWalletRecord) {
    guard let device = try transaction.walletDevice(id) else {
      throw .refused(.notFound, "there is no such device")
    }
    return (device, try wallet(device.wallet))
  }

  /// Unlinks a device that the operator has confirmed.
  ///
  /// - Throws: A refusal with code `notFound`, also when the device is linked with another wallet by now.
  func unlinkDevice(_ id: String, of userName: String) throws(AccessError) {
    let (device, wallet) = try linkedDevice(id)
    guard wallet.userName.hasSameOctets(as: userName) else {
      throw .refused(.notFound, "the device is linked with another wallet by now; nothing was changed")
    }
    try wallets.unlink(device, "by the operator")
  }
}
