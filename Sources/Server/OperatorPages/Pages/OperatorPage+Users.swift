internal import DisplayText
internal import Octets
internal import ServerStore

extension OperatorPage {
  /// The users: those with a wallet, and the accounts of the authenticators.
  static let users = OperatorPage(path: PagePath.users, title: "Users") { page, request in
    let wallets = try PagePart { try page.transaction.wallets(after: request.start(), limit: $0) }
    let accounts = try PagePart { try page.transaction.users(after: request.start("accountsAfter"), limit: $0) }
    return """
      <h2>Users with a wallet</h2>
      \(try page.table(of: wallets.elements))
      \(request.foot(wallets, "user", next: \.id))
      <h2>Accounts with authenticators</h2>
      \(try page.table(of: accounts.elements))
      \(request.foot(accounts, "account", "accountsAfter", next: \.name))
      """
  }
}

extension PageReader {
  fileprivate func table(of wallets: [EnrolledWalletRecord]) throws(AccessError) -> HTML {
    let rows = try wallets.map { wallet throws(AccessError) -> [HTML] in
      let devices = try transaction.walletDevices(of: wallet.id).map { device -> HTML in
        "<small>\(device.name): \(PageValue.state(device.state.rawValue))</small>"
      }
      let user: HTML = """
        <a href="\(PagePath.user(wallet.userName))">\(wallet.userName)</a>\
        <small>\(wallet.firstName) \(wallet.lastName)</small><small>\(wallet.phone)</small>
        """
      return [user, PageValue.moment(wallet.createdAt), devices.isEmpty ? "none" : "\(devices)"]
    }
    return PageTable(
      columns: ["User", "Enrolled", "Devices"], rows: rows,
      empty:
        "No user has a wallet yet. A user enrols with tap-wallet open, or tap-wallet enrol, and the address of this server."
    ).html
  }

  fileprivate func table(of accounts: [UserRecord]) throws(AccessError) -> HTML {
    let rows = try accounts.map { account throws(AccessError) -> [HTML] in
      let devices = try transaction.devices(of: account.name).map { device -> HTML in
        "<small>\(device.name): \(PageValue.state(device.state.rawValue))</small>"
      }
      return [
        user(ofAccount: account.name), PageValue.moment(account.createdAt), devices.isEmpty ? "none" : "\(devices)",
      ]
    }
    return PageTable(
      columns: ["Account", "Added", "Devices"], rows: rows,
      empty: """
        There is no account of authenticators yet. tap-server user add makes one, and a token with which a user registers a device.
        """
    ).html
  }
}
