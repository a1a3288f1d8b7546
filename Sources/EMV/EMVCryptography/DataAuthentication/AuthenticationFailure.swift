public import ISO7816
internal import Octets

/// Why offline data authentication failed. Each case is one check of EMV 4.4 Book 2, sections 5 and 6.
public enum AuthenticationFailure: Error, Hashable, Sendable, CustomStringConvertible {
  /// A part of the certificates or signatures of a card.
  public enum Part: String, Hashable, Sendable, CaseIterable {
    /// Tag 90.
    case issuerCertificate = "issuer certificate"
    /// Tag 9F46.
    case cardCertificate = "ICC certificate"
    /// Tag 93.
    case staticData = "signed static application data"
    /// Tag 9F4B.
    case dynamicData = "signed dynamic application data"
  }

  /// The card states no method of authentication that the terminal has (tag 82).
  case notSupported
  /// The card sent no data object with this tag.
  case missing(Tag)
  /// No certification authority of the card's RID has this index.
  case unknownAuthority(index: UInt8)
  /// The length of the part differs from that of the modulus of its key.
  case length(Part)
  /// The part, as a number, is not below the modulus of its key.
  case number(Part)
  /// The recovered data do not begin with 6A or do not end in BC.
  case header(Part)
  /// The recovered data have another format than 02, 03, 04 or 05 (95).
  case format(Part)
  /// The hash differs from that of the covered data.
  case hash(Part)
  /// The exponent is neither 3 nor 65537, or its length differs from the one in the certificate.
  case exponent(Part)
  /// The remainder does not complete the key.
  case remainder(Part)
  /// The certified key has an impossible modulus.
  case key(Part)
  /// The algorithm is not RSA with SHA-1.
  case algorithm(Part)
  /// The issuer identifier is not the beginning of the account number.
  case identifier
  /// The certificate is for another account number.
  case accountNumber
  /// The expiry is not a month and a year.
  case date(Part)
  /// The certificate has expired.
  case expired(Part)
  /// The issuer's certificate is revoked.
  case revoked
  /// A record that takes part is not a template 70, or tag 9F4A names something else than tag 82.
  case staticData
  /// Tag 9F69 has another version than 01 (Book C-3, fDDA).
  case version
  /// The dynamic data are shorter than their own lengths state.
  case dynamicData
  /// The cryptogram information data inside the signature differ from tag 9F27.
  case cryptogramInformation
  /// The transaction data hash inside the signature differs.
  case transactionData
  /// The relay resistance data inside the signature differ from those of the last exchange, or are missing.
  case relayData

  /// A sentence without a value of the card.
  public var description: String { words.sentence }

  // The name of the check for a recording, and the sentence.
  var words: (code: String, sentence: String) {
    switch self {
    case .notSupported: ("notSupported", "the card states no method that the terminal has (tag 82)")
    case .missing(let tag): ("missing \(tag)", "tag \(tag) is missing")
    case .unknownAuthority(let index):
      ("unknownAuthority \(index.hex)", "no certification authority of this RID has the index \(index.hex)")
    case .length(let part): ("length \(part.tag)", "the \(part.rawValue) has another length than its key")
    case .number(let part): ("number \(part.tag)", "the \(part.rawValue) is not below the modulus of its key")
    case .header(let part): ("header \(part.tag)", "the recovered \(part.rawValue) has a wrong header or trailer")
    case .format(let part): ("format \(part.tag)", "the recovered \(part.rawValue) has a wrong format")
    case .hash(let part): ("hash \(part.tag)", "the hash of the \(part.rawValue) is wrong")
    case .exponent(let part):
      ("exponent \(part.tag)", "the exponent of the \(part.rawValue) is not 3 or 65537, or has another length")
    case .remainder(let part):
      ("remainder \(part.tag)", "the remainder does not complete the key of the \(part.rawValue)")
    case .key(let part): ("key \(part.tag)", "the key of the \(part.rawValue) is not a possible RSA key")
    case .algorithm(let part): ("algorithm \(part.tag)", "the algorithm of the \(part.rawValue) is not RSA with SHA-1")
    case .identifier: ("identifier", "the issuer identifier is not the beginning of the account number")
    case .accountNumber: ("accountNumber", "the ICC certificate is for another account number")
    case .date(let part): ("date \(part.tag)", "the expiry of the \(part.rawValue) is not a month")
    case .expired(let part): ("expired \(part.tag)", "the \(part.rawValue) has expired")
    case .revoked: ("revoked", "the issuer certificate is revoked")
    case .staticData: ("staticData", "the static data to be authenticated have a wrong form")
    case .version: ("version", "tag 9F69 has another version than 01")
    case .dynamicData: ("dynamicData", "the ICC dynamic data have a wrong form")
    case .cryptogramInformation:
      ("cryptogramInformation", "the signed cryptogram information data differ from tag 9F27")
    case .transactionData: ("transactionData", "the transaction data hash is wrong")
    case .relayData: ("relayData", "the signed relay resistance data differ from those that were exchanged")
    }
  }
}
