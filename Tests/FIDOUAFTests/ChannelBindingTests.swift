import Foundation
import JOSE
import Octets
import TestSupport
import Testing

@testable import FIDOUAF

/// Bindings to certificates of OpenSSL, with hashes of OpenSSL.
@Suite("Channel binding")
struct ChannelBindingTests {
  private let scratch: Scratch

  init() throws { scratch = try Scratch() }

  private func openssl(_ arguments: [String]) throws -> String {
    let run = try ProgramRun("env", ["-C", scratch.directory.path, "openssl"] + arguments)
    try #require(try run.finish() == .exited(0), "openssl: \(run.errors)")
    return run.output
  }

  private func certificate(_ key: [String], _ hash: String?) throws -> [UInt8] {
    _ = try openssl(
      ["req", "-x509", "-nodes", "-keyout", "key.pem", "-out", "certificate.der", "-outform", "DER", "-subj", "/CN=a"]
        + key + (hash.map { ["-\($0)"] } ?? []))
    return [UInt8](try Data(contentsOf: URL(filePath: scratch.path("certificate.der"))))
  }

  private static let curve = ["-newkey", "ec", "-pkeyopt", "ec_paramgen_curve:P-256"]
  private static let rsa = ["-newkey", "rsa:2048"]

  @Test(arguments: [
    (Self.curve, "sha256", "sha256"), (Self.curve, "sha384", "sha384"), (Self.curve, "sha512", "sha512"),
    (Self.curve, "sha1", "sha256"), (Self.rsa, "sha256", "sha256"), (Self.rsa, "sha384", "sha384"),
    (Self.rsa, "sha512", "sha512"), (Self.rsa, "sha1", "sha256"),
  ])
  func `the end point is the hash of the certificate with the function of its signature`(
    key: [String], signed: String, hash: String
  ) throws {
    let certificate = try certificate(key, signed)
    let binding = ChannelBinding(certificate: certificate)
    let digest = try openssl(["dgst", "-\(hash)", "-r", "certificate.der"]).prefix { $0 != " " }
    #expect(binding.serverCertificate == certificate.base64URL)
    let endPoint = try [UInt8](base64URL: #require(binding.serverEndPoint))
    #expect(endPoint.hex.lowercased() == digest)
  }

  @Test func `a signature without one hash function gives no end point`() throws {
    let edwards = ChannelBinding(certificate: try certificate(["-newkey", "ed25519"], nil))
    #expect(edwards.serverEndPoint == nil && edwards.serverCertificate != nil)
    let pss = ChannelBinding(
      certificate: try certificate(Self.rsa + ["-sigopt", "rsa_padding_mode:pss"], "sha256"))
    #expect(pss.serverEndPoint == nil && pss.serverCertificate != nil)
  }

  @Test func `bytes that are no certificate give no end point at any cut`() throws {
    let certificate = try certificate(Self.curve, "sha256")
    for count in 0..<certificate.count {
      #expect(ChannelBinding(certificate: Array(certificate[..<count])).serverEndPoint == nil)
    }
  }
}
