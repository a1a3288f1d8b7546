internal import AccessMessages
internal import DisplayText
internal import Octets
internal import ServerStore

extension OperatorPage {
  /// A user with all devices and cards: those of the wallet with this user name, and those of the account of authenticators with
  /// this name. Both have the same name only, and need not have the same person.
  static let user = OperatorPage(path: PagePath.user, title: "User", section: PagePath.users) { page, request in
    let name = try request.start("name") ?? ""
    let (wallet, account) = (try page.transaction.wallet(named: name), try page.transaction.user(named: name))
    guard wallet != nil || account != nil else { throw AccessError.refused(.notFound, "there is no such user") }
    let ofWallet = try wallet.map { try page.part(of: $0, request) } ?? .empty
    let ofAccount = try account.map { try page.part(of: $0, request) } ?? .empty
    let trail = PagePath.audit.query([("account", name)])
    return "\(ofWallet)\(ofAccount)<p><a href=\"\(trail)\">Audit trail of \(name)</a></p>"
  }
}

extension PageReader {
  fileprivate func part(of wallet: EnrolledWalletRecord, _ request: PageRequest) throws(AccessError) -> HTML {
    let cards = try PagePart { limit throws(AccessError) in
      try transaction.cards(of: wallet.userName, after: request.start("cardsAfter"), limit: limit)
    }
    let rows = try cards.elements.map { card throws(AccessError) in try row(of: card, request) }
    return """
      <dl><div><dt>Name</dt><dd>\(wallet.firstName) \(wallet.lastName)</dd></div>
      <div><dt>User name</dt><dd>\(wallet.userName)</dd></div>
      <div><dt>Telephone</dt><dd>\(wallet.phone)</dd></div>
      <div><dt>Enrolled</dt><dd>\(PageValue.moment(wallet.createdAt))</dd></div></dl>
      <h2>Devices with the wallet</h2>
      \(try devices(of: wallet, request))
      <h2>Cards</h2>
      \(PageTable.cards(rows, empty: "The user has no card.").html)
      \(request.foot(cards, "card", "cardsAfter", next: \.id))
      """
  }

  private func devices(of wallet: EnrolledWalletRecord, _ request: PageRequest) throws(AccessError) -> HTML {
    let linked = try transaction.walletDevices(of: wallet.id).map { device -> [HTML] in
      [
        "\(device.name)<small>\(device.deviceID)</small>", "\(device.system ?? "unknown")",
        PageValue.moment(device.createdAt), device.lastContactAt.map { PageValue.moment($0) } ?? "unknown",
        PageValue.state(device.state.rawValue), request.buttons(of: device),
      ]
    }
    let former = try facts.unlinkedDevices(of: wallet).prefix(OperatorPage.recordCount).map {
      device -> [HTML] in
      [
        "\(device.name)<small>\(device.deviceID)</small>", "", PageValue.moment(device.createdAt), "",
        PageValue.state("unlinked"), request.activation(device, userName: wallet.userName),
      ]
    }
    return PageTable(
      columns: ["Device", "System", "Since", "Last contact", "State", "Action"], rows: linked + former,
      empty: "No device is linked with the wallet."
    ).html
  }

  fileprivate func part(of account: UserRecord, _ request: PageRequest) throws(AccessError) -> HTML {
    let (devices, keys) = (try transaction.devices(of: account.name), try transaction.credentials(of: account.name))
    let names = Dictionary(devices.map { ($0.deviceID, $0.name) }) { first, _ in first }
    let rows = devices.map { device -> [HTML] in
      [
        "\(device.name)<small>\(device.id)</small>", PageValue.moment(device.createdAt),
        PageValue.state(device.state.rawValue), request.buttons(of: device),
      ]
    }
    let former = try facts.removedDevices(transaction.deactivations(of: .account(account.name)))
      .prefix(OperatorPage.recordCount).map { device -> [HTML] in
        let change = [
          (name: "id", value: device.id), (name: "state", value: DispatchTargetRecord.State.active.rawValue),
        ]
        return [
          "\(device.name)<small>\(device.id)</small>", PageValue.moment(device.createdAt),
          PageValue.state(device.state), request.button("Activate", PagePath.devices, change),
        ]
      }
    let keyRows = keys.map { key -> [HTML] in
      [
        "\(key.aaid)", "\(key.deviceID.flatMap { names[$0] } ?? "no device")", PageValue.moment(key.createdAt),
        key.usedAt.map { PageValue.moment($0) } ?? "never",
      ]
    }
    let empty = "The account has no device."
    let deviceTable = PageTable(columns: ["Device", "Since", "State", "Action"], rows: rows + former, empty: empty)
    let keyTable = PageTable(
      columns: ["Authenticator", "Device", "Registered", "Last used"], rows: keyRows, empty: "The account has no key.")
    return """
      <h2>Devices with authenticators of the account \(account.name)</h2>
      \(deviceTable.html)
      <h2>Keys of the account</h2>
      \(keyTable.html)
      """
  }
}
