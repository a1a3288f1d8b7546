public import EMVData
public import Octets

/// The master keys of an issuer, from which the keys of its cards are derived: 16 bytes each.
public final class IssuerKeys: Sendable, ContentConcealing {
  let cryptogram: Secret
  let cvc3: Secret
  let script: Secret

  /// The public test keys of every shipped card. No real issuer uses them.
  public static let publicTest = IssuerKeys(
    cryptogram: Secret(copying: TestIssuer.publicTestKey), cvc3: Secret(copying: TestIssuer.publicTestCVC3Key),
    script: Secret(copying: TestIssuer.publicTestScriptKey))

  /// Creates the keys.
  ///
  /// - Parameters:
  ///   - cryptogram: The master key for application cryptograms, 16 bytes; any other length traps.
  ///   - cvc3: The master key for dynamic CVC3, 16 bytes; any other length traps.
  ///   - script: The master key for the integrity of scripts, 16 bytes; any other length traps.
  public init(cryptogram: consuming Secret, cvc3: consuming Secret, script: consuming Secret) {
    precondition(
      cryptogram.count == 16 && cvc3.count == 16 && script.count == 16, "a master key of an issuer has 16 bytes")
    self.cryptogram = cryptogram
    self.cvc3 = cvc3
    self.script = script
  }

  /// The kinds of the keys.
  public var description: String { "issuer master keys for cryptograms, CVC3 and scripts" }
}
