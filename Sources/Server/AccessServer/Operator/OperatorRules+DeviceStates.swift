internal import AccessMessages
internal import ServerStore

extension OperatorRules {
  /// The deactivated devices of an account that were removed since, for the operator.
  func removedDevices(_ deactivations: [DeactivationRecord]) throws(AccessError) -> [DeviceList.Entry] {
    var entries: [DeviceList.Entry] = []
    for deactivation in deactivations {
      guard deactivation.owner.kind == .account, let target = deactivation.target,
        try transaction.device(target) == nil
      else { continue }
      entries.append(
        DeviceList.Entry(
          id: target, deviceID: deactivation.deviceID, account: deactivation.owner.name, name: deactivation.name,
          state: DeviceList.removedState, receivesPush: false, createdAt: deactivation.createdAt))
    }
    return entries
  }

  /// The deactivated devices of a wallet that were unlinked since, for the operator.
  func unlinkedDevices(of wallet: EnrolledWalletRecord) throws(AccessError) -> [DeactivationRecord] {
    let linked = try transaction.walletDevices(of: wallet.id).map(\.deviceID)
    return try transaction.deactivations(of: .wallet(wallet.id)).filter { !linked.containsOctets(of: $0.deviceID) }
  }

  /// Activates or deactivates a device of an account. What it was given ends with the deactivation, which holds beyond its
  /// removal. A device that was removed since is activated by its former identifier.
  func changeState(of id: String, _ body: DeviceStateChange) throws(AccessError) {
    let removed = try transaction.deactivation(ofTarget: id)
    if body.isActive, let removed, removed.owner.kind == .account {
      try transaction.removeDeactivation(of: removed.owner, deviceID: removed.deviceID)
      try setState(.active, ofDevice: removed.deviceID, removed.owner.name, target: id)
      return
    }
    guard let device = try transaction.device(id) else { throw .refused(.notFound, "there is no such device") }
    let owner = DeactivationRecord.Owner.account(device.account)
    guard !body.isActive else {
      // Another target of the same device was deactivated.
      try transaction.removeDeactivation(of: owner, deviceID: device.deviceID)
      return try setState(.active, ofDevice: device.deviceID, device.account, target: id)
    }
    if try !isDeactivated(device.deviceID, for: owner) {
      try transaction.save(
        DeactivationRecord(owner: owner, deviceID: device.deviceID, target: id, name: device.name, createdAt: now))
    }
    try setState(.inactive, ofDevice: device.deviceID, device.account, target: id)
    try perform(Withdrawal(subject: .device(device.deviceID), caller: nil), ofAccount: device.account)
  }

  /// Sets the state of all dispatch targets of a device.
  private func setState(
    _ state: DispatchTargetRecord.State, ofDevice deviceID: String, _ account: String, target: String
  ) throws(AccessError) {
    for var device in try transaction.devices(of: account) where device.deviceID.hasSameOctets(as: deviceID) {
      device.state = state
      try transaction.save(device)
    }
    try audit(.deviceStateChanged, state.rawValue, account: account, device: target)
  }

  /// Activates or deactivates a device of a wallet. What it was given ends with the deactivation, which holds beyond its
  /// unlinking. A device that was unlinked since is activated by the same identifier.
  func changeWalletDevice(_ id: String, _ body: DeviceStateChange) throws(AccessError) {
    let wallet = try owner(ofWalletDevice: id, body)
    if var device = try transaction.walletDevice(id), device.wallet == wallet.id {
      device.state = body.isActive ? .active : .inactive
      try transaction.save(device)
      if !body.isActive, try !isDeactivated(id, for: .wallet(wallet.id)) {
        try transaction.save(
          DeactivationRecord(owner: .wallet(wallet.id), deviceID: id, name: device.name, createdAt: now))
      }
    }
    if body.isActive {
      try transaction.removeDeactivation(of: .wallet(wallet.id), deviceID: id)
    } else {
      try perform(Withdrawal(subject: .device(id), caller: nil), of: wallet)
    }
    let state: DispatchTargetRecord.State = body.isActive ? .active : .inactive
    try audit(.deviceStateChanged, state.rawValue, account: wallet.userName, device: id)
  }

  /// The wallet for which the state of a device is changed: the one that the body names; otherwise the one that the device is
  /// linked with, unless the device is active there and is to be activated for its former wallet.
  private func owner(ofWalletDevice id: String, _ body: DeviceStateChange) throws(AccessError) -> EnrolledWalletRecord {
    let linked = try transaction.walletDevice(id)
    let former = body.isActive ? try transaction.walletDeactivations(ofDevice: id) : []
    var owners = former.map(\.owner.name)
    if let linked, !owners.contains(linked.wallet) { owners.append(linked.wallet) }
    var wallets = try owners.map { (id) throws(AccessError) in try wallet(id) }
    if let userName = body.userName {
      let named = try wallet(entered: userName)?.userName ?? userName
      wallets.removeAll { !$0.userName.hasSameOctets(as: named) }
    } else if wallets.count > 1, let linked {
      // The deactivation of the wallet that the device has now comes first, then the one of its former wallet.
      if linked.state == .inactive {
        wallets.removeAll { $0.id != linked.wallet }
      } else {
        wallets.removeAll { $0.id == linked.wallet }
      }
    }
    guard let wallet = wallets.first else { throw .refused(.notFound, "there is no such device") }
    guard wallets.count == 1 else {
      let names = wallets.map(\.userName).joined(separator: ", ")
      throw .refused(
        .malformed, "the device is deactivated for \(wallets.count) wallets: name the user (userName) of \(names)")
    }
    return wallet
  }
}
