internal import ISO7816
internal import Octets

// The failure as a recording holds it: one word for the check, and a tag or an index where the check has one.
extension AuthenticationFailure {
  /// The name of the check, such as `revoked`, `hash 9F46`, `missing 9F4B` or `unknownAuthority 05`.
  public var code: String { words.code }

  /// Reads what `code` returns; nil for any other text.
  public init?(code: String) {
    let octets = code.split(separator: " ").last.flatMap { try? [UInt8](hex: String($0)) } ?? []
    let tag = Tag(prefixOf: octets[...]).map { [AuthenticationFailure.missing($0)] } ?? []
    let index = octets.first.map { [AuthenticationFailure.unknownAuthority(index: $0)] } ?? []
    guard let failure = (Self.named + tag + index).first(where: { $0.code == code }) else { return nil }
    self = failure
  }

  // Every failure but those with a tag or an index of their own.
  private static let named: [AuthenticationFailure] =
    [
      .notSupported, .identifier, .accountNumber, .revoked, .staticData, .version, .dynamicData,
      .cryptogramInformation, .transactionData, .relayData,
    ]
    + Part.allCases.flatMap { part -> [AuthenticationFailure] in
      [
        .length(part), .number(part), .header(part), .format(part), .hash(part), .exponent(part), .remainder(part),
        .key(part), .algorithm(part), .date(part), .expired(part),
      ]
    }
}

extension AuthenticationFailure.Part {
  /// The tag of the part.
  var tag: Tag {
    switch self {
    case .issuerCertificate: 0x90
    case .cardCertificate: 0x9F46
    case .staticData: 0x93
    case .dynamicData: 0x9F4B
    }
  }
}
