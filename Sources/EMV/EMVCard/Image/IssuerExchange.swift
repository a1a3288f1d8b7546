internal import Documents
internal import EMVCryptography
internal import EMVData
internal import ISO7816
internal import JSON
internal import Octets

/// The commands with which an application takes its issuer's response to an ARQC, as its scheme compiles them. An application
/// that takes none is complete with its first cryptogram.
public struct IssuerExchange: Sendable {
  /// Whether it takes EXTERNAL AUTHENTICATE: tag 82 byte 1 bit 3.
  let takesExternalAuthenticate: Bool
  /// The second GENERATE AC; nil without tag 8D.
  let second: SecondProgram?
  /// The tags that PUT DATA may write; nil for an application that takes no scripts.
  let writableTags: [Tag]?
  /// How many script commands with a wrong MAC end the exchange in one arming.
  let wrongMACLimit: Int
  /// Whether the terminal may present the card a second time with the issuer's response.
  let startsAgain: Bool

  static let putData = ProfileKey(
    "putData", .list(.octets), range: 0...CardProfile.maximumDataObjects,
    help: "The tags, each one of `getData`, whose values PUT DATA may replace by others of the same length.",
    source: "EMV 4.4 Book 3, 6.5.12")
  /// The default of `wrongMACs`.
  static let standardWrongMACLimit = 3
  static let wrongMACs = ProfileKey(
    "wrongMACs", .integer, range: 1...15, default: JSONValue(standardWrongMACLimit),
    help: """
      How many script commands with a wrong MAC end the card's exchange with its issuer for the payment: it then takes no script, \
      no EXTERNAL AUTHENTICATE and no second GENERATE AC.
      """)
  static let key = ProfileKey(
    "scripts", .object([putData, wrongMACs]),
    help: """
      The application takes issuer scripts: APPLICATION BLOCK, APPLICATION UNBLOCK, CARD BLOCK and PUT DATA. It takes none when \
      left out.
      """, source: "EMV 4.4 Book 3, 6.5 and Book 2, 9")

  /// Reads `scripts`, and what tag 82 promises.
  ///
  /// - Parameters:
  ///   - objects: The data objects that GET DATA returns.
  ///   - second: The program of the second GENERATE AC; nil without tag 8D, and when it was wrong.
  ///   - startsAgain: Whether the issuer may update the card in a second presentment.
  /// - Returns: Nil for an application that takes nothing from its issuer.
  init?(
    _ application: inout ObjectReader, _ image: ApplicationBuilder, _ version: CryptogramVersion,
    second: SecondProgram? = nil, startsAgain: Bool = false
  ) {
    let promised = image.interchangeBits.contains(.issuerAuthentication)
    self.second = second
    let scripts = Self.scripts(&application, image)
    writableTags = scripts?.tags
    wrongMACLimit = scripts?.wrongMACs ?? Self.standardWrongMACLimit
    // A card that promises an update in tag 9F6C and takes neither command has nothing to wait for.
    self.startsAgain = startsAgain && (promised || writableTags != nil)
    takesExternalAuthenticate = promised && (second != nil || self.startsAgain)
    if takesExternalAuthenticate || second != nil, version.response == nil {
      application.note(
        "cryptogram", "\(version) has no response of the issuer: no aip byte 1 bit 3 and no tag 8D with it")
    }
    if writableTags != nil, version.script == nil {
      application.note(Self.key.name, "this engine has no scripts of \(version)")
    }
    if second == nil, writableTags == nil, !self.startsAgain { return nil }
  }

  /// Reads `scripts`; nil without it, and when it is wrong.
  static func scripts(
    _ application: inout ObjectReader, _ image: ApplicationBuilder
  ) -> (tags: [Tag], wrongMACs: Int)? {
    application.optionalObject(key.name) { reader in
      (tags(&reader, image.dataObjects), reader.integer(wrongMACs) ?? standardWrongMACLimit)
    }
  }

  private static func tags(_ reader: inout ObjectReader, _ objects: [TLVNode]) -> [Tag] {
    let texts = reader.optionalTexts(putData.name) ?? []
    return texts.enumerated().compactMap { index, text in
      let octets = (try? [UInt8](hex: text)) ?? []
      let tag = Tag(prefixOf: octets[...]).flatMap { $0.octetCount == octets.count ? $0 : nil }
      if let tag, objects.contains(where: { $0.tag == tag }) { return tag }
      reader.note("\(putData.name)[\(index)]", "\"\(text.prefix(12))\" is not the tag of a data object of getData")
      return nil
    }
  }
}

/// The second GENERATE AC of an application (EMV 4.4 Book 3, 6.5.5 and 9.3).
public struct SecondProgram: Sendable {
  /// CDOL2, tag 8D.
  let values: DataObjectList
  /// The position of tag 91 among the values; nil when the terminal brings it by EXTERNAL AUTHENTICATE alone.
  let authentication: Range<Int>?
  /// The responses by `Case`.
  let answers: [CommandProgram.Answer]
  /// The responses with a signature, for the cases that approve; empty for a card that makes no signatures.
  let signed: [CommandProgram.Answer]

  /// The responses that a second GENERATE AC can get: the type of the cryptogram, and what became of the authentication.
  enum Case: Int, CaseIterable {
    case approvedOffline, approved, declinedOffline, declined, declinedAfterFailure

    init(_ type: CryptogramType, _ authentication: IssuerAuthentication) {
      self =
        switch (type, authentication) {
        case (.tc, .successful): .approved
        case (.tc, _): .approvedOffline
        case (_, .notPerformed): .declinedOffline
        case (_, .successful): .declined
        case (_, .failed): .declinedAfterFailure
        }
    }

    var type: CryptogramType { rawValue <= Self.approved.rawValue ? .tc : .aac }

    var authentication: IssuerAuthentication {
      switch self {
      case .approvedOffline, .declinedOffline: .notPerformed
      case .approved, .declined: .successful
      case .declinedAfterFailure: .failed
      }
    }
  }
}

/// What became of the authentication of an issuer (EMV 4.4 Book 2, 8.2).
public enum IssuerAuthentication: String, Equatable, Sendable, CaseIterable {
  /// The terminal brought no data of the issuer.
  case notPerformed
  /// The response cryptogram was right.
  case successful
  /// It was wrong.
  case failed
}
