import Fixtures
import Foundation
import TestSupport
import Testing

/// `Fixtures/Schemas/output.schema.json`, checked by a validator that shares no code with this project.
enum OutputSchema {
  static let path = Fixtures.url("Schemas/output.schema.json").path

  /// The names of its definitions.
  static func definitions() throws -> Set<String> {
    let schema = try JSONSerialization.jsonObject(with: Data(contentsOf: URL(filePath: path))) as? [String: Any]
    return Set(try #require(schema?["definitions"] as? [String: Any]).keys)
  }

  /// The lines of an output that its definition does not describe, with the places of their errors.
  static func refused(_ output: String, _ definition: String) throws -> String {
    let scratch = try Scratch()
    let run = try ProgramRun(
      OracleTests().python(),
      [OracleTests.script("check_output.py"), path, definition, try scratch.write("output", output)])
    #expect(try run.finish() == .exited(0), "\(run.errors)")
    return run.output
  }

  /// Runs a command and expects output that its definition describes.
  static func check(
    _ definition: String, _ arguments: [String], code: Int32 = 0, environment: [String: String] = [:]
  ) throws {
    let run = try TapProgram.finish(
      TapProgram.start(arguments + ["--format", "json"], environment: environment))
    #expect(run.code == code, "\(arguments): \(run.errors)")
    #expect(!run.output.isEmpty, "\(arguments): \(run.errors)")
    #expect(try refused(run.output, definition) == "", "\(arguments)")
  }
}
