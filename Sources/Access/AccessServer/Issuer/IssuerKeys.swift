internal import EMVIssuer
internal import Octets

/// The master keys of the issuer. They are settings of the store, as the key of the authorizations is: every server on one
/// database is the same issuer, and the file of the database has mode 0600.
struct IssuerKeys {
  private static let count = 16
  private static let cryptogramSetting = "issuerMasterKey"
  private static let codeSetting = "issuerCVC3MasterKey"
  private static let scriptSetting = "issuerScriptMasterKey"

  /// Opens the issuer. At the first start its keys are made.
  static func issuer(
    in transaction: AccessTransaction, _ random: any RandomSource
  ) throws(AccessStoreError) -> Issuer {
    Issuer(
      masterKey: try key(cryptogramSetting, in: transaction, random),
      cvc3MasterKey: try key(codeSetting, in: transaction, random),
      scriptMasterKey: try key(scriptSetting, in: transaction, random))
  }

  private static func key(
    _ name: String, in transaction: AccessTransaction, _ random: any RandomSource
  ) throws(AccessStoreError) -> Secret {
    var octets: [UInt8]
    if let known = try transaction.setting(name) {
      guard known.count == count else {
        throw AccessStoreError(
          .damaged, "a stored master key of the issuer has \(known.count.bytes) instead of \(count)")
      }
      octets = known
    } else {
      octets = random.octets(count)
      try transaction.set(name, to: octets)
    }
    return Secret(wiping: &octets)
  }
}
