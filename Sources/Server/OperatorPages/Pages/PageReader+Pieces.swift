internal import AccessMessages
internal import DisplayText
internal import Octets
internal import ServerStore

/// Pieces that several pages show.
extension PageReader {
  /// The user of a wallet: the account as a link to the user's page, and the name of the person.
  ///
  /// - Parameter userName: The user name of the wallet.
  func person(_ userName: String) throws(AccessError) -> HTML {
    let name = try transaction.personName(ofWallet: userName).map { "<small>\($0)</small>" as HTML } ?? .empty
    return "<a href=\"\(PagePath.user(userName))\">\(userName)</a>\(name)"
  }

  /// A device with a wallet: name and identifier, user, when it was linked, and state.
  func cells(_ device: WalletDeviceRecord) throws(AccessError) -> [HTML] {
    [
      "\(device.name)<small>\(device.deviceID)</small>", try person(facts.wallet(device.wallet).userName),
      PageValue.moment(device.createdAt), PageValue.state(device.state.rawValue),
    ]
  }

  /// The user of an account of authenticators, whose person is unknown.
  func user(ofAccount account: String) -> HTML { "<a href=\"\(PagePath.user(account))\">\(account)</a>" }

  /// The row of a card, with its orders of scripts.
  func row(of card: IssuedCardRecord, _ request: PageRequest) throws(AccessError) -> [HTML] {
    let device = try transaction.walletDevice(card.device)?.name ?? "the device is unlinked"
    let orders = try transaction.cardScripts(of: card.id).map { order -> HTML in
      """
      \(PageValue.command(order))<small>ordered \(PageValue.moment(order.createdAt))</small>\
      <small>\(PageValue.sent(order))</small>
      """
    }
    return [
      "\(card.name)<small>ending with \(try facts.lastDigits(of: card))</small>",
      "\(try person(card.account))<small>\(device)</small>", PageValue.moment(card.createdAt),
      PageValue.state(card.state.rawValue), orders.isEmpty ? "none" : "\(orders)",
      "\(request.button(of: card))\(request.orders(of: card))",
    ]
  }
}

extension PageTable {
  /// Cards, whose rows `PageReader.row` makes.
  static func cards(_ rows: [[HTML]], empty: String) -> PageTable {
    PageTable(columns: ["Card", "User", "Since", "State", "Script orders", "Action"], rows: rows, empty: empty)
  }
}

extension PageRequest {
  fileprivate func orders(of card: IssuedCardRecord) -> HTML {
    guard card.state != .deleted else { return .empty }
    return Self.link("Scripts…", PagePath.scripts.query([("id", card.id)]))
  }

  fileprivate func button(of card: IssuedCardRecord) -> HTML {
    switch card.state {
    case .active: button("Suspend", PagePath.cards, [("id", card.id), ("state", "suspended")])
    case .suspended: button("Resume", PagePath.cards, [("id", card.id), ("state", "active")])
    case .deleted: .empty
    }
  }

  /// The buttons of a device of a wallet.
  func buttons(of device: WalletDeviceRecord) -> HTML {
    let unlink = PagePath.unlinking.query([("id", device.deviceID)])
    return "\(stateButton(PagePath.walletDevices, device.deviceID, device.state))\(Self.link("Unlink…", unlink))"
  }

  /// The buttons of a device of an account.
  func buttons(of device: DispatchTargetRecord) -> HTML {
    let remove = PagePath.removal.query([("id", device.id)])
    return "\(stateButton(PagePath.devices, device.id, device.state))\(Self.link("Remove…", remove))"
  }

  /// A link to a page with a form. A printed page does not have it.
  private static func link(_ title: String, _ path: String) -> HTML {
    "<a class=\"screen\" href=\"\(path)\">\(title)</a>"
  }

  private func stateButton(_ action: String, _ id: String, _ state: DispatchTargetRecord.State) -> HTML {
    let (title, wanted): (String, DispatchTargetRecord.State) =
      state == .active ? ("Deactivate", .inactive) : ("Activate", .active)
    return button(title, action, [("id", id), ("state", wanted.rawValue)])
  }

  /// The button that activates a device which is not with its user any more.
  ///
  /// - Parameter userName: The user name of its former wallet; nil for the device of an account.
  func activation(_ deactivation: DeactivationRecord, userName: String?) -> HTML {
    let active = [(name: "state", value: DispatchTargetRecord.State.active.rawValue)]
    if let userName {
      let fields = [(name: "id", value: deactivation.deviceID), (name: "userName", value: userName)]
      return button("Activate", PagePath.walletDevices, fields + active)
    }
    guard let target = deactivation.target else { return .empty }
    return button("Activate", PagePath.devices, [(name: "id", value: target)] + active)
  }
}
