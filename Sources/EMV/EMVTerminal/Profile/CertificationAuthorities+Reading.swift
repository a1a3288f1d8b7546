internal import Documents
internal import EMVCryptography
internal import EMVData
internal import JSON
internal import Octets

// The keys `certificationAuthorities` and `revokedCertificates` of a terminal profile.
extension CertificationAuthorities {
  private static let provider = ProfileKey(
    "provider", .octets, isRequired: true, range: 5...5, help: "The RID: the first five bytes of the AIDs.")
  private static let index = ProfileKey(
    "index", .octets, isRequired: true, range: 1...1, help: "The index of the key: tag 8F of the cards.")
  private static let modulus = ProfileKey(
    "modulus", .octets, isRequired: true, range: 64...248, help: "The modulus: odd, 512 to 1984 bits.")
  private static let exponent = ProfileKey(
    "exponent", .octets, isRequired: true, range: 1...3, help: "The exponent: `03` or `010001`.")
  private static let checksum = ProfileKey(
    "checksum", .octets, isRequired: true, range: 20...20, help: "The SHA-1 of RID, index, modulus and exponent.")
  private static let serialNumber = ProfileKey(
    "serialNumber", .octets, isRequired: true, range: 3...3, help: "The serial number of the issuer certificate.")

  static let authoritiesKey = ProfileKey(
    "certificationAuthorities", .list(.object([provider, index, modulus, exponent, checksum])),
    help: "The public keys with which offline data authentication begins; none when left out.",
    source: "EMV 4.4 Book 2, 5.1 and table 3")
  static let revokedKey = ProfileKey(
    "revokedCertificates", .list(.object([provider, index, serialNumber])),
    help: "Issuer certificates that are not accepted any more.", source: "EMV 4.4 Book 2, 5.1.3")

  init(reading profile: inout ObjectReader) {
    _ = profile.optionalObjects(Self.authoritiesKey.name) { entry in
      guard let key = Self.key(&entry) else { return }
      if keys.contains(where: { $0.provider == key.provider && $0.index == key.index }) {
        entry.note("index", "\(key.index.hex) of \(key.provider.hex) comes twice")
      }
      keys.append(key)
    }
    _ = profile.optionalObjects(Self.revokedKey.name) { entry in
      let (provider, index) = (entry.octets(Self.provider), entry.octets(Self.index)?.first)
      guard let provider, let index, let serialNumber = entry.octets(Self.serialNumber) else { return }
      revoked.insert(RevokedCertificate(provider: provider, index: index, serialNumber: serialNumber))
    }
  }

  /// Reads one key and notes everything that is wrong with it.
  private static func key(_ entry: inout ObjectReader) -> CertificationAuthorityKey? {
    // Their lengths are checked together with the key.
    let names = [provider, modulus, exponent, checksum].map(\.name)
    let values = names.map { entry.octets($0, counts: 0...Int(UInt16.max)) }
    guard let index = entry.octets(Self.index)?.first else { return nil }
    let faults = CertificationAuthorityKey.faults(
      provider: values[0], index: index, modulus: values[1], exponent: values[2], checksum: values[3])
    for fault in faults { entry.note(place(of: fault), "\(fault)") }
    return try? CertificationAuthorityKey(
      provider: values[0], index: index, modulus: values[1], exponent: values[2], checksum: values[3])
  }

  private static func place(of fault: CertificationAuthorityKey.Fault) -> String {
    switch fault {
    case .provider: provider.name
    case .key: modulus.name
    case .checksum: checksum.name
    }
  }
}
