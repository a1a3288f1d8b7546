internal import EMVCard
public import EMVData
internal import ISO7816
public import JSON
internal import Octets

extension SavedCard {
  /// The name of the application; nil for a card without one.
  public var application: [UInt8]? { self[0x4F] }

  /// The account number; nil for a card without one.
  public var accountNumber: PrimaryAccountNumber? {
    self[0x5A].flatMap { value in
      PrimaryAccountNumber(digits: String(value.hex.prefix { $0 != "F" }))
    }
  }

  /// A card profile with what was saved. The rest is that of a known card of the same scheme.
  ///
  /// - Parameters:
  ///   - known: The profile of the known card.
  ///   - name: Its name, for the notes.
  ///   - keepsHolder: Whether the account number and the name of the cardholder are kept. Otherwise those of the known card
  ///     stay.
  /// - Returns: The profile, and a sentence for each thing that is missing or was not taken.
  /// - Throws: `ProfileTemplate.Failure` for an account number that the known card cannot have, `CardProfileError` for values
  ///   that make no card, and errors of the known profile.
  public func profile(
    on known: [UInt8], named name: String, keepsHolder: Bool
  ) throws -> (profile: JSONValue, notes: [String]) {
    var notes = ["not in the file, and taken from the shipped card \(name): \(missing.joined(separator: ", "))"]
    let number = keepsHolder ? accountNumber?.exposedDigits : nil
    let label = self[0x50].map { String(decoding: $0, as: UTF8.self) }
    let template = try ProfileTemplate(known).profile(named: label, number: number)
    var taken: Set<UInt32> = [0x4F, 0x50, 0x5A, 0x82]
    if !keepsHolder { taken.insert(0x5F20) }
    var first = replaced(template["applications"]?.list?.first ?? [:], keepsHolder, &taken)
    if let application { first = first.setting("aid", to: JSONValue(application.hex)) }
    if let label { first = first.setting("label", to: JSONValue(label)) }
    if let value = self[0x82], value.count == 2 {
      // Bits of offline data authentication (EMV 4.4 Book 3, table 37).
      let cleared = [value[0] & ~0x61, value[1]]
      if cleared != value {
        notes.append(
          "the card signs, and its key is not known; the profile has aip \(cleared.hex) in place of \(value.hex)")
      }
      first = first.setting("aip", to: JSONValue(cleared.hex))
    }
    for element in elements where !taken.contains(element.tag) {
      notes.append("tag \(Tag(rawValue: element.tag)) of the file is left out: the shipped card has no place for it")
    }
    let profile = template.setting("applications", to: JSONValue([first]))
    _ = try CardImage(json: Array(profile.pretty.utf8))
    return (profile, notes)
  }

  /// What a payment needs and the file does not hold.
  private var missing: [String] {
    let known: [(UInt32, String)] = [
      (0x5A, "account number"), (0x5F24, "expiry date"), (0x82, "application interchange profile"),
      (0x5F28, "issuer country"), (0x50, "label"),
    ]
    return known.filter { self[$0.0] == nil }.map(\.1) + [
      "PDOL", "records and their list", "track 2 beyond number and date",
      "cryptogram version and card verification results",
    ]
  }

  /// A value of a profile with the data objects of the file: texts such as `5F24 301231`.
  private func replaced(_ value: JSONValue, _ keepsHolder: Bool, _ taken: inout Set<UInt32>) -> JSONValue {
    switch value.content {
    case .text(let text): return JSONValue(replaced(text, keepsHolder, &taken))
    case .list(let values):
      var list: [JSONValue] = []
      for value in values { list.append(replaced(value, keepsHolder, &taken)) }
      return JSONValue(list)
    case .object(let members):
      var object: [JSONValue.Member] = []
      for member in members { object.append(JSONValue.Member(member.key, replaced(member.value, keepsHolder, &taken))) }
      return JSONValue(.object(object))
    default: return value
    }
  }

  private func replaced(_ text: String, _ keepsHolder: Bool, _ taken: inout Set<UInt32>) -> String {
    let words = text.split(separator: " ", maxSplits: 1).map(String.init)
    guard words.count == 2, let tag = UInt32(words[0], radix: 16) else { return text }
    // The expiry date in track 2 is that of tag 5F24, year and month.
    if tag == 0x57 || tag == 0x9F6B, let date = self[0x5F24], let mark = words[1].firstIndex(of: "D") {
      let rest = words[1][words[1].index(after: mark)...].dropFirst(4)
      return "\(words[0]) \(words[1][...mark])\(date.prefix(2).hex)\(rest)"
    }
    guard tag != 0x5A, let value = self[tag] else { return text }
    taken.insert(tag)
    return tag == 0x5F20 && !keepsHolder ? text : "\(words[0]) \(value.hex)"
  }
}
