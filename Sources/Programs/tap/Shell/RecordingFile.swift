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
      let octets = try path == "-" ? Files.standardInput() : Files.read(path)
      let imported: ImportedTranscript
      do throws(TranscriptError) {
        imported = try ImportedTranscript(parsing: octets, as: syntax)
      } catch {
        let guessed = syntax ?? TranscriptSyntax.guess(octets: octets)
        throw FileError(description: "\(name), taken for \(guessed.rawValue): \(error)")
      }
      let taken = "\(syntax == nil ? "taken for" : "read as") \(imported.syntax.rawValue)"
      guard !imported.transcript.text.isEmpty else {
        throw FileError(description: "\(name), \(taken): nothing of a recording is in it; --from says what it is")
      }
      Console.note("\(name): \(taken)")
      TranscriptFile.tellNotes(imported, of: name)
      return imported
    } catch {
      throw Console.fail("\(error)", unreadable)
    }
  }

  /// Writes to a file that does not exist yet, or over one with force, or to standard output.
  static func write(_ octets: [UInt8], to path: String?, force: Bool) throws {
    guard let path, path != "-" else {
      do {
        return try FileHandle.standardOutput.write(contentsOf: Data(octets))
      } catch {
        throw Console.fail("standard output cannot be written: \(FileError.reason(error))")
      }
    }
    do {
      try Files.write(octets, to: path, isNew: !force)
    } catch {
      if !force, Files.isFile(path) {
        throw Console.fail("\(path) exists: --force writes over it")
      }
      throw Console.fail("\(error)")
    }
  }
}

/// Where the result goes: options of `tap convert` and `tap redact`.
struct OutputOptions: ParsableArguments {
  @Option(
    name: .shortAndLong, help: ArgumentHelp("Where to write; standard output when left out or -.", valueName: "file"),
    completion: .file())
  var output: String?
  @Flag(help: "Write over a file that exists.")
  var force = false

  func validate() throws {
    if output?.isEmpty == true { throw ValidationError("-o needs the name of a file, or -.") }
    if force, output == nil || output == "-" { throw ValidationError("--force needs -o FILE.") }
  }
}
