internal import AccessMessages
internal import EMVCard
internal import EMVData
internal import ISO7816
internal import Octets
internal import ServerStore

extension CardScript {
  /// What the command changes: see `CardScriptRecord.subject`.
  ///
  /// - Throws: A refusal with code `malformed`.
  func subject() throws(AccessError) -> String {
    guard (tag != nil) == (command == .putData), (value != nil) == (command == .putData) else {
      let reason =
        command == .putData ? "PUT DATA needs a tag and a value" : "tag and value belong to PUT DATA alone"
      throw .refused(.malformed, reason)
    }
    guard let text = tag else { return command == .blockCard ? "card" : "application" }
    guard let tag = Tag(script: text) else {
      throw .refused(.malformed, "tag must be a tag of one or two bytes in hexadecimal, such as 9F58")
    }
    return "\(tag)"
  }

  /// The value of PUT DATA; empty for another command.
  ///
  /// - Throws: A refusal with code `malformed`.
  func octets() throws(AccessError) -> [UInt8] {
    guard let value else { return [] }
    guard let octets = try? [UInt8](hex: value), (1...64).contains(octets.count) else {
      throw .refused(.malformed, "value must be 1 to 64 bytes in hexadecimal")
    }
    return octets
  }
}

extension CardScriptRecord {
  /// The order for the operator.
  func message() throws(AccessError) -> CardScriptOrder {
    let script =
      command == .putData
      ? CardScript(command, tag: subject, value: value.hex) : CardScript(command)
    return CardScriptOrder(id: id, script: script, createdAt: createdAt, sent: sent, sentAt: sentAt)
  }

  /// The command for the card.
  ///
  /// - Throws: `AccessStoreError` with code `damaged`.
  func scriptCommand() throws(AccessError) -> ScriptCommand {
    switch command {
    case .blockApplication: return .blockApplication
    case .unblockApplication: return .unblockApplication
    case .blockCard: return .blockCard
    case .putData:
      guard let tag = Tag(script: subject) else {
        throw .damaged("an order in the database has a tag of the wrong form")
      }
      return .putData(tag, value)
    }
  }

  /// Checks that every application that takes scripts takes this command: any of them may pay next.
  ///
  /// - Parameter applications: Those of the card that take scripts.
  /// - Throws: A refusal with code `forbidden`, and the remedy.
  func checkTaken(by applications: [CardImage.Application]) throws(AccessError) {
    guard case .putData(let tag, _) = try scriptCommand() else { return }
    for application in applications {
      guard let count = application.writableValues[tag] else {
        let tags = application.writableValues.keys.sorted().map { "\($0)" }.joined(separator: ", ")
        throw .refused(
          .forbidden, "the card lets scripts write \(tags.isEmpty ? "no tag" : "only \(tags)"), not \(tag)")
      }
      guard count == value.count else {
        throw .refused(.forbidden, "tag \(tag) of the card has \(count.bytes), the value \(value.count)")
      }
    }
  }
}

extension Tag {
  /// A tag that PUT DATA has room for, one or two bytes in hexadecimal; nil for another text.
  fileprivate init?(script text: String) {
    guard let octets = try? [UInt8](hex: text), (1...2).contains(octets.count), let tag = Tag(prefixOf: octets[...]),
      tag.octetCount == octets.count
    else { return nil }
    self = tag
  }
}
