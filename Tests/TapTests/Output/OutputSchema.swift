import Foundation
import TestSupport
import Testing

/// `Fixtures/Schemas/output.schema.json`.
enum OutputSchema {
  private static let file = SchemaFile("output")

  static var path: String { file.path }

  /// The names of its definitions.
  static func definitions() throws -> Set<String> { try file.definitions() }

  /// The lines of an output that its definition does not describe, with the places of their errors.
  static func refused(_ output: String, _ definition: String) throws -> String { try file.refused(output, definition) }

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
