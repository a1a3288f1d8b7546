internal import Crypto
internal import CryptoExtras
internal import DeviceAuthentication
internal import FIDOUAF
internal import Octets
internal import POSIX

/// The RSA key of a registration at a server that does not accept ECDSA: RSASSA-PKCS1-v1_5 with SHA-256, 2048 bits.
///
/// Key stores of devices have no RSA keys. The key is made in this process and sealed by the device, and is in the memory of
/// this process only while it signs.
struct RegistrationRSAKey: Sendable {
  private let key: _RSA.Signing.PrivateKey

  /// Makes a key. Computes for about a second.
  static func create() async throws(DeviceAuthenticationError) -> RegistrationRSAKey {
    let key = await blocking { try? _RSA.Signing.PrivateKey(keySize: .bits2048) }
    guard let key else { throw .unavailable(reason: "an RSA key cannot be made") }
    return RegistrationRSAKey(key: key)
  }

  private init(key: _RSA.Signing.PrivateKey) { self.key = key }

  /// Reads a key from `octets`.
  init(_ secret: borrowing Secret) throws(DeviceAuthenticationError) {
    let key = secret.withExposedOctets { octets in
      octets.withWipedCopy { try? _RSA.Signing.PrivateKey(derRepresentation: $0) }
    }
    guard let key, key.keySizeInBits == 2_048 else {
      throw .unavailable(reason: "the sealed bytes are not an RSA key of 2048 bits")
    }
    self.key = key
  }

  /// The private key in DER (PKCS #1), to be sealed.
  var octets: Secret {
    var octets = [UInt8](key.derRepresentation)
    return Secret(wiping: &octets)
  }

  /// The public key as SubjectPublicKeyInfo in DER.
  var publicKey: [UInt8] { [UInt8](key.publicKey.derRepresentation) }

  /// Signs bytes.
  ///
  /// - Returns: The signature inside an OCTET STRING (algorithm 9 of the registry).
  func signature(of octets: [UInt8]) throws(DeviceAuthenticationError) -> [UInt8] {
    let signature = try? key.signature(for: SHA256.hash(data: octets), padding: .insecurePKCS1v1_5)
    guard let signature else { throw .unavailable(reason: "the RSA key cannot sign") }
    return OctetString.encoded([UInt8](signature.rawRepresentation))
  }
}
