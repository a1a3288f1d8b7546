internal import EMVCryptography

/// The keys with which a terminal checks cards, and the certificates that it does not accept any more (EMV 4.4 Book 2,
/// section 5).
struct CertificationAuthorities: Sendable {
  var keys: [CertificationAuthorityKey] = []
  var revoked: Set<RevokedCertificate> = []
}
