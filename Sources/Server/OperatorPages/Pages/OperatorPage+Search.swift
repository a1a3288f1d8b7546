internal import AccessMessages
internal import DisplayText
internal import JOSE
internal import Octets
internal import ServerStore

extension OperatorPage {
  /// The most records of each field, before the operator selects a field.
  private static let foundCount = 10

  /// The records in which a text was found: the beginnings of names, accounts and identifiers, and the last four digits of cards.
  static let search = OperatorPage(path: PagePath.search, title: "Search") { page, request in
    guard let text = try request.entry("q") else {
      return "<p>Type the beginning of a name, an account or a device, or the last four digits of a card.</p>"
    }
    let chosen = try request.entry("in").flatMap(SearchField.init)
    let place = try request.start().flatMap { SearchPlace(link: $0) }
    var lists: [HTML] = []
    var known: Set<String> = []
    for field in chosen.map({ [$0] }) ?? SearchField.allCases {
      var found = try PagePart(limit: chosen == nil ? foundCount : recordCount) {
        try page.found(field, text, after: place, limit: $0)
      }
      // A person whose user name begins as the first name is found by both, and shown once.
      found.elements.removeAll { !known.insert($0.identity).inserted }
      if !found.elements.isEmpty || found.hasMore {
        lists.append(request.list(found, of: field, isAlone: chosen != nil))
      }
    }
    guard !lists.isEmpty else {
      return """
        <p>Nothing begins with <b>\(text)</b>. Names, accounts and devices are found by their beginning, cards by their last four
        digits.</p>
        """
    }
    return "\(lists)"
  }
}

extension PageRequest {
  fileprivate func list(_ found: PagePart<FoundRow>, of field: SearchField, isAlone: Bool) -> HTML {
    let table = PageTable(columns: ["Found", "User", "Since", "State"], rows: found.elements.map(\.cells), empty: "")
    let all = link([("in", field.rawValue), ("after", nil)])
    let foot: HTML =
      isAlone
      ? self.foot(found, "record") { $0.place.link }
      : found.hasMore
        ? "<p class=\"foot\">The first \(found.elements.count) are shown. <a href=\"\(all)\">Show all</a></p>" : .empty
    return "<h2>\(field.title)</h2>\n\(table.html)\n\(foot)\n"
  }
}

/// A record that a search has found, as a row.
private struct FoundRow {
  let cells: [HTML]
  let place: SearchPlace
  /// The table and the identity of the record.
  let identity: String
}

extension PageReader {
  fileprivate func found(
    _ field: SearchField, _ text: String, after place: SearchPlace?, limit: Int
  ) throws(AccessError) -> [FoundRow] {
    func rows<Record: StoredRecord>(_ cells: (Record) throws(AccessError) -> [HTML]) throws(AccessError) -> [FoundRow] {
      let found: [Found<Record>] = try transaction.search(field, text, after: place, limit: limit)
      return try found.map { found throws(AccessError) in
        FoundRow(
          cells: try cells(found.record), place: found.place,
          identity: "\(Record.table.name) \(found.place.identity)")
      }
    }
    switch field {
    case .userName, .fullName, .lastName: return try rows(cells as (FoundWallet) throws(AccessError) -> [HTML])
    case .account: return try rows(cells as (UserRecord) throws(AccessError) -> [HTML])
    case .walletDeviceName, .walletDeviceID:
      return try rows(cells as (WalletDeviceRecord) throws(AccessError) -> [HTML])
    case .deviceName, .deviceID, .targetID:
      return try rows(cells as (DispatchTargetRecord) throws(AccessError) -> [HTML])
    case .lastDigits: return try rows(cells as (IssuedCardRecord) throws(AccessError) -> [HTML])
    }
  }

  private func cells(_ wallet: FoundWallet) -> [HTML] {
    [
      "\(wallet.firstName) \(wallet.lastName)<small>\(wallet.phone)</small>",
      "<a href=\"\(PagePath.user(wallet.userName))\">\(wallet.userName)</a>", PageValue.moment(wallet.createdAt),
      .empty,
    ]
  }

  private func cells(_ account: UserRecord) -> [HTML] {
    ["\(account.name)", user(ofAccount: account.name), PageValue.moment(account.createdAt), .empty]
  }

  private func cells(_ device: DispatchTargetRecord) -> [HTML] {
    [
      "\(device.name)<small>\(device.id)</small><small>\(device.deviceID)</small>", user(ofAccount: device.account),
      PageValue.moment(device.createdAt), PageValue.state(device.state.rawValue),
    ]
  }

  private func cells(_ card: IssuedCardRecord) throws(AccessError) -> [HTML] {
    [
      "\(card.name)<small>ending with \(try facts.lastDigits(of: card))</small>", try person(card.account),
      PageValue.moment(card.createdAt), PageValue.state(card.state.rawValue),
    ]
  }
}

extension SearchField {
  fileprivate var title: String {
    switch self {
    case .userName: "User names"
    case .fullName: "First names, and first and last names"
    case .lastName: "Last names"
    case .account: "Accounts with authenticators"
    case .walletDeviceName: "Names of devices with a wallet"
    case .walletDeviceID: "Identifiers of devices with a wallet"
    case .deviceName: "Names of devices with authenticators"
    case .deviceID: "Identifiers that devices with authenticators gave"
    case .targetID: "Identifiers of devices with authenticators"
    case .lastDigits: "Cards by their last four digits"
    }
  }
}

extension SearchPlace {
  /// The place in a link: both parts in base64url.
  fileprivate var link: String { "\(Array(value.utf8).base64URL).\(Array(identity.utf8).base64URL)" }

  /// Reads a place from a link.
  fileprivate init?(link: String) {
    let parts = link.split(separator: ".", omittingEmptySubsequences: false).map {
      (try? [UInt8](base64URL: String($0)))
    }
    guard parts.count == 2, let value = parts[0].flatMap({ String(validating: $0, as: UTF8.self) }),
      let identity = parts[1].flatMap({ String(validating: $0, as: UTF8.self) })
    else { return nil }
    self.init(value: value, identity: identity)
  }
}
