import Foundation
import TestSupport
import Testing

/// `tap lab` with simulated chips, and what its first line says of them.
struct LabProgram {
  let program: ProgramRun
  private let addresses: [String: String]

  init(_ arguments: String...) throws {
    program = try TapProgram.start(["lab"] + arguments + ["--format", "json", "--pace", "none"])
    _ = program.wait(timeout: .seconds(60)) { $0.output.contains("\n") }
    let line = try #require(program.output.split(separator: "\n").first, "\(program.errors)")
    addresses = try #require(JSONSerialization.jsonObject(with: Data(line.utf8)) as? [String: String])
  }

  subscript(_ name: String) -> String { addresses[name] ?? "missing" }

  /// Interrupts it, and expects that it ends well.
  func finish(_ signal: Int32 = SIGINT) throws {
    program.signal(signal)
    #expect(try program.finish(timeout: .seconds(60)) == .exited(0), "\(program.errors)")
  }
}

extension TapProgram {
  /// Starts a terminal that takes 12.34 EUR.
  static func accept(
    _ reader: String, _ further: [String] = [], environment: [String: String] = [:]
  ) throws -> ProgramRun {
    try start(
      [
        "accept", "--reader", reader, "--amount", "12.34", "--currency", "978", "--format", "json", "--timeout", "20",
      ] + further, environment: environment)
  }
}

extension TapProgram.Run {
  /// The headers of all commands that a terminal reports, in hexadecimal. How often it measured the card's distance is
  /// left out: on a busy machine a card seems far away.
  func commands() throws -> [String] {
    let headers = try #require(json()["exchanges"] as? [[String: Any]]).compactMap {
      ($0["command"] as? String).map { String($0.prefix(8)) }
    }
    return headers.reduce(into: []) { if $1 != "80EA0000" || $0.last != $1 { $0.append($1) } }
  }
}
