internal import AccessMessages
internal import ServerStore

extension OperatorRules {
  /// A page of wallets with their devices, or the wallet with a user name.
  func listWallets(userName: String?, after id: String?) throws(AccessError) -> WalletList {
    if let userName {
      guard let found = try wallet(entered: userName) else { return WalletList([]) }
      return WalletList([try entry(found)])
    }
    let page = try transaction.wallets(after: id, limit: RecordLimits.page)
    return WalletList(
      try page.map(entry), next: page.count == RecordLimits.page ? page.last?.id : nil)
  }

  private func entry(_ wallet: EnrolledWalletRecord) throws(AccessError) -> WalletList.Entry {
    let devices = try transaction.walletDevices(of: wallet.id).map {
      WalletList.Device(
        deviceID: $0.deviceID, name: $0.name, isActive: $0.state == .active, isLinked: true, createdAt: $0.createdAt)
    }
    let unlinked = try unlinkedDevices(of: wallet).map {
      WalletList.Device(
        deviceID: $0.deviceID, name: $0.name, isActive: false, isLinked: false, createdAt: $0.createdAt)
    }
    return WalletList.Entry(
      id: wallet.id, userName: wallet.userName, firstName: wallet.firstName, lastName: wallet.lastName,
      phone: wallet.phone, createdAt: wallet.createdAt, devices: devices + unlinked)
  }

  /// Unlinks a device, for the operator.
  func removeWalletDevice(_ id: String) throws(AccessError) {
    guard let device = try transaction.walletDevice(id) else {
      throw .refused(.notFound, "there is no such device")
    }
    try wallets.unlink(device, "by the operator")
  }
}
