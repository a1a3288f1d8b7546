import Fixtures
import Foundation

/// A JSON Schema in `Fixtures/Schemas`, checked by a validator that shares no code with this project.
public struct SchemaFile: Sendable {
  private struct MissingOracle: Error, CustomStringConvertible {
    let description = "the oracles are not installed: run tools/test, which makes .build/oracles"
  }

  private static let root = URL(filePath: #filePath).deletingLastPathComponent().appending(path: "../..").standardized

  /// The path of the file.
  public let path: String

  /// - Parameter name: The name of the file without `.schema.json`.
  public init(_ name: String) { path = Fixtures.url("Schemas/\(name).schema.json").path }

  /// The names of its definitions.
  public func definitions() throws -> Set<String> {
    let schema = try JSONSerialization.jsonObject(with: Data(contentsOf: URL(filePath: path))) as? [String: Any]
    return Set((schema?["definitions"] as? [String: Any] ?? [:]).keys)
  }

  /// The lines of an output that a definition does not describe, with the places of their errors.
  public func refused(_ output: String, _ definition: String) throws -> String {
    let python = Self.root.appending(path: ".build/oracles/bin/python").path
    guard FileManager.default.isExecutableFile(atPath: python) else { throw MissingOracle() }
    let scratch = try Scratch()
    let script = Self.root.appending(path: "tools/oracles/check_output.py").path
    let run = try ProgramRun(python, [script, path, definition, try scratch.write("output", output)])
    let ending = try run.finish()
    return ending == .exited(0) ? run.output : "\(ending): \(run.errors)"
  }
}
