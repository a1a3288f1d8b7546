internal import Foundation
public import POSIX

/// The recordings that the arguments of a command name.
public enum RecordingTree {
  /// The files, and for a directory the transcripts in it and in its directories, in alphabetical order.
  ///
  /// - Throws: `FileError` for a directory that cannot be read or has no transcript.
  public static func files(_ paths: [String]) throws(FileError) -> [String] {
    var found: [String] = []
    for path in paths { found += try files(path) }
    return found
  }

  private static func files(_ path: String) throws(FileError) -> [String] {
    guard InputFile.isDirectory(path) else { return [path] }
    let names: [String]
    do {
      names = try transcripts(in: path)
    } catch {
      throw FileError(reading: path, error)
    }
    guard !names.isEmpty else {
      throw FileError(description: "\(path) has no transcript: their names end in .txt", code: .notFound)
    }
    return names.map { URL(filePath: path).appending(path: $0).relativePath }
  }

  /// The paths of the transcripts in a directory and in its directories, relative to it, in alphabetical order; none of
  /// hidden ones. A link to a directory is that directory; links in it are not followed.
  static func transcripts(in path: String) throws -> [String] {
    let directory = URL(filePath: path).resolvingSymlinksInPath().path
    return try FileManager.default.subpathsOfDirectory(atPath: directory).filter {
      $0.hasSuffix(".txt") && !$0.hasPrefix(".") && !$0.contains("/.")
    }.sorted()
  }
}
