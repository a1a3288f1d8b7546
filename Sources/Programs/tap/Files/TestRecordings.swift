import Foundation
import TapScenarios
import Transcripts
import POSIX

/// The recordings that `tap test --record` has made in a directory, by scenario and tap.
struct TestRecordings: Sendable {
  /// One of them.
  struct Recording: Sendable {
    let transcript: Transcript
    let path: String
  }

  private let directory: String
  private var recordings: [TapMark: Recording] = [:]
  /// Why a tap cannot be judged by its recording, as a sentence.
  private var reasons: [TapMark: String] = [:]
  /// The files that do not name their tap, and why, as a sentence.
  private var unmarked: [(path: String, reason: String)] = []

  /// Reads every recording of the directory that names its scenario and tap. A recording that cannot be read, one that was
  /// cut, and two recordings of one tap leave that tap without a recording.
  ///
  /// - Parameter isStrict: Whether a recording that cannot be read is an error.
  /// - Throws: `FileError` for a directory that cannot be read or has no recording, and the error of a recording.
  init(_ directory: String, isStrict: Bool = false) throws {
    self.directory = directory
    try Self.checkPresence(of: directory)
    for path in try RecordingTree.files([directory]) {
      do {
        try add(RecordingFile.transcript(at: path), path)
      } catch {
        guard !isStrict else { throw error }
        let mark = (try? InputFile.read(path)).flatMap { TapMark(searching: $0) }
        if let mark { reasons[mark] = "\(error)" } else { unmarked.append((path, "\(error)")) }
      }
    }
    for mark in reasons.keys { recordings[mark] = nil }
  }

  private mutating func add(_ transcript: Transcript, _ path: String) {
    guard let mark = TapMark(transcript) else {
      return unmarked.append((path, "\(path) does not name its scenario and tap"))
    }
    if let truncation = transcript.truncation { reasons[mark] = "\(path): \(truncation)" }
    if let other = recordings.updateValue(Recording(transcript: transcript, path: path), forKey: mark) {
      reasons[mark] = "\(other.path) and \(path) are both recordings of \(mark): delete one of them"
    }
  }

  /// The recordings of an earlier run; nil for a directory that does not exist or has none of tests.
  ///
  /// - Throws: `InputError` for a recording that cannot be read: a new run would write over the others.
  static func earlier(in directory: String) throws -> TestRecordings? {
    guard InputFile.isDirectory(directory), try hasTranscripts(directory) else { return nil }
    let earlier = try TestRecordings(directory, isStrict: true)
    if let reason = earlier.reasons.values.min() { throw InputError(description: reason, code: .transcript) }
    return earlier.recordings.isEmpty ? nil : earlier
  }

  /// The recordings of a place `replay:`; nil for a file, and for a directory without recordings of tests.
  ///
  /// - Throws: `FileError` for a directory that cannot be read or has no recording.
  static func replayed(at name: String) throws -> TestRecordings? {
    let path = try NamedFile.existing(name)
    try checkPresence(of: path)
    guard InputFile.isDirectory(path) else { return nil }
    let found = try TestRecordings(path)
    return found.recordings.isEmpty && found.reasons.isEmpty ? nil : found
  }

  // A place that is not there is one error, and not one of each tap.
  private static func checkPresence(of path: String) throws {
    do {
      _ = try FileManager.default.attributesOfItem(atPath: path)
      // The target of a link may be missing: the error of opening it has the reason of the system.
      if !FileManager.default.fileExists(atPath: path) { _ = try Data(contentsOf: URL(filePath: path)) }
    } catch { throw FileError(reading: path, error) }
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
    file.mark(ofTap: number).flatMap { recordings[$0] }
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
    guard recording(of: file, number) == nil else {
      throw ScenarioNotJudged(
        "\(name(of: file, number)) was recorded with another card, or its card's profile was redacted")
    }
    throw missing(file, number)
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
    let named = unmarked.first { RecordingDirectory.isRecording($0.path, ofTap: number, of: file) }?.reason
    if let reason = file.mark(ofTap: number).flatMap({ reasons[$0] }) ?? named {
      return ScenarioNotJudged(reason, isOfOneTap: true)
    }
    return ScenarioNotJudged("\(directory) has no recording of \(name(of: file, number))")
  }

  private func name(of file: ScenarioFile, _ number: Int) -> String {
    file.mark(ofTap: number)?.description ?? "\(file.path), tap \(number)"
  }
}
