import ArgumentParser
import POSIX
import ProgramSupport

/// What `tap lab pcsc` shows and keeps of the commands that programs send to its card.
struct LabTrafficOptions: ParsableArguments {
  @Flag(
    name: .shortAndLong,
    help:
      "Show each command that a program sends to the card, and the response, with their meaning. JSON stays the same.")
  var verbose = false
  @Option(
    help: ArgumentHelp(
      "Record the commands of all programs and the responses of the card; written at the end.", valueName: "file"),
    completion: .file())
  var record: String?
  @Flag(help: "Write over a recording that exists.")
  var force = false

  func validate() throws {
    try require(!force || record != nil, "--force needs --record FILE.")
  }

  /// Whether one of the options is set.
  var isSet: Bool { verbose || record != nil }

  /// What shows and records the commands; nil without the options.
  ///
  /// - Throws: `FileError` for a recording that cannot be written.
  func observed(_ format: OutputFormat) throws(FileError) -> LabTraffic? {
    guard isSet else { return nil }
    let file = record.map { OutputFile(path: $0, isReplaced: force) }
    try file?.check()
    return LabTraffic(isShown: verbose && format == .text, file: file)
  }
}
