internal import EMVData
internal import Octets

/// Issuer application data in words.
enum IssuerApplicationDataText {
  /// Returns tag 9F10 in words by its layout: a common core card names it, for other cards the kernel or the data
  /// decide.
  static func words(_ value: [UInt8], _ kernel: ContactlessKernel?) -> [String] {
    if let data = CommonCoreIssuerApplicationData(value) {
      return ["CCD layout: CCI \(data.commonCoreIdentifier.hex), key index \(data.derivationKeyIndex.hex)"]
        + (CommonCoreCardVerificationResults(octets: data.cardVerificationResults)?.words ?? [])
        + ["counters \(data.counters.hex)", "issuer discretionary data \(data.discretionaryData.hex)"]
    }
    if kernel == .mastercard || kernel == nil && hasMastercardForm(value) {
      return MastercardIssuerApplicationData(value).map(mastercard) ?? []
    }
    return VisaIssuerApplicationData(value).map { visa($0, value) } ?? []
  }

  /// Whether data of an unknown application has a length and a cryptogram version of M/Chip. Visa's data begin with their
  /// length 06 or 1F, which is no version.
  private static func hasMastercardForm(_ value: [UInt8]) -> Bool {
    [18, 20, 26, 28].contains(value.count) && [0x10, 0x11, 0x14, 0x15].contains(value[1])
      && VisaIssuerApplicationData(value) == nil
  }

  private static func visa(_ data: VisaIssuerApplicationData, _ value: [UInt8]) -> [String] {
    let head =
      "Visa layout: key index \(data.derivationKeyIndex.hex), CVN \(data.cryptogramVersionNumber) "
      + "('\(data.cryptogramVersionNumber.hex)'), CVR \(data.cardVerificationResults.hex)"
    let results = data.cardVerificationResults
    switch data.layout {
    case .standard:
      let rest = value.dropFirst(7)
      return [head] + (VisaCardVerificationResults(octets: results)?.words ?? [])
        + (rest.isEmpty ? [] : ["issuer discretionary data \(rest.hex)"])
    case .format2:
      return [head] + (VisaDeviceCardVerificationResults(octets: results)?.words ?? [])
        + ["issuer discretionary data \(value.dropFirst(8).hex)"]
    }
  }

  private static func mastercard(_ data: MastercardIssuerApplicationData) -> [String] {
    let version = data.cryptogramVersionNumber
    return [
      "Mastercard layout: key index \(data.derivationKeyIndex.hex), CVN '\(version.hex)', "
        + "CVR \(data.cardVerificationResults.hex)"
    ] + (MastercardCardVerificationResults(octets: data.cardVerificationResults)?.words ?? [])
      + (data.dataAuthenticationCode.map { ["data authentication code or dynamic number \($0.hex)"] } ?? [])
      + (data.counters.map { ["counters \($0.hex)"] } ?? [])
  }
}

/// Tag 91 and the data of EXTERNAL AUTHENTICATE (EMV 4.3 Book 2, 8.2; Book 3, 6.5.4).
enum IssuerAuthenticationDataText {
  /// ARPC method 1: 8 bytes of ARPC and 2 of response code. Method 2: 4 bytes of ARPC, then the card status update.
  @Sendable static func words(_ value: [UInt8]) -> [String] {
    switch value.count {
    case 10: return ["ARPC \(value[..<8].hex)", responseCode(Array(value[8...]))]
    case 8:
      let update = Array(value[4..<8])
      let second = ["method 2: ARPC \(value[..<4].hex), CSU \(update.hex)"]
      return ["method 1: ARPC \(value.hex)"] + second
    case 9...16:
      return ["ARPC \(value[..<4].hex) and CSU \(value[4..<8].hex), or ARPC \(value[..<8].hex)"]
        + ["followed by \(value[8...].hex)"]
    default: return []
    }
  }

  private static func responseCode(_ octets: [UInt8]) -> String {
    "response code \(octets.hex)" + (AuthorisationResponseCode.meaning(octets: octets).map { " (\($0))" } ?? "")
  }
}
