import EMVCryptography
import EMVData
import Octets

/// The three master keys of one application of one card (EMV 4.3 Book 2, A1.4).
struct CardMasterKeys: ~Copyable, Sendable {
  /// For application cryptograms.
  let cryptogram: Secret
  /// For the integrity of issuer scripts.
  let scriptIntegrity: Secret
  /// For the confidentiality of issuer scripts.
  let scriptConfidentiality: Secret

  /// Takes the keys, 16 bytes each.
  init(
    cryptogram: consuming Secret, scriptIntegrity: consuming Secret, scriptConfidentiality: consuming Secret
  ) {
    self.cryptogram = cryptogram
    self.scriptIntegrity = scriptIntegrity
    self.scriptConfidentiality = scriptConfidentiality
  }

  /// Derives a card's keys from those of its issuer.
  ///
  /// - Parameters:
  ///   - issuer: The issuer's three keys, 16 bytes each; any other length traps.
  ///   - sequenceNumber: Tag 5F34, two decimal digits in one byte; nil is read as 00.
  init(
    derivedFrom issuer: borrowing CardMasterKeys, _ derivation: MasterKeyDerivation,
    accountNumber: PrimaryAccountNumber, sequenceNumber: UInt8?
  ) {
    cryptogram = deriveICCMasterKey(
      from: issuer.cryptogram, derivation, accountNumber: accountNumber, sequenceNumber: sequenceNumber)
    scriptIntegrity = deriveICCMasterKey(
      from: issuer.scriptIntegrity, derivation, accountNumber: accountNumber, sequenceNumber: sequenceNumber)
    scriptConfidentiality = deriveICCMasterKey(
      from: issuer.scriptConfidentiality, derivation, accountNumber: accountNumber, sequenceNumber: sequenceNumber)
  }
}
