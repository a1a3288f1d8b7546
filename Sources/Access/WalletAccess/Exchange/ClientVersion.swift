internal import AccessMessages

/// The version of a client: numbers with points between them. Missing numbers count as 0.
public struct ClientVersion: Comparable, Hashable, Sendable, CustomStringConvertible {
  private let numbers: [Int]

  /// Reads a version of one to four numbers, each 0 to 999 999 999. Nil for any other text.
  public init?(_ text: String) {
    let parts = text.split(separator: ".", omittingEmptySubsequences: false)
    guard (1...4).contains(parts.count) else { return nil }
    var numbers: [Int] = []
    for part in parts {
      guard (1...9).contains(part.utf8.count), part.utf8.allSatisfy((UInt8(ascii: "0")...UInt8(ascii: "9")).contains),
        let number = Int(part)
      else { return nil }
      numbers.append(number)
    }
    while numbers.last == 0, numbers.count > 1 { numbers.removeLast() }
    self.numbers = numbers
  }

  /// Whether the first version is older.
  public static func < (first: ClientVersion, second: ClientVersion) -> Bool {
    first.numbers.lexicographicallyPrecedes(second.numbers)
  }

  /// The numbers, without zeros at the end.
  public var description: String { numbers.map(String.init).joined(separator: ".") }
}

extension WalletAccess {
  /// Checks that the issuer still serves this version of the client. An issuer that states no versions serves all.
  ///
  /// - Throws: `.outdated` below the issuer's lowest version, `.malformed` for an answer without versions, or an error of
  ///   the exchange.
  public func checkVersion(_ own: ClientVersion) async throws(WalletAccessError) {
    let request = HTTPRequest(
      .get, server + AccessPath.linuxVersions, fields: [HTTPField("Accept", MediaType.json)], limits: limits)
    let response = try await converting(WalletAccessError.init) { () async throws(HTTPExchangeError) in
      try await http.send(request)
    }
    if response.status == 404 { return }
    guard response.status == 200 else { throw Self.error(for: response) }
    let versions = try Self.body(response, ClientVersions.init)
    guard let minimum = ClientVersion(versions.minimum) else {
      throw .malformed("the lowest version \"\(versions.minimum)\" is not made of numbers with points")
    }
    guard own >= minimum else { throw .outdated(versions) }
  }
}
