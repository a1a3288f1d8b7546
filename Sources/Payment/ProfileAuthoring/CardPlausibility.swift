internal import EMVCard
internal import EMVData
internal import ISO7816
internal import JSON

/// What a card profile can have, and no card of a wallet or of its scheme.
enum CardPlausibility {
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
      guard let scheme = PaymentScheme.of(application.aid), !scheme.firstDigits.isEmpty,
        let digit = application.accountNumber.exposedDigits.first, !"09".contains(digit),
        !scheme.firstDigits.contains(digit)
      else { continue }
      let digits = scheme.firstDigits.map(String.init).joined(separator: ", ")
      problems.append(
        ProfileKind.Problem(
          profile?["applications"]?.list?[index]["records"]?.position, "applications[\(index)].records",
          "the account number begins with \(digit): those of \(scheme.name) begin with \(digits)"))
    }
    return problems
  }
}
