internal import EMVData
internal import JSON
internal import Octets

/// The values of a Visa application before its cardholder is verified.
///
/// A card that is read right after a verification reports it. A profile describes the card before it, and is refused with
/// these bits.
enum UnverifiedProfile {
  /// An application of a profile without the bits of a verification, and the changed values with their keys.
  static func application(_ application: JSONValue) -> (value: JSONValue, changes: [String]) {
    guard application["kernel"]?.text == "visa" else { return (application, []) }
    var (value, changes) = (application, [String]())
    for (path, found) in [("ctq", application["ctq"]), ("cryptogram.cvr", application["cryptogram"]?["cvr"])] {
      guard let text = found?.text, let octets = try? [UInt8](hex: text) else { continue }
      let cleared = (path == "ctq" ? qualifiers(octets) : results(octets)).hex
      guard cleared != octets.hex else { continue }
      value = value.setting(path, to: JSONValue(cleared))
      changes.append("\(path) \(cleared) in place of \(octets.hex)")
    }
    return (value, changes)
  }

  /// Tag 9F6C.
  private static func qualifiers(_ octets: [UInt8]) -> [UInt8] {
    CardTransactionQualifiers(octets: octets)?.subtracting(.cdcvmPerformed).octets ?? octets
  }

  /// The card verification results of versions 10 and 18, and those of version 22, which are longer.
  private static func results(_ octets: [UInt8]) -> [UInt8] {
    if octets.count == 4 {
      let bits: VisaCardVerificationResults = [.offlinePINPerformed, .offlinePINFailed]
      return VisaCardVerificationResults(octets: octets)?.subtracting(bits).octets ?? octets
    }
    let bits: VisaDeviceCardVerificationResults = [.entityAndMethod, .cdcvmPerformed]
    return VisaDeviceCardVerificationResults(octets: octets)?.subtracting(bits).octets ?? octets
  }
}
