import Foundation
import TapScenarios
import Transcripts

/// A directory with one recording for each tap of `tap test`.
struct RecordingDirectory: Sendable {
  let path: String
  private let isReplaced: Bool

  /// Makes the directory, and fails before the first tap when a recording exists and must not be replaced.
  init(_ path: String, isReplaced: Bool, _ files: [(file: ScenarioFile, count: Int)]) throws {
    (self.path, self.isReplaced) = (path, isReplaced)
    do {
      try FileManager.default.createDirectory(atPath: path, withIntermediateDirectories: true)
      let taken = Set(try FileManager.default.contentsOfDirectory(atPath: path))
      for (index, (file, count)) in files.enumerated() {
        for number in 1...count where !isReplaced && taken.contains(Self.name(of: file, index, number)) {
          throw FileError(
            description:
              "\(path) has a \(Self.name(of: file, index, number)) already: --force writes over it")
        }
      }
    } catch let error as FileError {
      throw error
    } catch { throw FileError(description: "\(path) cannot be written: \(FileError.reason(error))") }
    guard FileManager.default.isWritableFile(atPath: path) else {
      throw FileError(description: "\(path) cannot be written")
    }
  }

  /// Writes the recording of a tap.
  ///
  /// - Returns: Where.
  func write(_ transcript: Transcript, of file: ScenarioFile, _ index: Int, _ number: Int) throws -> String {
    let place = URL(filePath: path).appending(path: Self.name(of: file, index, number)).relativePath
    try OutputFile(path: place, isReplaced: isReplaced).write(transcript.text.utf8)
    return place
  }

  /// Such as `01-visa-low-value-0001.txt`: in the order of the taps.
  private static func name(of file: ScenarioFile, _ index: Int, _ number: Int) -> String {
    "\(padded(index + 1, 2))-\(file.plainName)-\(padded(number, 4)).txt"
  }

  private static func padded(_ number: Int, _ count: Int) -> String {
    String(repeating: "0", count: max(0, count - String(number).count)) + String(number)
  }
}
