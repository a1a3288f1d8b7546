import ArgumentParser
import Foundation
import Octets
import ProfileAuthoring
import ProgramSupport
import RecordingFormats
import Synchronization
import Transcripts
import POSIX

/// The name of a recording format that can be read, as `--from` takes it.
struct ReadableFormat: ExpressibleByArgument {
  let format: RecordingFormat

  init?(argument: String) {
    guard let format = Self.all.first(where: { $0.name == argument }) else { return nil }
    self.format = format
  }

  static let all = RecordingFormat.shipped.filter { $0.read != nil }
  static var allValueStrings: [String] { all.map(\.name) }
  static var defaultCompletionKind: CompletionKind { .list(allValueStrings) }
}

/// The name of a recording format that can be written, as `--to` takes it.
struct WritableFormat: ExpressibleByArgument {
  let write: RecordingFormat.Write

  init?(argument: String) {
    guard let write = Self.all.first(where: { $0.name == argument })?.write else { return nil }
    self.write = write
  }

  static let all = RecordingFormat.shipped.filter { $0.write != nil }.sorted { $0.name < $1.name }
  static var allValueStrings: [String] { all.map(\.name) }
  static var defaultCompletionKind: CompletionKind { .list(allValueStrings) }
}

/// Recordings that are read from files or standard input, with notes on standard error.
enum RecordingFile {
  // A script of a locked card has sixty equal notes.
  private static let shownNotes = 5
  // Each scenario of a run reads its recording again.
  private static let reported = Mutex<Set<String>>([])

  /// Reads a recording for `tap convert` and `tap redact`; standard input for `-`. Reports the format on standard
  /// error.
  ///
  /// - Throws: `ExitCode` after a message.
  static func read(_ path: String, as format: RecordingFormat?) throws -> ImportedTranscript {
    let name = path == "-" ? "standard input" : path
    do {
      let octets = try path == "-" ? InputFile.standardInput() : NamedFile.read(path)
      let imported: ImportedTranscript
      do throws(TranscriptError) {
        imported = try ImportedTranscript(parsing: octets, as: format)
      } catch {
        let taken =
          format.map { ", read as \($0)" } ?? (try? RecordingFormat.recognised(octets)).map { ", taken for \($0)" }
        let tried =
          format == nil
          ? " (\(triedFormats.dropFirst(2)) were tried)"
          : ""
        throw InputError(description: "\(name)\(taken ?? ""): \(error)\(hint(octets) ?? tried)", code: .transcript)
      }
      let taken = "\(format == nil ? "taken for" : "read as") \(imported.format)"
      guard !imported.transcript.text.isEmpty else {
        throw InputError(
          description: "\(name), \(taken): nothing of a recording is in it; --from sets another format",
          code: .transcript)
      }
      Console.note("\(name): \(taken)\(others(imported))")
      reportNotes(of: imported, named: name)
      return imported
    } catch {
      throw Console.fail(error)
    }
  }

  /// Reads a recording. Reports the format on standard error when it is not this project's own, and what was left out: once
  /// for each file.
  ///
  /// - Throws: `FileError` with the path and the reason.
  static func transcript(at path: String) throws -> Transcript {
    let octets = try NamedFile.read(path)
    return try CardFiles.naming(path) {
      let imported = try ImportedTranscript(parsing: octets)
      guard reported.withLock({ $0.insert(path).inserted }) else { return imported.transcript }
      return report(imported, named: path)
    }
  }

  /// Reports on standard error what was guessed, and returns the transcript.
  static func report(_ imported: ImportedTranscript, named name: String) -> Transcript {
    if imported.format != .dump { Console.note("\(name): taken for \(imported.format)\(others(imported))") }
    reportNotes(of: imported, named: name)
    return imported.transcript
  }

  /// The formats from which one is guessed, each after a comma.
  static let triedFormats = ReadableFormat.allValueStrings.map { ", \($0)" }.joined()

  /// The command for a card that another tool has saved, which is no recording; nil for another file.
  static func hint(_ octets: [UInt8]) -> String? {
    SavedCard(parsing: octets).map { " (it is \($0.title): tap card import is for it)" }
  }

  /// The lines of a log that hold nothing of an exchange.
  private static func others(_ imported: ImportedTranscript) -> String {
    let count = imported.otherLineCount
    return count == 0 ? "" : ", \(count.counted("other line")) left out"
  }

  private static func reportNotes(of imported: ImportedTranscript, named name: String) {
    for note in imported.notes.prefix(shownNotes) { Console.note("\(name): \(note)") }
    let rest = imported.notes.count - shownNotes
    if rest > 0 { Console.note("\(name): and \(rest) more such notes") }
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

  /// Writes the result, and names its file on standard error.
  ///
  /// - Throws: `ExitCode` after a message.
  func writeAndReport(_ octets: [UInt8]) throws {
    try write(octets)
    if let output, output != "-" { Console.note("Wrote \(output)") }
  }

  /// Writes the result.
  ///
  /// - Throws: `ExitCode` after a message.
  func write(_ octets: [UInt8]) throws {
    do {
      if let output, output != "-" { return try OutputFile(path: output, isReplaced: force).write(octets) }
      do {
        // Comments of a recording must not control a terminal; a file or a program gets them as they are.
        let isShown = isatty(STDOUT_FILENO) == 1
        let shown = isShown ? Array(String(decoding: octets, as: UTF8.self).visible(keeping: "\t\n").utf8) : octets
        try FileHandle.standardOutput.write(contentsOf: Data(shown))
      } catch {
        throw FileError(writing: "standard output", error)
      }
    } catch {
      throw Console.fail(error)
    }
  }
}
