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

  /// The paths that begin like the one that is typed: files with one of the endings, and folders with a slash.
  static func paths(
    _ typed: String, endingIn endings: [String], where isOffered: (String) -> Bool = { _ in true }
  ) -> [String] {
    let folder = typed.lastIndex(of: "/").map { String(typed[...$0]) } ?? ""
    let place = folder.isEmpty ? "." : NSString(string: folder).expandingTildeInPath
    let names = (try? FileManager.default.contentsOfDirectory(atPath: place)) ?? []
    return names.filter(isPlain).sorted().compactMap { name in
      var isFolder: ObjCBool = false
      let path = "\(place)/\(name)"
      guard unsafe FileManager.default.fileExists(atPath: path, isDirectory: &isFolder) else { return nil }
      if isFolder.boolValue { return "\(folder)\(name)/" }
      return endings.contains { name.hasSuffix($0) } && isOffered(path) ? folder + name : nil
    }
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
