import Foundation
import ProgramSupport
import TapScenarios
import Transcripts
import WholeFiles

/// The recordings that `tap test --record` has made in a directory, by scenario and tap.
struct TestRecordings: Sendable {
  /// One of them.
  struct Recording: Sendable {
    let transcript: Transcript
    let path: String
  }

  private let directory: String
  private let recordings: [String: Recording]

  /// Reads every recording of the directory that names its scenario and tap.
  ///
  /// - Throws: `FileError` for a directory that cannot be read or has no recording, `InputError` for a recording that
  ///   cannot be read, and for two recordings of one tap.
  init(_ directory: String) throws {
    self.directory = directory
    var found: [String: Recording] = [:]
    for path in try RecordingTree.files([directory]) {
      let transcript = try RecordingFile.transcript(at: path)
      guard let test = transcript[.test], let tap = transcript[.tap] else { continue }
      if let other = found.updateValue(Recording(transcript: transcript, path: path), forKey: "\(test) \(tap)") {
        throw InputError(
          description: "\(other.path) and \(path) are both recordings of \(test), tap \(tap): delete one of them")
      }
    }
    recordings = found
  }

  /// The recordings of an earlier run; nil for a directory that does not exist or has none of tests.
  ///
  /// - Throws: `InputError` for a recording that cannot be read: a new run would write over the others.
  static func earlier(in directory: String) throws -> TestRecordings? {
    guard isDirectory(directory), try hasTranscripts(directory) else { return nil }
    let earlier = try TestRecordings(directory)
    return earlier.recordings.isEmpty ? nil : earlier
  }

  /// The recordings of a place `replay:`; nil for a file, and for a directory without recordings of tests.
  ///
  /// - Throws: `FileError` for a directory that cannot be read or has no recording, `InputError` for a recording that
  ///   cannot be read.
  static func replayed(at path: String) throws -> TestRecordings? {
    // A place that is not there is one error, and not one of each tap.
    do { _ = try FileManager.default.attributesOfItem(atPath: path) } catch { throw FileError(reading: path, error) }
    guard isDirectory(path) else { return nil }
    let found = try TestRecordings(path)
    return found.recordings.isEmpty ? nil : found
  }

  private static func isDirectory(_ path: String) -> Bool {
    let type = try? FileManager.default.attributesOfItem(atPath: path)[.type] as? FileAttributeType
    return type == .typeDirectory
  }

  private static func hasTranscripts(_ directory: String) throws -> Bool {
    do throws(FileError) {
      return try !RecordingTree.files([directory]).isEmpty
    } catch {
      guard error.code == .notFound else { throw error }
      return false
    }
  }

  /// How many there are.
  var count: Int { recordings.count }

  /// The recording of a tap; nil without one.
  func recording(of file: ScenarioFile, _ number: Int) -> Recording? {
    let id = file.scenario.terminalTest?.id ?? file.scenario.cardTest?.id
    return id.flatMap { recordings["\($0) \(number)"] }
  }

  /// The recorded tap of a terminal, and its file; nil without a recording, and for one of another card.
  func known(_ file: ScenarioFile, _ number: Int) -> (tap: TerminalTap, path: String)? {
    guard let found = recording(of: file, number), let tap = TerminalTap(found.transcript, of: file, number) else {
      return nil
    }
    return (tap, found.path)
  }

  /// The recorded tap of a terminal.
  ///
  /// - Throws: `ScenarioNotJudged` without a recording, and for one of another card.
  func terminalTap(of file: ScenarioFile, _ number: Int) throws -> TerminalTap {
    if let known = known(file, number) { return known.tap }
    let isOther = recording(of: file, number) != nil
    throw isOther
      ? ScenarioNotJudged(
        "\(name(of: file, number)) was recorded with another card, or its card's profile was redacted")
      : missing(file, number)
  }

  /// The recorded tap of a card.
  ///
  /// - Throws: `ScenarioNotJudged` without a recording, and for one with masked data of the card,
  ///   `LinkError.Code.recordingDiffers` for one of other steps.
  func cardTap(of file: ScenarioFile, _ test: CardTest, _ number: Int) throws -> CardTap {
    guard let found = recording(of: file, number) else { throw missing(file, number) }
    try found.transcript.checkUnmasked(found.path)
    return try CardVisit.tap(of: test, recorded: found.transcript)
  }

  private func missing(_ file: ScenarioFile, _ number: Int) -> ScenarioNotJudged {
    ScenarioNotJudged("\(directory) has no recording of \(name(of: file, number))")
  }

  private func name(of file: ScenarioFile, _ number: Int) -> String {
    "\(file.scenario.terminalTest?.id ?? file.scenario.cardTest?.id ?? file.path), tap \(number)"
  }
}
