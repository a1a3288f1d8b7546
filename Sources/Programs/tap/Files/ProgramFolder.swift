import Foundation

/// The folder in which this program is.
enum ProgramFolder {
  /// Its location, links resolved.
  static var url: URL { URL(filePath: "/proc/self/exe").resolvingSymlinksInPath().deletingLastPathComponent() }
}
