import ArgumentParser
import Foundation
import JSON
import POSIX

/// The files and folders that a shell offers.
enum FileCompletion {
  /// The completion of an option that takes a card profile or a personalisation file.
  static var card: CompletionKind {
    .custom { _, _, typed in ReaderCompletion.words(paths(typed, endingIn: [".json", ".txt"], where: mayBeCard)) }
  }

  /// The completion of an argument that takes a file or an installed example with one of the endings, or a folder.
  static func named(endingIn endings: String...) -> CompletionKind {
    .custom { _, _, typed in ReaderCompletion.words(paths(typed, endingIn: endings.isEmpty ? [""] : endings)) }
  }

  /// The paths that begin like the one that is typed: files with one of the endings, and folders with a slash. Those of
  /// installed examples follow.
  static func paths(
    _ typed: String, endingIn endings: [String], where isOffered: (String) -> Bool = { _ in true }
  ) -> [String] {
    let folder = typed.lastIndex(of: "/").map { String(typed[...$0]) } ?? ""
    let place = folder.isEmpty ? "." : NSString(string: folder).expandingTildeInPath
    let own = paths(in: place, named: folder, endings, isOffered)
    guard let examples = InstalledExamples.ofThisProgram,
      let installed = folder.isEmpty ? examples.folder : examples.path(of: folder)
    else { return own }
    return own + paths(in: installed, named: folder, endings, isOffered).filter { !own.contains($0) }
  }

  private static func paths(
    in place: String, named folder: String, _ endings: [String], _ isOffered: (String) -> Bool
  ) -> [String] {
    let names = (try? FileManager.default.contentsOfDirectory(atPath: place)) ?? []
    return names.filter(isPlain).sorted().compactMap { name in
      var isFolder: ObjCBool = false
      let path = "\(place)/\(name)"
      guard unsafe FileManager.default.fileExists(atPath: path, isDirectory: &isFolder) else { return nil }
      if isFolder.boolValue { return "\(folder)\(name)/" }
      return endings.contains { name.hasSuffix($0) } && isOffered(path) ? folder + name : nil
    }
  }

  /// The names of the scenarios in the folders among the words of a command line.
  static func scenarioNames(in words: [String]) -> [String] {
    let paths = words.flatMap { (try? FileManager.default.subpathsOfDirectory(atPath: $0)) ?? [] }
    return paths.map { URL(filePath: $0) }.filter { ["yaml", "yml"].contains($0.pathExtension) }
      .map { $0.deletingPathExtension().lastPathComponent }.filter(isPlain).sorted()
  }

  /// Whether a file can be a card: a terminal profile cannot.
  static func mayBeCard(_ path: String) -> Bool {
    // A pipe would be waited for.
    let type = try? FileManager.default.attributesOfItem(atPath: path)[.type] as? FileAttributeType
    guard path.hasSuffix(".json"), type == .typeRegular, let octets = try? InputFile.text(path),
      let profile = try? JSONValue(parsing: octets)
    else { return true }
    return profile["terminalType"] == nil
  }

  /// Whether a name is neither hidden nor changed by bash, which expands what it is offered.
  private static func isPlain(_ name: String) -> Bool {
    !name.hasPrefix(".") && !name.contains { "$`\\\"'\n".contains($0) }
  }
}
