import Documents
import Foundation
import POSIX

/// The examples that an installation brings: the folders of `Fixtures` with cards, terminals, scenarios, recordings and
/// schemas.
struct InstalledExamples {
  /// The folder of the examples, with a folder for each kind.
  let folder: String

  /// The examples of this program's installation: `share/contactless` beside the folder of the program. Nil for a program
  /// that is not installed with examples, such as one in the folder of a build.
  static let ofThisProgram: InstalledExamples? = {
    let folder = placeOfThisProgram
    return InputFile.isDirectory(folder) ? InstalledExamples(folder: folder) : nil
  }()

  /// Where the examples of this program are looked for.
  static var placeOfThisProgram: String {
    ProgramFolder.url.deletingLastPathComponent().appending(path: "share/contactless").path
  }

  /// The file or folder of an example. Its name is the path below the folder of the examples; `Fixtures/` before it is left
  /// out, so that a name in an article has the same meaning inside and outside of the clone.
  ///
  /// - Returns: Nil for every other name.
  func path(of name: String) -> String? {
    guard !name.hasPrefix("/") else { return nil }
    var parts = name.split(separator: "/").filter { $0 != "." }
    if parts.first == "Fixtures" { parts.removeFirst() }
    guard !parts.isEmpty, !parts.contains("..") else { return nil }
    let path = folder + "/" + parts.joined(separator: "/")
    return FileManager.default.fileExists(atPath: path) ? path : nil
  }

  /// The names that a mistyped one most likely means: those with the same last part, or else the nearest one.
  func names(near name: String) -> [String] {
    let names = ((try? FileManager.default.subpathsOfDirectory(atPath: folder)) ?? []).sorted()
    let last = (name as NSString).lastPathComponent
    let equal = names.filter { [$0.lastPart, $0.stem].contains(last) }
    if !equal.isEmpty { return Array(equal.prefix(3)) }
    if let nearest = name.nearest(in: names) { return [nearest] }
    let part = last.nearest(in: names.map(\.lastPart)) ?? last.nearest(in: names.map(\.stem))
    return Array(names.filter { part != nil && [$0.lastPart, $0.stem].contains(part) }.prefix(3))
  }
}

extension String {
  fileprivate var lastPart: String { (self as NSString).lastPathComponent }
  fileprivate var stem: String { (lastPart as NSString).deletingPathExtension }
}
