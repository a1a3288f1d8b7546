internal import Foundation
public import Octets
internal import SwiftASN1
internal import X509

/// All problems of a chain of certificates and its private key, where `ServerIdentity` throws the first one. Checks the chain
/// too. Changes no file.
public struct IdentityCheck: Sendable {
  /// The problems, empty when a server can use the files.
  public private(set) var problems: [CertificateError] = []
  /// What the certificate is, for people; nil when it cannot be read.
  public private(set) var finding: String?

  /// Checks two PEM files. Blocks.
  ///
  /// - Parameters:
  ///   - certificateFile: The certificate of the server, then those of its authorities in the order of the chain.
  ///   - keyFile: The private key.
  ///   - now: The moment at which all certificates must be valid.
  public init(certificateFile: String, keyFile: String, at now: WallTime) {
    let chain = certificates(certificateFile)
    let key = privateKey(keyFile)
    guard let leaf = chain.first else { return }
    finding = "\(leaf.subject), valid to \(leaf.notValidAfter), \(chain.count.counted("certificate"))"
    if let key, key.publicKey != leaf.publicKey {
      add(.mismatch, "the key of \(keyFile) does not belong to the certificate of \(certificateFile)")
    }
    attempt { () throws(CertificateError) in _ = try ServerIdentity.kind(of: leaf.publicKey, in: certificateFile) }
    for (place, certificate) in chain.enumerated() {
      let name = place == 0 ? certificateFile : "\(certificateFile), certificate \(place + 1)"
      attempt { () throws(CertificateError) in try certificate.check(at: now, name) }
    }
    for (place, pair) in zip(chain, chain.dropFirst()).enumerated()
    where pair.0.issuer != pair.1.subject || !pair.1.publicKey.isValidSignature(pair.0.signature, for: pair.0) {
      add(
        .mismatch,
        "\(certificateFile): certificate \(place + 2) has not issued certificate \(place + 1): put them in the order of the chain"
      )
    }
  }

  private mutating func add(_ code: CertificateError.Code, _ reason: String) {
    problems.append(CertificateError(code, reason))
  }

  private mutating func attempt<Value>(_ step: () throws(CertificateError) -> Value) -> Value? {
    do throws(CertificateError) {
      return try step()
    } catch {
      problems.append(error)
      return nil
    }
  }

  private mutating func certificates(_ path: String) -> [Certificate] {
    guard let text = attempt({ () throws(CertificateError) in try IdentityFile(path: path).read(isSecret: false) })
    else {
      return []
    }
    let chain = try? PEMDocument.parseMultiple(pemString: text).map { try Certificate(derEncoded: $0.derBytes) }
    guard let chain, !chain.isEmpty else {
      add(.damaged, "\(path) is not a chain of certificates in PEM")
      return []
    }
    return chain
  }

  private mutating func privateKey(_ path: String) -> Certificate.PrivateKey? {
    let file = IdentityFile(path: path)
    // A key that other users can read is still compared with the certificate.
    guard let content = attempt({ () throws(CertificateError) in try file.read(isSecret: false) }) else { return nil }
    _ = attempt { () throws(CertificateError) in try file.read(isSecret: true) }
    guard let key = ServerIdentity.privateKey(content) else {
      add(.damaged, ServerIdentity.keyReason(path))
      return nil
    }
    return key
  }
}
