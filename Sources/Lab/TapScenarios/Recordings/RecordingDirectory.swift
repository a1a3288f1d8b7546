internal import Foundation
public import Transcripts
public import POSIX

/// A directory with one recording for each tap of `tap test`.
public struct RecordingDirectory: Sendable {
  /// The directory.
  public let path: String
  private let isReplaced: Bool

  /// Makes the directory, and fails before the first tap when a recording exists and must not be replaced.
  ///
  /// - Parameters:
  ///   - path: The directory.
  ///   - isReplaced: Whether recordings that exist are replaced.
  ///   - files: The scenarios, each with the number of its taps.
  /// - Throws: `FileError` with the reason.
  public init(
    _ path: String, isReplaced: Bool, _ files: [(file: ScenarioFile, count: Int)]
  ) throws(FileError) {
    (self.path, self.isReplaced) = (path, isReplaced)
    do {
      try FileManager.default.createDirectory(atPath: path, withIntermediateDirectories: true)
      let taken = Set(try FileManager.default.contentsOfDirectory(atPath: path))
      for (index, (file, count)) in files.enumerated() {
        for number in 1...count where !isReplaced && taken.contains(Self.name(of: file, index, number)) {
          throw FileError(
            description:
              "\(path) has a \(Self.name(of: file, index, number)) already: --force writes over it, and removes the "
              + "other recordings of tests",
            code: .exists)
        }
      }
    } catch let error as FileError {
      throw error
    } catch { throw FileError(writing: path, error) }
    guard FileManager.default.isWritableFile(atPath: path) else {
      throw FileError(description: "\(path) cannot be written", code: .refused)
    }
  }

  /// Makes the directory for a run that goes on where an earlier one ended: its recordings may be written again.
  ///
  /// - Throws: `FileError` with the reason.
  public init(continuing path: String) throws(FileError) {
    try self.init(path, isReplaced: true, [])
  }

  /// Removes the recordings of tests that earlier runs have made, in the directory and in its folders, so that none is taken
  /// for one of a new run: `RecordingTree` finds them there. Recordings of other commands, other files, links and all folders
  /// stay.
  ///
  /// - Throws: `FileError` with the reason.
  public func removeTests() throws(FileError) {
    do {
      for name in try RecordingTree.transcripts(in: path) {
        let file = URL(filePath: path).appending(path: name).relativePath
        guard Self.isTest(file) else { continue }
        try FileManager.default.removeItem(atPath: file)
      }
    } catch { throw FileError(writing: path, error) }
  }

  /// Returns whether a file, and not a link, is the recording of a test, whole or damaged.
  private static func isTest(_ file: String) -> Bool {
    let type = try? FileManager.default.attributesOfItem(atPath: file)[.type] as? FileAttributeType
    guard type == .typeRegular, let octets = try? InputFile.read(file) else { return false }
    return TapMark(searching: octets) != nil
  }

  /// Writes the recording of a tap.
  ///
  /// - Parameters:
  ///   - index: The place of the scenario, from 0.
  ///   - number: The number of its tap, from 1.
  ///   - earlier: The recording that an earlier run has made of the tap, which is replaced; nil for none.
  /// - Returns: Where.
  /// - Throws: `FileError` with the reason.
  public func write(
    _ transcript: Transcript, of file: ScenarioFile, _ index: Int, _ number: Int, over earlier: String? = nil
  ) throws(FileError) -> String {
    let place = earlier ?? URL(filePath: path).appending(path: Self.name(of: file, index, number)).relativePath
    try OutputFile(path: place, isReplaced: isReplaced || earlier != nil).write(transcript.text.utf8)
    return place
  }

  /// The recordings in a directory for the taps of a scenario, in alphabetical order: those that `init` made of this
  /// scenario, or all when the directory has no such recordings.
  ///
  /// - Returns: No path when the directory has recordings of other scenarios only, and nil when there is no directory.
  /// - Throws: `FileError` when the directory cannot be read or has no recording.
  public static func recordings(at path: String, of file: ScenarioFile) throws(FileError) -> [String]? {
    guard InputFile.isDirectory(path) else { return nil }
    let all = try RecordingTree.files([path])
    let scenarios = all.map { scenario(of: URL(filePath: $0).lastPathComponent) }
    let own = zip(all, scenarios).filter { $0.1 == file.plainName }.map(\.0)
    return own.isEmpty && scenarios.allSatisfy { $0 == nil } ? all : own
  }

  /// Returns whether a file has the name that a recording of a tap gets, whatever the place of its scenario was.
  public static func isRecording(_ path: String, ofTap number: Int, of file: ScenarioFile) -> Bool {
    let (name, end) = (URL(filePath: path).lastPathComponent, Self.name(of: file, 0, number).dropFirst("01".count))
    let place = name.dropLast(end.count)
    return name.hasSuffix(end) && place.count >= 2 && place.utf8.allSatisfy { (0x30...0x39).contains($0) }
  }

  /// The plain name of the scenario in the name of a recording; nil for another name.
  private static func scenario(of name: String) -> String? {
    let parts = name.dropLast(".txt".count).split(separator: "-", omittingEmptySubsequences: false)
    guard parts.count >= 3, let first = parts.first, let last = parts.last, first.count >= 2, last.count >= 4,
      (first + last).utf8.allSatisfy({ (0x30...0x39).contains($0) })
    else { return nil }
    return parts.dropFirst().dropLast().joined(separator: "-")
  }

  /// Such as `01-visa-low-value-0001.txt`: in the order of the taps. The identifier of a scenario that has one keeps
  /// scenarios of the same name apart that other runs with the directory have at the same place.
  private static func name(of file: ScenarioFile, _ index: Int, _ number: Int) -> String {
    let id = file.scenario.packTest.map { "-" + ScenarioFile.plain($0.id) } ?? ""
    return "\(padded(index + 1, 2))-\(file.plainName)\(id)-\(padded(number, 4)).txt"
  }

  private static func padded(_ number: Int, _ count: Int) -> String {
    String(repeating: "0", count: max(0, count - String(number).count)) + String(number)
  }
}
