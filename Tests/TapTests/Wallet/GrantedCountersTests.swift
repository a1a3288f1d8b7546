import ContactlessPayment
import EMVCard
import EMVIssuer
import Foundation
import PaymentSimulation
import TestSupport
import Testing

@testable import tap

/// Test keys that stay unique when a wallet's cards come and go.
@Suite("The counters of the test issuer", .blocks, .timeLimit(.minutes(20)))
struct GrantedCountersTests {
  let scratch: Scratch
  let folder: String

  init() throws {
    scratch = try Scratch()
    folder = scratch.path("wallet")
  }

  func start(_ arguments: [String]) throws -> ProgramRun {
    try TapProgram.start(["wallet"] + arguments + ["--wallet", folder, "--format", "json"])
  }

  func wallet(_ arguments: String...) throws -> TapProgram.Run {
    let run = try TapProgram.finish(start(arguments))
    #expect(run.code == 0, "\(arguments): \(run.errors)")
    return run
  }

  func add(_ id: String) throws {
    _ = try wallet("add", "--card", TapProgram.card("visa-cvn18"), "--id", id, "--uses", "4")
  }

  /// The counter of one payment with a card.
  func pay(_ id: String) throws -> Int? {
    let run = try TapProgram.finish(
      TapProgram.start([
        "present", "--link", "loopback", "--wallet", folder, "--digital-card", id, "--format", "json",
      ]))
    #expect(run.code == 0, "\(run.errors)")
    let lines = run.output.split(separator: "\n").compactMap {
      try? JSONSerialization.jsonObject(with: Data($0.utf8)) as? [String: Any]
    }
    return lines.compactMap { $0["transactionCounter"] as? Int }.last
  }

  @Test func `a card that is deleted and added again gets the counters after those that it had`() throws {
    try add("card")
    #expect(try pay("card") == 1)
    _ = try wallet("delete", "card")
    try add("card")
    #expect(try pay("card") == 5)
    _ = try wallet("reset")
    try add("card")
    #expect(try pay("card") == 9)
  }

  @Test func `two cards with one account number get different counters`() throws {
    try add("first")
    try add("second")
    #expect(try [pay("first"), pay("second"), pay("first"), pay("second")] == [1, 5, 2, 6])
  }

  @Test func `two replenishments at once get different counters`() throws {
    try add("card")
    let runs = try (0..<2).map { _ in try start(["replenish", "card", "--force", "--uses", "3"]) }
    for run in runs { #expect(try TapProgram.finish(run).code == 0, "\(run.errors)") }
    // 1 to 4, then 5 to 7 and 8 to 10.
    let counters = GrantedCounters(directory: folder)
    let image = try CardImage(json: Array(Data(contentsOf: URL(filePath: TapProgram.card("visa-cvn18")))))
    let account = IssuerAccount(image.applications[0])
    let next = try counters.grant(to: account) { KeyGrant(firstCounter: UInt16($0), uses: 1) }
    #expect(next.firstCounter == 11)
  }

  @Test func `an issuer that starts anew never grants a counter twice`() throws {
    try FileManager.default.createDirectory(atPath: folder, withIntermediateDirectories: true)
    let image = try CardImage(json: Array(Data(contentsOf: URL(filePath: TapProgram.card("visa-cvn18")))))
    let account = IssuerAccount(image.applications[0])
    let counters = GrantedCounters(directory: folder)
    var taken: Set<UInt16> = []
    for _ in 0..<20 {
      // Each issuer starts anew, as each process does.
      var provisioning = TestIssuerProvisioning(uses: 2)
      provisioning.counters = counters
      _ = try provisioning.keys(for: image)
      let grant = try counters.grant(to: account) { KeyGrant(firstCounter: UInt16($0), uses: 1) }
      #expect(taken.insert(grant.firstCounter).inserted)
    }
    #expect(taken.max() == 60)
  }

  @Test func `a file that holds no counters ends the command, and no key is granted`() throws {
    try add("card")
    try "{}".write(toFile: folder + "/test-issuer.json", atomically: true, encoding: .utf8)
    let run = try TapProgram.finish(start(["replenish", "card", "--force"]))
    #expect(run.code == 2 && run.output.contains("counters"), "\(run.output)\(run.errors)")
  }

  @Test func `the file holds no account number, and only its owner can read it`() throws {
    try add("card")
    let path = folder + "/test-issuer.json"
    #expect(!(try String(contentsOfFile: path, encoding: .utf8)).contains("4761739"))
    let mode = try FileManager.default.attributesOfItem(atPath: path)[.posixPermissions] as? Int
    #expect(mode == 0o600)
  }
}
