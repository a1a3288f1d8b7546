import AccessMessages
import Foundation
@testable import OperatorPages
@testable import ServerStore
import TestSupport
import Testing

@testable import AccessServer

/// The table in the article Credentials.
@Suite("The table of credentials")
struct CredentialTableTests {
  private static let root = URL(filePath: #filePath).deletingLastPathComponent().appending(path: "../..")

  /// The cells of the rows, by column.
  private let rows: [[String]]

  init() throws {
    let article = Self.root.appending(path: "Sources/Server/AccessServer/AccessServer.docc/Credentials.md")
    let lines = try String(contentsOf: article, encoding: .utf8).split(separator: "\n").filter { $0.hasPrefix("|") }
    rows = lines.dropFirst(2).map { line in
      line.split(separator: "|").map { $0.trimmingCharacters(in: .whitespaces) }
    }
  }

  /// The row of a credential.
  private func row(_ name: String) throws -> [String] {
    let found = rows.filter { $0[0].contains(name) }
    try #require(found.count == 1, "\(name): \(found.count) rows")
    return found[0]
  }

  @Test func `each credential has an audience, a purpose, a lifetime, an end and a test`() {
    #expect(rows.count >= 16)
    for row in rows { #expect(row.count == 6 && !row.contains(""), "\(row)") }
  }

  @Test func `each test that the table names exists`() throws {
    let files = try #require(
      FileManager.default.enumerator(at: Self.root.appending(path: "Tests"), includingPropertiesForKeys: nil))
    let names = Set(files.compactMap { ($0 as? URL)?.lastPathComponent }.filter { $0.hasSuffix("Tests.swift") })
    for test in rows.flatMap({ $0[5].matches(of: /`([A-Za-z]+)`/).map(\.output.1) }) {
      #expect(names.contains("\(test).swift"), "\(test)")
    }
  }

  /// The tables of the database whose records a client presents a token for.
  @Test(
    arguments: [
      AuthorizationRecord.table, RegistrationTokenRecord.table, OutOfBandTokenRecord.table, WalletSessionRecord.table,
      WalletTokenRecord.table, OperatorSessionRecord.table, OperationRecord.table,
    ].map(\.name))
  func `each table of tokens has a row`(_ table: String) throws { _ = try row("`\(table)`") }

  @Test func `no other table has the digest of a token as its key`() {
    let named = rows.flatMap { $0[0].matches(of: /`([A-Za-z]+)`/).map { String($0.output.1) } }
    let created = AccessSchema.current.steps.flatMap { $0.split(separator: "CREATE TABLE ") }
    let keyed = created.filter { $0.prefix { $0 != ";" }.contains("digest BLOB NOT NULL PRIMARY KEY") }
    #expect(keyed.count >= 6)
    for table in keyed {
      let name = table.prefix { $0 != " " }.filter { $0 != "\"" }
      #expect(named.contains(name), "\(name)")
    }
  }

  @Test func `the lifetimes are those of the server`() throws {
    let (lifetimes, wallets) = (ServerConfiguration.Lifetimes(), WalletConfiguration.Lifetimes())
    let skew = DeviceRequest.maximumClockSkew
    let expected: [(String, [Int64])] = [
      ("`Device-Signature`", [skew]), ("account's device", [skew]), ("move of a device", [skew]),
      ("FIDO UAF", [lifetimes.request]), ("`authorization`", [lifetimes.authorization]),
      ("`registrationToken`", [lifetimes.registrationToken]), ("`outOfBandToken`", [lifetimes.outOfBandToken]),
      ("`operation`", [lifetimes.status]),
      ("`walletSession`", [Int64(WalletRequirements.standard.idleSeconds) * 1_000]), ("`walletToken`", [wallets.nonce]),
      ("`operatorSession`", [OperatorSession.idleLimit, OperatorSession.limit]),
    ]
    #expect(wallets.question == wallets.nonce && wallets.resetToken == wallets.nonce)
    for (name, milliseconds) in expected {
      let seconds = try row(name)[3].matches(of: /([0-9,]+) s\b/).map { $0.output.1.filter { $0 != "," } }
      #expect(seconds == milliseconds.map { String($0 / 1_000) }, "\(name)")
    }
  }
}
