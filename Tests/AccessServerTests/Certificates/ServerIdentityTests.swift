@testable import AccessServer
import Foundation
import NIOSSL
import Octets
@testable import ServerShell
import TestSupport
import Testing

/// Certificates that openssl has made.
@Suite("The certificate and key of a server", .blocks, .timeLimit(.minutes(20)))
struct ServerIdentityTests {
  let scratch: Scratch

  init() throws { scratch = try Scratch() }

  /// Makes a key and a self-signed certificate.
  func make(_ name: String, _ key: [String]) throws {
    let run = try ProgramRun(
      "openssl",
      ["req", "-x509", "-nodes", "-subj", "/CN=localhost", "-days", "10"] + key + [
        "-keyout", scratch.path("\(name).key"), "-out", scratch.path("\(name).pem"),
      ])
    #expect(try run.finish() == .exited(0), "\(run.errors)")
  }

  func load(_ name: String, key: String? = nil) throws(CertificateError) -> ServerIdentity {
    try ServerIdentity(
      certificateFile: scratch.path("\(name).pem"), keyFile: scratch.path("\(key ?? name).key"),
      at: SystemWallClock().now)
  }

  func code(_ name: String, key: String? = nil) -> CertificateError.Code? {
    do throws(CertificateError) {
      _ = try load(name, key: key)
      return nil
    } catch {
      return error.code
    }
  }

  static let curve = ["-newkey", "ec", "-pkeyopt", "ec_paramgen_curve:P-256"]

  static let curveSuites: [NIOTLSCipher] = [
    .TLS_ECDHE_ECDSA_WITH_AES_128_GCM_SHA256, .TLS_ECDHE_ECDSA_WITH_AES_256_GCM_SHA384,
    .TLS_ECDHE_ECDSA_WITH_CHACHA20_POLY1305_SHA256,
  ]
  static let rsaSuites: [NIOTLSCipher] = [
    .TLS_ECDHE_RSA_WITH_AES_128_GCM_SHA256, .TLS_ECDHE_RSA_WITH_AES_256_GCM_SHA384,
    .TLS_ECDHE_RSA_WITH_CHACHA20_POLY1305_SHA256, .TLS_RSA_WITH_AES_128_GCM_SHA256, .TLS_RSA_WITH_AES_256_GCM_SHA384,
  ]

  @Test(arguments: [
    (curve, curveSuites), (["-newkey", "rsa:2048"], rsaSuites),
    (["-newkey", "ec", "-pkeyopt", "ec_paramgen_curve:P-384"], curveSuites),
  ])
  func `a pair is read, and the suites are those that its key allows`(
    _ key: [String], _ suites: [NIOTLSCipher]
  ) throws {
    try make("server", key)
    let configuration = try load("server").tlsConfiguration
    #expect(configuration.minimumTLSVersion == .tlsv12)
    #expect(configuration.cipherSuiteValues == suites)
  }

  @Test func `files that are missing, damaged, or do not belong together are refused`() throws {
    try make("first", Self.curve)
    try make("second", Self.curve)
    _ = try scratch.write("text.pem", "text")
    _ = try scratch.write("text.key", "text")
    try FileManager.default.setAttributes([.posixPermissions: 0o600], ofItemAtPath: scratch.path("text.key"))
    #expect(code("missing") == .inaccessible)
    #expect(code("first", key: "missing") == .inaccessible)
    #expect(code("text", key: "first") == .damaged)
    #expect(code("first", key: "text") == .damaged)
    #expect(code("first", key: "second") == .mismatch)
  }

  @Test func `keys that are too weak or of an unknown kind are refused`() throws {
    try make("weak", ["-newkey", "rsa:1024"])
    try make("edwards", ["-newkey", "ed25519"])
    #expect(code("weak") == .damaged)
    #expect(code("edwards") == .unsupportedKey)
  }
}
