@testable import AccessServer
import Foundation
import Octets
@testable import ServerShell
import TestSupport
import Testing

@Suite("The self-signed identity of a server", .blocks, .timeLimit(.minutes(20)))
struct SelfSignedIdentityTests {
  static let names = ["ca.pem", "certificate.pem", "key.pem", "operator.token"]
  static let now = WallTime(seconds: 1_780_000_000)
  let scratch: Scratch
  let directory: String

  init() throws {
    scratch = try Scratch()
    directory = scratch.path("identity")
  }

  @discardableResult
  func identity(host: String = "127.0.0.1", at now: WallTime = now) throws(CertificateError) -> SelfSignedIdentity {
    try SelfSignedIdentity(directory: directory, host: host, at: now)
  }

  func refusal(host: String = "127.0.0.1", at now: WallTime = now) -> CertificateError? {
    do throws(CertificateError) {
      try identity(host: host, at: now)
      return nil
    } catch {
      return error
    }
  }

  func contents() throws -> [Data] {
    try Self.names.map { try Data(contentsOf: URL(filePath: "\(directory)/\($0)")) }
  }

  func openssl(_ arguments: String...) throws -> String {
    let run = try ProgramRun("openssl", arguments)
    #expect(try run.finish() == .exited(0), "\(run.output)\(run.errors)")
    return run.output
  }

  @Test func `the four files are made once, and the secrets are readable by their owner only`() throws {
    let first = try identity()
    let before = try contents()
    #expect(try FileManager.default.contentsOfDirectory(atPath: directory).sorted() == Self.names)
    for (name, mode) in zip(Self.names, [0o644, 0o644, 0o600, 0o600]) {
      let attributes = try FileManager.default.attributesOfItem(atPath: "\(directory)/\(name)")
      #expect(attributes[.posixPermissions] as? Int == mode, "\(name)")
    }
    let again = try identity()
    #expect(try contents() == before)
    #expect(first.operatorToken == again.operatorToken && first.operatorToken.count == 43)
    #expect(first.authorityFile == "\(directory)/ca.pem")
  }

  @Test func `openssl verifies the chain for every host, and no other`() throws {
    try identity(host: "192.168.7.9", at: SystemWallClock().now)
    let ca = "\(directory)/ca.pem"
    let certificate = "\(directory)/certificate.pem"
    for (kind, host) in [
      ("hostname", "localhost"), ("ip", "127.0.0.1"), ("ip", "::1"), ("ip", "192.168.7.9"),
    ] {
      let answer = try openssl("verify", "-x509_strict", "-CAfile", ca, "-verify_\(kind)", host, certificate)
      #expect(answer.hasSuffix("OK\n"))
    }
    let wrong = try ProgramRun("openssl", ["verify", "-CAfile", ca, "-verify_hostname", "example.org", certificate])
    #expect(try wrong.finish() != .exited(0))
    let text = try openssl("x509", "-in", certificate, "-noout", "-text")
    #expect(text.contains("ASN1 OID: prime256v1"))
    #expect(text.contains("TLS Web Server Authentication"))
  }

  @Test func `an address that stands for all addresses is not put into the certificate`() throws {
    for host in ["0.0.0.0", "::"] { try identity(host: host) }
    let text = try openssl("x509", "-in", "\(directory)/certificate.pem", "-noout", "-ext", "subjectAltName")
    #expect(text.contains("DNS:localhost, IP Address:127.0.0.1, IP Address:0:0:0:0:0:0:0:1\n"))
  }

  @Test(arguments: names)
  func `a set without one of its files is refused and not completed`(_ name: String) throws {
    try identity()
    try FileManager.default.removeItem(atPath: "\(directory)/\(name)")
    let refused = refusal()
    #expect(refused?.code == .incomplete)
    #expect(refused?.reason.contains("\(directory)/\(name): missing") == true)
    #expect(try FileManager.default.contentsOfDirectory(atPath: directory).count == 3)
  }

  @Test(arguments: names)
  func `the part of a set that a killed process has left is made again`(_ name: String) throws {
    try identity()
    try FileManager.default.removeItem(atPath: "\(directory)/\(name)")
    #expect(FileManager.default.createFile(atPath: "\(directory)/incomplete", contents: nil))
    let made = try identity()
    #expect(try FileManager.default.contentsOfDirectory(atPath: directory).sorted() == Self.names)
    #expect(FileManager.default.createFile(atPath: "\(directory)/incomplete", contents: nil))
    #expect(try identity().operatorToken == made.operatorToken)
    #expect(try FileManager.default.contentsOfDirectory(atPath: directory).sorted() == Self.names)
  }

  @Test(arguments: names)
  func `a damaged file is refused and not changed`(_ name: String) throws {
    try identity()
    let path = "\(directory)/\(name)"
    let whole = try String(contentsOfFile: path, encoding: .utf8)
    for text in ["", "nonsense\n", String(whole.prefix(40)), String(repeating: "x", count: 65_537), "\u{0}"] {
      let file = try FileHandle(forWritingTo: URL(filePath: path))
      try file.truncate(atOffset: 0)
      try file.write(contentsOf: Data(text.utf8))
      try file.close()
      #expect(refusal()?.code == .damaged, "\(text.prefix(20))")
      #expect(try String(contentsOfFile: path, encoding: .utf8) == text)
    }
  }

  @Test(arguments: ["ca.pem", "certificate.pem", "key.pem"])
  func `a file of another set is refused`(_ name: String) throws {
    try identity()
    let other = scratch.path("other")
    _ = try SelfSignedIdentity(directory: other, host: "localhost", at: Self.now)
    try FileManager.default.removeItem(atPath: "\(directory)/\(name)")
    try FileManager.default.copyItem(atPath: "\(other)/\(name)", toPath: "\(directory)/\(name)")
    #expect(refusal()?.code == .mismatch)
  }

  @Test(arguments: ["key.pem", "operator.token"])
  func `a secret that other users can read is refused`(_ name: String) throws {
    try identity()
    try FileManager.default.setAttributes([.posixPermissions: 0o640], ofItemAtPath: "\(directory)/\(name)")
    #expect(refusal()?.code == .exposed)
  }

  @Test func `a certificate is refused after 820 days, before its beginning, and for another host`() throws {
    try identity()
    let end = Self.now.seconds + 820 * 86_400
    #expect(refusal(at: WallTime(seconds: end)) == nil)
    #expect(refusal(at: WallTime(seconds: end + 1))?.code == .notValidNow)
    #expect(refusal(at: WallTime(seconds: Self.now.seconds - 3_600)) == nil)
    #expect(refusal(at: WallTime(seconds: Self.now.seconds - 3_601))?.code == .notValidNow)
    #expect(refusal(host: "server.example")?.code == .wrongHost)
  }

  @Test func `a directory that cannot be made or written is refused`() throws {
    #expect(throws: CertificateError.self) {
      _ = try SelfSignedIdentity(directory: scratch.path("missing/identity"), host: "localhost", at: Self.now)
    }
    let disk = try MountedDisk(kilobytes: 16)
    _ = try disk.fill()
    #expect(throws: CertificateError.self) {
      _ = try SelfSignedIdentity(directory: disk.path, host: "localhost", at: Self.now)
    }
    #expect(try FileManager.default.contentsOfDirectory(atPath: disk.path) == ["filler"])
  }

  @Test func `servers that start at the same time use one set`() async throws {
    let directory = directory
    let tokens = try await withThrowingTaskGroup(of: String.self) { group in
      for _ in 0..<8 {
        group.addTask {
          try SelfSignedIdentity(directory: directory, host: "localhost", at: Self.now).operatorToken
        }
      }
      return try await group.reduce(into: Set()) { $0.insert($1) }
    }
    #expect(tokens.count == 1)
  }
}
