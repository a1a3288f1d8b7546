internal import Documents
internal import EMVCryptography
internal import EMVData
internal import JSON
internal import Octets

/// Tag 9F10 of a Visa application after a verification of the cardholder on the device.
struct VisaIssuerData {
  let version: CryptogramVersion
  private let keyIndex: UInt8
  private let results: [UInt8]
  private let further: [UInt8]

  /// Whether the results name the method of the verification: those of format 2 do.
  var namesMethod: Bool { version == .visa22 }

  /// Reads `cryptogram` of an application.
  init(_ application: inout ObjectReader) {
    self = application.object(CardKeys.cryptogram.name) { VisaIssuerData(reading: &$0) }
  }

  private init(reading cryptogram: inout ObjectReader) {
    if cryptogram.has("system") { cryptogram.refuse("system", "kernel 3 takes Visa cryptograms only") }
    version = cryptogram.version(of: "Visa", [10: .visa10, 18: .visa18, 22: .visa22])
    keyIndex = cryptogram.octets(CardKeys.derivationKeyIndex)?.first ?? 0
    let isLong = version == .visa22
    results = cryptogram.octets(CardKeys.results.name, count: isLong ? 5 : 4)
    let count = isLong ? 24 : 0
    further = cryptogram.optionalOctets(CardKeys.further.name, count: count) ?? [UInt8](repeating: 0, count: count)
    if !isLong, results[0] != 0x03 {
      cryptogram.note("cvr", "the first byte is \(results[0].hex): it states the length of the others, 03")
    } else if CryptogramType(visaCardVerificationResults: results) != .arqc {
      cryptogram.note("cvr", "byte 2 bits 6 and 5 must be 10, an ARQC: this card always asks to go online")
    }
    if isLong {
      let bits: VisaDeviceCardVerificationResults = [.entityAndMethod, .cdcvmPerformed]
      cryptogram.checkUnverified(results, bits, "cvr")
    } else {
      let bits: VisaCardVerificationResults = [.offlinePINPerformed, .offlinePINFailed]
      cryptogram.checkUnverified(results, bits, "cvr")
    }
  }

  /// The bytes of tag 9F10.
  ///
  /// - Parameter type: The type of the cryptogram, in byte 2 bits 6 and 5 of the results.
  func octets(after method: DeviceVerificationMethod, _ type: CryptogramType = .arqc) -> [UInt8] {
    var results = results
    if type != .arqc { results[1] = results[1] & ~0x30 | (type == .tc ? 0x10 : 0) }
    guard namesMethod else {
      let verified = VisaCardVerificationResults.offlinePINPerformed.octets
      return VisaIssuerApplicationData.standard(
        derivationKeyIndex: keyIndex, cryptogramVersionNumber: version.number,
        cardVerificationResults: zip(results, verified).map { $0 | $1 })
    }
    // The wallet asks its device, whose operating system verifies the cardholder.
    let verified = VisaDeviceCardVerificationResults([.operatingSystem, .cdcvmPerformed, Self.bits(of: method)]).octets
    return [0x1F, version.number, keyIndex] + zip(results, verified).map { $0 | $1 } + further
  }

  private static func bits(of method: DeviceVerificationMethod) -> VisaDeviceCardVerificationResults {
    switch method {
    case .passcode: .passcode
    case .finger: .finger
    case .face: .face
    }
  }
}
