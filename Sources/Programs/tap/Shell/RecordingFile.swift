import ArgumentParser
import Foundation
import Transcripts

/// A syntax by its short name, as `--from` takes it.
struct SyntaxName: ExpressibleByArgument {
  let syntax: TranscriptSyntax

  init?(argument: String) {
    guard let syntax = TranscriptSyntax(name: argument) else { return nil }
    self.syntax = syntax
  }

  static var allValueStrings: [String] { TranscriptSyntax.allCases.map(\.name) }
}

/// A recording that is read from a file or standard input, and written to another.
enum RecordingFile {
  /// What could not be read (exit code 2) or written (1).
  private static let unreadable = ExitCode(2)

  /// Reads a recording, and says on standard error what it was taken for.
  static func read(_ path: String, as syntax: TranscriptSyntax?) throws -> ImportedTranscript {
    let name = path == "-" ? "standard input" : path
    do {
      let octets = try path == "-" ? standardInput() : Files.read(path)
      do throws(TranscriptError) {
        let imported = try ImportedTranscript(parsing: octets, as: syntax)
        Console.note("\(name): \(syntax == nil ? "taken for" : "read as") \(imported.syntax.rawValue)")
        TranscriptFile.tellNotes(imported, of: name)
        return imported
      } catch {
        let guessed = syntax ?? TranscriptSyntax.guess(octets: octets)
        throw FileError(description: "\(name), taken for \(guessed.rawValue): \(error)")
      }
    } catch {
      throw Console.fail("\(error)", unreadable)
    }
  }

  private static func standardInput() throws -> [UInt8] {
    var octets: [UInt8] = []
    while let part = try FileHandle.standardInput.read(upToCount: 1 << 20), !part.isEmpty {
      octets += part
      guard octets.count <= Files.maximumCount else {
        throw FileError(description: "standard input: the limit is \(Files.maximumCount) octets")
      }
    }
    return octets
  }

  /// Writes to a file that does not exist yet, or over one with force, or to standard output.
  static func write(_ octets: [UInt8], to path: String?, force: Bool) throws {
    guard let path, path != "-" else {
      do {
        return try FileHandle.standardOutput.write(contentsOf: Data(octets))
      } catch {
        throw Console.fail("standard output cannot be written: \(error.localizedDescription)")
      }
    }
    do {
      try Data(octets).write(to: URL(filePath: path), options: force ? .atomic : .withoutOverwriting)
    } catch {
      if !force, FileManager.default.fileExists(atPath: path) {
        throw Console.fail("\(path) exists: --force writes over it")
      }
      throw Console.fail("\(path) cannot be written: \(error.localizedDescription)")
    }
  }
}

/// Where the result goes: options of `tap convert` and `tap redact`.
struct OutputOptions: ParsableArguments {
  @Option(
    name: .shortAndLong, help: ArgumentHelp("Where to write; standard output when left out or -.", valueName: "file"))
  var output: String?
  @Flag(help: "Write over a file that exists.")
  var force = false

  func validate() throws {
    if output?.isEmpty == true { throw ValidationError("-o needs the name of a file, or -.") }
    if force, output == nil || output == "-" { throw ValidationError("--force needs -o FILE.") }
  }
}
