internal import DisplayText
internal import Octets
internal import ServerStore

extension OperatorPage {
  /// The devices: those of wallets, those of the authenticators' accounts, and the deactivated ones that are with neither.
  static let devices = OperatorPage(path: PagePath.devices, title: "Devices") { page, request in
    let linked = try PagePart { try page.transaction.walletDevices(after: request.start(), limit: $0) }
    let targets = try PagePart { try page.transaction.devices(after: request.start("accountsAfter"), limit: $0) }
    let skipped = try max(0, request.start("formerAfter").flatMap { Int($0) } ?? 0)
    let former = try PagePart { try page.transaction.formerDeactivations(skipping: skipped, limit: $0) }
    return """
      <h2>Devices with a wallet</h2>
      \(try page.table(of: linked.elements, request))
      \(request.foot(linked, "device", next: \.deviceID))
      <h2>Devices with authenticators</h2>
      \(page.table(of: targets.elements, request))
      \(request.foot(targets, "device", "accountsAfter", next: \.id))
      <h2>Deactivated devices that are unlinked or removed</h2>
      \(try page.table(of: former.elements, request))
      \(request.foot(former, "device", "formerAfter") { _ in String(skipped + former.elements.count) })
      """
  }
}

extension PageTable {
  fileprivate static func devices(_ rows: [[HTML]], empty: String) -> HTML {
    PageTable(columns: ["Device", "User", "Since", "State", "Action"], rows: rows, empty: empty).html
  }
}

extension PageReader {
  fileprivate func table(of devices: [WalletDeviceRecord], _ request: PageRequest) throws(AccessError) -> HTML {
    let rows = try devices.map { device throws(AccessError) in try cells(device) + [request.buttons(of: device)] }
    return PageTable.devices(
      rows, empty: "No device is linked with a wallet. A device is linked when its user enrols or logs in.")
  }

  fileprivate func table(of devices: [DispatchTargetRecord], _ request: PageRequest) -> HTML {
    let rows = devices.map { device in
      [
        "\(device.name)<small>\(device.id)</small>", user(ofAccount: device.account),
        PageValue.moment(device.createdAt), PageValue.state(device.state.rawValue), request.buttons(of: device),
      ]
    }
    return PageTable.devices(
      rows,
      empty:
        "No device is registered. A device registers with tap-wallet register and a token of tap-server user token.")
  }

  fileprivate func table(of former: [DeactivationRecord], _ request: PageRequest) throws(AccessError) -> HTML {
    let rows = try former.map { deactivation throws(AccessError) -> [HTML] in
      let userName = try formerUserName(deactivation)
      let user = try userName.map { (name) throws(AccessError) in try person(name) }
      return [
        "\(deactivation.name)<small>\(deactivation.target ?? deactivation.deviceID)</small>",
        user ?? self.user(ofAccount: deactivation.owner.name), PageValue.moment(deactivation.createdAt),
        PageValue.state(userName == nil ? "removed" : "unlinked"), request.activation(deactivation, userName: userName),
      ]
    }
    return PageTable.devices(rows, empty: "No device is deactivated beyond its removal.")
  }

  /// The user name of the wallet of a deactivated device; nil for the device of an account.
  private func formerUserName(_ deactivation: DeactivationRecord) throws(AccessError) -> String? {
    guard deactivation.owner.kind == .wallet else { return nil }
    return try facts.wallet(deactivation.owner.name).userName
  }
}
