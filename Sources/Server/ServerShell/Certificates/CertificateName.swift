internal import Glibc
internal import SwiftASN1
internal import X509

/// A host as it stands in a certificate: a DNS name or an address.
enum CertificateName: Hashable {
  case name(String)
  case address([UInt8])

  /// Reads a host. Nil for an address such as 0.0.0.0, which stands for every address of the machine.
  init?(_ host: String) {
    guard
      let octets = NetworkAddress.octets(host, AF_INET, count: 4) ?? NetworkAddress.octets(host, AF_INET6, count: 16)
    else {
      self = .name(host.lowercased())
      return
    }
    guard octets.contains(where: { $0 != 0 }) else { return nil }
    self = .address(octets)
  }

  var generalName: GeneralName {
    switch self {
    case .name(let name): .dnsName(name)
    case .address(let octets): .ipAddress(ASN1OctetString(contentBytes: octets[...]))
    }
  }
}

extension Certificate {
  /// Whether the certificate has a name among its alternative names. Wildcards are not read.
  func isFor(_ name: CertificateName) -> Bool {
    guard let names = try? extensions.subjectAlternativeNames else { return false }
    return names.contains(name.generalName)
  }
}
