internal import Documents
internal import ISO7816
internal import JSON
internal import Octets

extension CardState {
  /// The state as JSON on one line, for a store.
  public var json: [UInt8] {
    let applications = applications.map { application in
      JSONValue(members: [
        ("isBlocked", JSONValue(application.isBlocked)), ("offlineCount", JSONValue(application.offline.count)),
        ("offlineAmount", JSONValue(Int(clamping: application.offline.amount))),
        (
          "data",
          JSONValue(
            application.data.sorted { $0.key < $1.key }.map { JSONValue("\($0.key) \($0.value.hex)") })
        ),
      ])
    }
    return Array(
      JSONValue(members: [("isBlocked", JSONValue(isBlocked)), ("applications", JSONValue(applications))])
        .compact.utf8)
  }

  /// Reads the state of a card; nil for bytes that are not the state of a card with as many applications.
  public init?(json: [UInt8], of image: CardImage) {
    guard let value = try? JSONValue(parsing: json) else { return nil }
    var reader = ObjectReader(value, at: "")
    isBlocked = reader.flag("isBlocked")
    applications = reader.objects("applications") { Application(&$0) }
    guard reader.finish().isEmpty, applications.count == image.applications.count else { return nil }
  }
}

extension CardState.Application {
  fileprivate init(_ reader: inout ObjectReader) {
    isBlocked = reader.flag("isBlocked")
    let count = reader.integer("offlineCount", in: 0...Int.max)
    offline = OfflineApprovals(count: count, amount: UInt64(reader.integer("offlineAmount", in: 0...Int.max)))
    for text in reader.texts("data") {
      let parts = text.split(separator: " ", omittingEmptySubsequences: false)
      guard parts.count == 2, let octets = try? [UInt8](hex: String(parts[0])), let tag = Tag(prefixOf: octets[...]),
        let value = try? [UInt8](hex: String(parts[1]))
      else {
        reader.note("data", "\"\(text.prefix(20))\" is not a tag and a value")
        continue
      }
      data[tag] = value
    }
  }
}
