internal import Foundation
internal import Glibc
public import Octets
internal import POSIX
internal import SwiftASN1
internal import X509

/// The identity of a server that has made its own certificates in a directory, for development and tests.
///
/// `ca.pem` is the certificate of an authority that clients trust, `certificate.pem` the one of the server, `key.pem` its
/// private key, and `operator.token` the token of the operator. They are made once.
public struct SelfSignedIdentity: Sendable {
  /// The certificate and the key of the server.
  public let server: ServerIdentity
  /// The path of `ca.pem`.
  public let authorityFile: String
  /// The token of the operator: 32 random bytes in base64url.
  public let operatorToken: String

  /// Uses the files of a directory, or makes them. Blocks.
  ///
  /// The certificate is for localhost, 127.0.0.1, ::1 and the host that the server listens on.
  ///
  /// - Parameters:
  ///   - directory: The directory; created with mode 0700 when it is missing. Its parent must exist.
  ///   - host: The host that the server listens on.
  ///   - now: The moment at which the certificate must be valid.
  ///   - random: The source of the token.
  /// - Throws: `CertificateError`. Files that exist are never changed.
  public init(
    directory: String, host: String, at now: WallTime, random: any RandomSource = SystemRandomSource()
  ) throws(CertificateError) {
    let names = Self.names(host)
    // Two servers that start at the same time must not mix their files.
    let lock = try Self.lock(directory)
    let files = Files(directory: directory)
    if files.marker.exists { files.clean() }
    let existing = files.all.filter(\.exists)
    if existing.isEmpty {
      try files.make(for: names.reduce(into: []) { if !$0.contains($1) { $0.append($1) } }, at: now, random)
    } else if existing.count < files.all.count {
      throw files.incomplete(existing)
    }
    server = try files.identity(for: names, at: now)
    authorityFile = files.authority.path
    operatorToken = try OperatorToken.read(files.token.path)
    withExtendedLifetime(lock) {}
  }

  /// All problems of the files of a directory. Changes nothing. Blocks.
  ///
  /// - Parameter host: The host that the server listens on; nil when it is not known.
  /// - Returns: The problems, and what the certificate is. Nil when a server would make the files.
  public static func check(
    directory: String, host: String?, at now: WallTime
  ) -> (problems: [CertificateError], finding: String?)? {
    let files = Files(directory: directory)
    let existing = files.all.filter(\.exists)
    if existing.isEmpty || files.marker.exists { return nil }
    guard existing.count == files.all.count else { return ([files.incomplete(existing)], nil) }
    let identity = IdentityCheck(certificateFile: files.certificate.path, keyFile: files.key.path, at: now)
    var problems = identity.problems
    do throws(CertificateError) {
      if problems.isEmpty { _ = try files.identity(for: names(host), at: now) }
    } catch { problems.append(error) }
    do throws(CertificateError) {
      _ = try OperatorToken.read(files.token.path)
    } catch { problems.append(error) }
    return (problems, identity.finding)
  }

  private static func names(_ host: String?) -> [CertificateName] {
    (["localhost", "127.0.0.1", "::1"] + [host].compactMap(\.self)).compactMap(CertificateName.init)
  }

  /// Creates the directory when it is missing, and waits until no other process works in it.
  private static func lock(_ path: String) throws(CertificateError) -> FileLock {
    // The system copies the path.
    guard unsafe mkdir(path, 0o700) == 0 || errno == EEXIST else { throw IdentityFile.systemError(path, "created") }
    do throws(SystemError) {
      return try FileLock(path, flags: O_RDONLY | O_DIRECTORY, within: nil)
    } catch { throw IdentityFile.systemError(path, "opened", error) }
  }

  /// The files of a directory.
  private struct Files {
    let authority, certificate, key, token: IdentityFile
    /// Exists while the other files are made.
    let marker: IdentityFile

    var all: [IdentityFile] { [authority, certificate, key, token] }

    init(directory: String) {
      authority = IdentityFile(path: directory + "/ca.pem")
      certificate = IdentityFile(path: directory + "/certificate.pem")
      key = IdentityFile(path: directory + "/key.pem")
      token = IdentityFile(path: directory + "/operator.token")
      marker = IdentityFile(path: directory + "/incomplete")
    }

    /// Some of the files exist, and some do not.
    func incomplete(_ existing: [IdentityFile]) -> CertificateError {
      let missing = all.filter { !$0.exists }.map(\.path).joined(separator: ", ")
      return CertificateError(
        .incomplete, "\(missing): missing, although \(existing[0].path) exists. Restore it, or remove all four files")
    }

    /// Makes all files. None is there when one cannot be written.
    func make(for names: [CertificateName], at now: WallTime, _ random: any RandomSource) throws(CertificateError) {
      let issued = try CertificateAuthority.issue(for: names, at: now)
      do throws(CertificateError) {
        try marker.write("", isSecret: false)
        try authority.write(issued.authority, isSecret: false)
        try certificate.write(issued.certificate, isSecret: false)
        try key.write(issued.key, isSecret: true)
        try token.write(OperatorToken.make(random) + "\n", isSecret: true)
      } catch {
        clean()
        throw error
      }
      marker.remove()
    }

    /// Removes the part of the files that a process has left that was killed while it made them. A whole set stays.
    func clean() {
      if !all.allSatisfy(\.exists) {
        for file in all { file.remove() }
      }
      marker.remove()
    }

    /// Reads the certificates and the key, and checks that they belong together and to the host.
    func identity(for names: [CertificateName], at now: WallTime) throws(CertificateError) -> ServerIdentity {
      let server = try ServerIdentity(certificateFile: certificate.path, keyFile: key.path, at: now)
      let issuer: Certificate
      do {
        issuer = try Certificate(pemEncoded: try authority.read(isSecret: false))
      } catch let error as CertificateError {
        throw error
      } catch {
        throw CertificateError(.damaged, "\(authority.path) is not a certificate in PEM")
      }
      guard issuer.publicKey.isValidSignature(server.leaf.signature, for: server.leaf) else {
        throw CertificateError(.mismatch, "\(authority.path) has not issued \(certificate.path)")
      }
      try issuer.check(at: now, authority.path)
      guard names.allSatisfy(server.leaf.isFor) else {
        throw CertificateError(
          .wrongHost, "\(certificate.path) is for other hosts than the server's: remove all four files to make new ones"
        )
      }
      return server
    }
  }
}
