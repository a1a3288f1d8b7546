internal import Documents
internal import JSON
internal import Octets

extension CardProfile {
  /// The profile of the same card that takes its issuer's response: EXTERNAL AUTHENTICATE; with kernel 3 in a second
  /// presentment, with other kernels a second GENERATE AC; and scripts, where this engine has those of the cryptogram version.
  /// Values of another form stay, and `CardImage` names them. Certificates must be made anew.
  public func takingIssuerResponse() -> CardProfile {
    var profile = self
    for index in profile.applications.indices { profile.applications[index].takeIssuerResponse() }
    return profile
  }
}

extension CardProfile.Application {
  fileprivate mutating func takeIssuerResponse() {
    aip = Self.setting(0x04, ofByte: 0, in: aip)
    let isCommonCore = cryptogram.system == .commonCore
    // This engine has no scripts of the common core.
    if !isCommonCore { schemeKeys[IssuerExchange.key.name] = [:] }
    if let qualifiers = ctq {
      ctq = Self.setting(0x40, ofByte: 1, in: qualifiers)
    } else if let place = records.firstIndex(where: { $0.data.contains { $0.hasPrefix("8C ") } }) {
      // Tags 91, 8A, 95 and 9F37. A code has 10 bytes with its cryptogram, a card status update up to 16.
      records[place].data.append("8D 91\(isCommonCore ? "10" : "0A")8A0295059F3704")
    }
  }

  private static func setting(_ bit: UInt8, ofByte index: Int, in text: String) -> String {
    guard var octets = try? [UInt8](hex: text), index < octets.count else { return text }
    octets[index] |= bit
    return octets.hex
  }
}
