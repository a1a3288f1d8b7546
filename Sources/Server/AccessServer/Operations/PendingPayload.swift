internal import AccessMessages
internal import Documents
internal import JSON
internal import ServerStore

/// What the store keeps of a dispatched operation for the list of pending ones: the encrypted payload, and the information
/// for the dispatcher.
struct PendingPayload {
  let payload: OutOfBandPayload
  let information: JSONValue?
}

extension PendingPayload {
  /// Reads what `text` wrote.
  ///
  /// - Throws: `AccessStoreError` with code `damaged`.
  init(text: String) throws(AccessError) {
    do {
      let json = try JSONValue(parsing: text)
      payload = try OutOfBandPayload(json["payload"] ?? [:])
      information = json["information"]
    } catch {
      throw .damaged("a stored payload cannot be read: \(error)")
    }
  }

  /// The text in the store.
  var text: String {
    JSONValue(members: [("payload", payload.json), ("information", information)]).compact
  }
}
