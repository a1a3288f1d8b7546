import Fixtures
import Foundation
import TestSupport
import Testing

/// Errors of commands that print JSON: one shape, on the stream of the results.
@Suite("Errors as JSON", .blocks, .timeLimit(.minutes(20)))
struct ErrorReportTests {
  /// Command lines that end with an error, without `--format json`.
  static let lines = [
    "accept --reader loopback:/nowhere --amount 1 --currency EUR", "present --link loopback --card /nowhere",
    "send --reader loopback:/nowhere 00A4040000", "dump --reader loopback:/nowhere", "decode zz",
    "decode /nowhere", "bench --card /nowhere", "demo --card /nowhere", "lab pn532 --card /nowhere",
    "lab pcsc --card /nowhere", "device simulate --device /nowhere/x --passcode off", "card check /nowhere",
    "terminal check /nowhere", "wallet list --wallet /nowhere", "wallet default --wallet /nowhere x",
    "wallet add --wallet /nowhere/w --card /nowhere", "wallet replenish --wallet /nowhere x",
    "wallet keys --wallet /nowhere", "wallet reset --wallet /nowhere", "wallet delete --wallet /nowhere x",
    "device enrol --wallet /dev/null/w", "lab pn532 --card /nowhere",
    "accept --reader replay:/nowhere --amount 1 --currency EUR",
  ]

  @Test(arguments: [
    "accept --reader x", "accept --reader loopback:x", "bench --taps 0", "acept", "decode --nosuch", "wallet list",
    "test", "lab pn532 --seed x",
  ])
  func `wrong usage has a code and a message too`(_ line: String) throws {
    let run = try TapProgram.finish(
      TapProgram.start(line.split(separator: " ").map(String.init) + ["--format", "json"]))
    #expect(run.code == 64 && run.errors.hasPrefix("error: "), "\(run.output)\(run.errors)")
    let error = try #require(run.json()["error"] as? [String: Any], "\(run.output)")
    #expect(error["code"] as? String == "usage")
    let message = try #require(error["message"] as? String)
    #expect(!message.isEmpty && run.errors.contains(message), "\(message): \(run.errors)")
  }

  @Test(arguments: lines)
  func `an error has a code and a message, which standard error has too`(_ line: String) throws {
    let run = try TapProgram.finish(
      TapProgram.start(line.split(separator: " ").map(String.init) + ["--format", "json"]))
    #expect(run.code == 1, "\(run.output)\(run.errors)")
    let error = try #require(run.json()["error"] as? [String: Any], "\(run.output)")
    #expect(Set(error.keys) == ["code", "message"])
    let message = try #require(error["message"] as? String)
    #expect(!message.isEmpty && run.errors.contains("error: \(message)"), "\(run.errors)")
    #expect((error["code"] as? String)?.isEmpty == false)
  }
}
