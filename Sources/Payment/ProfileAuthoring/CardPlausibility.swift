internal import EMVCard
internal import EMVData
internal import ISO7816
internal import JSON

/// What a card profile can have, and no card of a wallet or of its scheme.
enum CardPlausibility {
  /// The schemes by the registered provider identifier (RID) of their AIDs, with the first digits of their account numbers
  /// (ISO/IEC 7812-1; the ranges that the schemes publish).
  private static let ranges: [(provider: [UInt8], scheme: String, digits: String)] = [
    ([0xA0, 0x00, 0x00, 0x00, 0x03], "Visa", "4"), ([0xA0, 0x00, 0x00, 0x00, 0x04], "Mastercard", "256"),
    ([0xA0, 0x00, 0x00, 0x00, 0x25], "American Express", "3"),
  ]

  /// The problems of a card whose profile compiles.
  ///
  /// - Parameter profile: The profile with the positions of its values.
  static func problems(of image: CardImage, in profile: JSONValue?) -> [ProfileKind.Problem] {
    var problems: [ProfileKind.Problem] = []
    if image.name.unicodeScalars.contains(where: { $0.properties.generalCategory == .control }) {
      problems.append(
        ProfileKind.Problem(profile?["name"]?.position, "name", "has a control character, which no wallet takes"))
    }
    // Substitutes of account numbers begin with 0 or 9.
    for (index, application) in image.applications.enumerated() {
      guard let range = ranges.first(where: { application.aid.octets.starts(with: $0.provider) }),
        let digit = application.accountNumber.exposedDigits.first, !"09".contains(digit), !range.digits.contains(digit)
      else { continue }
      let digits = range.digits.map(String.init).joined(separator: ", ")
      problems.append(
        ProfileKind.Problem(
          profile?["applications"]?.list?[index]["records"]?.position, "applications[\(index)].records",
          "the account number begins with \(digit): those of \(range.scheme) begin with \(digits)"))
    }
    return problems
  }
}
