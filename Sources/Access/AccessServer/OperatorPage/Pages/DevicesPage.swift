internal import AccessMessages
internal import Markup

extension OperatorPage {
  /// The devices: those of wallets, and those of the authenticators' accounts.
  static let devices = OperatorPage(path: PagePath.devices, title: "Devices") { rules, request in
    let wallets = try rules.transaction.wallets(after: request.start(), limit: recordCount)
    let linked = try wallets.flatMap { wallet in
      try rules.transaction.walletDevices(of: wallet.id).map { row(of: $0, wallet.userName, request) }
        + rules.unlinkedDevices(of: wallet).map { row(ofUnlinked: $0, wallet.userName, request) }
    }
    let targets = try rules.transaction.devices(after: request.start("accountsAfter"), limit: recordCount)
    // The last page ends with the deactivated devices that were removed.
    let removed =
      targets.count < recordCount ? try rules.removedDevices(rules.transaction.accountDeactivations()) : []
    let rows = targets.map { row(of: $0, request) } + removed.map { row(ofRemoved: $0, request) }
    return """
      <h2>Devices with a wallet</h2>
      \(PageTable(columns: columns, rows: linked, empty: "No device is linked with these wallets.").html)
      \(request.next("after", wallets.count == recordCount ? wallets.last?.id : nil))
      <h2>Devices with authenticators</h2>
      \(PageTable(columns: columns, rows: rows, empty: "No device is registered.").html)
      \(request.next("accountsAfter", targets.count == recordCount ? targets.last?.id : nil))
      """
  }

  private static let columns = ["Device", "User", "Since", "State", "Action"]

  private static func row(of device: WalletDeviceRecord, _ userName: String, _ request: PageRequest) -> [HTML] {
    [
      "\(device.name)<small>\(device.deviceID)</small>", "\(userName)", PageValue.moment(device.createdAt),
      PageValue.state(device.state.rawValue), button(PagePath.walletDevices, device.deviceID, device.state, request),
    ]
  }

  private static func row(of device: DeviceRecord, _ request: PageRequest) -> [HTML] {
    [
      "\(device.name)<small>\(device.id)</small>", "\(device.account)", PageValue.moment(device.createdAt),
      PageValue.state(device.state.rawValue), button(PagePath.devices, device.id, device.state, request),
    ]
  }

  private static func row(ofRemoved device: DeviceList.Entry, _ request: PageRequest) -> [HTML] {
    [
      "\(device.name)<small>\(device.id)</small>", "\(device.account)", PageValue.moment(device.createdAt),
      PageValue.state(device.state), button(PagePath.devices, device.id, .inactive, request),
    ]
  }

  private static func row(
    ofUnlinked device: DeactivationRecord, _ userName: String, _ request: PageRequest
  ) -> [HTML] {
    let change = [("id", device.deviceID), ("state", DeviceRecord.State.active.rawValue), ("userName", userName)]
    return [
      "\(device.name)<small>\(device.deviceID)</small>", "\(userName)", PageValue.moment(device.createdAt),
      PageValue.state("unlinked"), request.button("Activate", PagePath.walletDevices, change),
    ]
  }

  private static func button(
    _ action: String, _ id: String, _ state: DeviceRecord.State, _ request: PageRequest
  ) -> HTML {
    let (title, wanted): (String, DeviceRecord.State) =
      state == .active ? ("Deactivate", .inactive) : ("Activate", .active)
    return request.button(title, action, [("id", id), ("state", wanted.rawValue)])
  }
}
