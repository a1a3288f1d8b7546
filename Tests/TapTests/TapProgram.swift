import Fixtures
import Foundation
import TestSupport
import Testing

/// The program under test, as its user runs it.
enum TapProgram {
  struct Run {
    let code: Int32
    let output: String
    let errors: String

    /// The first line of standard output as JSON.
    func json() throws -> [String: Any] {
      let line = try #require(output.split(separator: "\n").first, "nothing on standard output; \(errors)")
      return try #require(try JSONSerialization.jsonObject(with: Data(line.utf8)) as? [String: Any])
    }

    /// The code of the error in the first line; nil without an error.
    func errorCode() throws -> String? { (try json()["error"] as? [String: Any])?["code"] as? String }
  }

  /// Built beside the test program.
  static let path = URL(filePath: "/proc/self/exe").resolvingSymlinksInPath().deletingLastPathComponent()
    .appending(path: "tap").path

  static func start(_ arguments: [String], environment: [String: String] = [:]) throws -> ProgramRun {
    // Those of a developer who runs the hardware tests must not be the defaults of the program here.
    let defaults = ["CONTACTLESS_READER": "", "CONTACTLESS_LINK": ""]
    return try ProgramRun(path, arguments, environment: defaults.merging(environment) { $1 })
  }

  static func run(_ arguments: String..., environment: [String: String] = [:]) throws -> Run {
    try finish(start(arguments, environment: environment))
  }

  /// Runs `tap accept` and waits for its end.
  static func accept(_ reader: String, amount: String, currency: String, _ further: [String] = []) throws -> Run {
    try finish(start(["accept", "--reader", reader, "--amount", amount, "--currency", currency] + further))
  }

  static func finish(_ program: ProgramRun) throws -> Run {
    let ending = try program.finish(timeout: .seconds(300))
    guard case .exited(let code) = ending else {
      Issue.record("tap ended with \(ending); it said:\n\(program.output)\n\(program.errors)")
      return Run(code: -1, output: program.output, errors: program.errors)
    }
    return Run(code: code, output: program.output, errors: program.errors)
  }

  /// Copies a program that was built, by another process: a file that this one has open for writing while it starts
  /// programs is busy, and cannot be started itself.
  static func copy(_ name: String, to scratch: Scratch) throws {
    let directory = path.dropLast("tap".count)
    let copying = try ProgramRun("cp", [directory + name, scratch.path(name)])
    #expect(try copying.finish() == .exited(0), "\(copying.errors)")
  }

  static func card(_ name: String) -> String { Fixtures.url("Cards/\(name).json").path }

  /// The profile of a card whose application no shipped terminal has.
  static func cardOfNoKernel(in scratch: Scratch) throws -> String {
    let visa = try String(contentsOfFile: card("visa-cvn18"), encoding: .utf8)
    return try scratch.write("none.json", visa.replacingOccurrences(of: "A0000000031010", with: "A0000009991010"))
  }

  static func terminal(_ name: String) -> String { Fixtures.url("Terminals/\(name).json").path }

  /// The shipped terminal that takes a shipped card.
  static func terminal(for card: String) -> String {
    if ["amex", "jcb", "discover", "unionpay"].contains(where: card.hasPrefix) { return terminal("all-kernels") }
    return terminal(["visa-fdda", "mastercard-cda"].contains(where: card.hasPrefix) ? "offline" : "attended-eur")
  }
}
