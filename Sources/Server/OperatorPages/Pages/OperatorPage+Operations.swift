internal import AccessMessages
internal import DisplayText
internal import FIDOUAF
internal import JOSE
internal import Octets
internal import ServerStore

extension OperatorPage {
  /// The operations that were dispatched and wait for their device.
  static let operations = OperatorPage(path: PagePath.operations, title: "Pending operations") { page, request in
    let start = try request.start().flatMap { try? [UInt8](base64URL: $0) }.flatMap { TokenDigest($0) }
    let tokens = try PagePart { try page.transaction.pendingTokens(at: page.now, after: start, limit: $0) }
    let rows = try tokens.elements.sorted { $0.createdAt > $1.createdAt }.map { token -> [HTML] in
      let device = try token.device.flatMap { id throws(AccessError) in try page.transaction.device(id) }
      let operation = UAFOperation(rawValue: token.operation)?.pathComponent ?? token.operation
      return [
        "\(operation)<small>by \(channel(token.channel))</small>",
        "\(token.account.map(page.user(ofAccount:)) ?? "any")<small>\(device?.name ?? "no device")</small>",
        PageValue.moment(token.createdAt),
        PageValue.moment(token.expiresAt), button(of: token, request),
      ]
    }
    let table = PageTable(
      columns: ["Operation", "User", "Sent", "Expires", "Action"], rows: rows,
      empty: "No operation is pending. tap-server dispatch sends one to a device.")
    return "\(table.html)\n\(request.foot(tokens, "operation", next: \.digest.octets.base64URL))"
  }

  // Only a push message has an addressee to which it can be sent again.
  private static func button(of token: OutOfBandTokenRecord, _ request: PageRequest) -> HTML {
    guard token.channel == DispatchChannel.push.rawValue, token.device != nil else { return .empty }
    return request.button("Send again", PagePath.operations, [("id", token.digest.octets.base64URL)])
  }

  private static func channel(_ name: String) -> String {
    switch DispatchChannel(rawValue: name) {
    case .link: "link"
    case .qrCode: "QR code"
    case .push: "push message"
    case nil: name
    }
  }
}
