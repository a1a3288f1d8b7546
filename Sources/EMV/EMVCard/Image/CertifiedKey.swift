internal import Ciphers
internal import Documents
internal import EMVCryptography
internal import EMVData
internal import ISO7816
internal import JSON

/// The signing key that the certificates of an application certify, checked when a profile is compiled: issuer and card
/// certificate, account number and static data.
enum CertifiedKey {
  /// A profile has no clock, and a certificate that has expired is the terminal's affair: no certificate ends before this date.
  private static let date = TransactionDate(year: 1950, month: 1, day: 1)

  /// Reads `certificationAuthority` and checks the certificates with it; nil without the key, and when there are problems.
  static func read(
    _ application: inout ObjectReader, aid: [UInt8], _ builder: ApplicationBuilder
  ) -> RSAPublicKey? {
    let found = application.optionalObject(CardKeys.certificationAuthority.name) { authority in
      let (modulus, exponent) = (authority.octets(CardKeys.modulus), authority.octets(CardKeys.exponent))
      guard let modulus, let exponent else { return nil as RSAPublicKey? }
      let key = RSAPublicKey(modulus: modulus, exponent: exponent)
      if key == nil {
        authority.note(
          CardKeys.modulus.name,
          "the modulus must be odd with \(RSAPublicKey.bitRange) bits, and the exponent 03 or 010001")
      }
      return key
    }
    guard let found, let authority = found, aid.count >= 5 else { return nil }
    do throws(AuthenticationFailure) {
      return try key(builder, authority, provider: Array(aid.prefix(5)))
    } catch {
      application.note("records", "the certificates are not those of this card: \(error)")
      return nil
    }
  }

  private static func key(
    _ builder: ApplicationBuilder, _ authority: RSAPublicKey, provider: [UInt8]
  ) throws(AuthenticationFailure) -> RSAPublicKey {
    guard let date else { preconditionFailure("the calendar has the date") }
    var objects: [Tag: [UInt8]] = [:]
    for object in builder.objects { objects[object.tag] = object.value }
    let records = builder.records.filter(\.isSigned).map { SignedRecord(sfi: $0.sfi, data: $0.data) }
    let staticData = try StaticData.joined(
      records, tagList: objects[0x9F4A], interchangeProfile: builder.interchangeProfile)
    let index = objects[0x8F]?.first ?? 0
    let issuer = try IssuerCertificate(
      in: objects, provider: provider, authorities: authorityKeys(authority, provider, index), at: date)
    return try CardCertificate(in: objects, issuer: issuer, staticData: staticData, at: date).key
  }

  /// The authority with the checksum that a terminal would have.
  private static func authorityKeys(
    _ key: RSAPublicKey, _ provider: [UInt8], _ index: UInt8
  ) -> [CertificationAuthorityKey] {
    let checksum = CertificationAuthorityKey.checksum(
      provider: provider, index: index, modulus: key.modulus, exponent: key.exponent)
    let authority = try? CertificationAuthorityKey(
      provider: provider, index: index, modulus: key.modulus, exponent: key.exponent, checksum: checksum)
    return [authority].compactMap(\.self)
  }
}

extension ObjectReader {
  /// Notes bits of tag 82 that promise signatures which the application does not make.
  ///
  /// - Parameters:
  ///   - method: The bit of the method that the kernel of the application has.
  /// - Returns: The key with which the application signs, or nil when it makes no signatures.
  mutating func signingKey(
    of image: ApplicationBuilder, with method: ApplicationInterchangeProfile
  ) -> RSAPublicKey? {
    let promised = image.interchangeBits.intersection([.dda, .cda, .xda])
    guard !promised.isEmpty else { return nil }
    let isOwn = promised == method
    if !isOwn {
      let bits = [(ApplicationInterchangeProfile.xda, 8), (.dda, 6), (.cda, 1)].filter { $0.0 != method }.map(\.1)
      note("aip", "byte 1 bits \(bits[0]) and \(bits[1]) must be 0: the kernel has no such authentication")
    }
    if image.signingKey == nil, !has(CardKeys.certificationAuthority.name) {
      note(
        "aip",
        "byte 1 promises signatures: certificates in the records and certificationAuthority are needed with it")
    }
    return isOwn ? image.signingKey : nil
  }
}
