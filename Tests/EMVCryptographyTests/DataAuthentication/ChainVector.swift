import EMVCryptography
import EMVData
import Fixtures
import Foundation
import ISO7816
import Octets
import Testing

/// A chain of `Fixtures/Vectors/verified/data_authentication.json`: certificates and a signature of a card, made or checked
/// by a program that shares no code with this one.
struct ChainVector: Decodable, Sendable, CustomTestStringConvertible {
  struct Authority: Decodable, Sendable {
    let rid: String
    let index: String
    let modulus: String
    let exponent: String
    let checksum: String
  }

  enum Kind: String, Decodable, Sendable {
    case sda
    case dda
    case fdda
    case cda
  }

  /// A block and its signature by a private key.
  struct Signature: Decodable, Sendable {
    let p: String
    let q: String
    let block: String
    let signature: String
  }

  private struct File: Decodable {
    let valid: [ChainVector]
    let wrong: [ChainVector]
    let signatures: [Signature]
  }

  let name: String
  let authority: Authority
  let pan: String
  let date: String
  var tags: [String: String]
  var staticData: String
  let kind: Kind
  var signature: String
  var terminalData: String?
  var cryptogramInformation: String?
  var transactionData: String?
  var relayData: String?
  /// The name of the failure; nil for a valid chain.
  let failure: String?

  var testDescription: String { name }

  private static let file: File = {
    do {
      return try JSONDecoder().decode(File.self, from: Fixtures.data("Vectors/verified/data_authentication.json"))
    } catch { fatalError("data_authentication.json cannot be read: \(error)") }
  }()

  static let valid = file.valid
  static let wrong = file.wrong
  static let signatures = file.signatures

  static func valid(_ name: String) throws -> ChainVector { try #require(valid.first { $0.name == name }) }

  /// The failure that a wrong chain must give.
  func expectedFailure() throws -> AuthenticationFailure {
    let part: AuthenticationFailure.Part =
      name.hasPrefix("issuer") ? .issuerCertificate : name.hasPrefix("ICC") ? .cardCertificate : .dynamicData
    let failures: [String: AuthenticationFailure] = [
      "header": .header(part), "format": .format(part), "hash": .hash(part), "date": .date(part),
      "expired": .expired(part), "algorithm": .algorithm(part), "remainder": .remainder(part),
      "exponent": .exponent(part), "identifier": .identifier, "accountNumber": .accountNumber,
      "dynamicData": .dynamicData, "cryptogramInformation": .cryptogramInformation,
      "transactionData": .transactionData, "relayData": .relayData,
    ]
    return try #require(failures[failure ?? ""])
  }

  func key() throws -> CertificationAuthorityKey {
    try CertificationAuthorityKey(
      provider: [UInt8](hex: authority.rid), index: #require(UInt8(authority.index, radix: 16)),
      modulus: [UInt8](hex: authority.modulus), exponent: [UInt8](hex: authority.exponent),
      checksum: [UInt8](hex: authority.checksum))
  }

  /// The data objects of the card.
  func objects() throws -> [ISO7816.Tag: [UInt8]] {
    var objects: [ISO7816.Tag: [UInt8]] = [
      0x8F: try [UInt8](hex: authority.index),
      0x5A: try #require(PrimaryAccountNumber(digits: pan)).compressedNumeric,
    ]
    for (tag, value) in tags {
      let tag = ISO7816.Tag(rawValue: try #require(UInt32(tag, radix: 16)))
      objects[tag] = try [UInt8](hex: value)
    }
    return objects
  }

  private func octets(_ tag: String) throws -> [UInt8] { try [UInt8](hex: tags[tag] ?? "") }

  func issuer(revoked: Set<RevokedCertificate> = [], date: String? = nil) throws -> IssuerCertificate {
    try IssuerCertificate(
      octets("90"), remainder: octets("92"), exponent: octets("9F32"), authority: key(), revoked: revoked,
      accountNumber: #require(PrimaryAccountNumber(digits: pan)), at: #require(TransactionDate(date ?? self.date)))
  }

  func card() throws -> CardCertificate {
    try CardCertificate(
      octets("9F46"), remainder: octets("9F48"), exponent: octets("9F47"), issuer: issuer(),
      staticData: [UInt8](hex: staticData), accountNumber: #require(PrimaryAccountNumber(digits: pan)),
      at: #require(TransactionDate(date)))
  }

  /// Checks the whole chain.
  ///
  /// - Returns: The data authentication code, the dynamic number, or the cryptogram.
  @discardableResult
  func authenticate() throws -> [UInt8] {
    let signature = try [UInt8](hex: signature)
    if kind == .sda {
      return try SignedStaticData(signature, issuer: issuer(), staticData: [UInt8](hex: staticData)).authenticationCode
    }
    let signed = try SignedDynamicData(
      signature, kind == .fdda ? .fast : .standard, card: card(), terminalData: [UInt8](hex: terminalData ?? ""))
    guard kind == .cda else { return signed.dynamicNumber }
    return try CombinedData(
      signed, cryptogramInformation: #require(UInt8(cryptogramInformation ?? "", radix: 16)),
      transactionData: [UInt8](hex: transactionData ?? ""), relayData: relayData.map { try [UInt8](hex: $0) }
    ).cryptogram
  }
}
