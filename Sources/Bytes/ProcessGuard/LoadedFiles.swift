internal import Glibc

/// The files whose code is in the memory of this process.
enum LoadedFiles {
  /// The folders of the program and of its libraries, in the order of the memory.
  static func folders() -> [String] {
    var folders: [String] = []
    for path in paths() {
      guard let end = path.lastIndex(of: "/"), end != path.startIndex else { continue }
      let folder = String(path[..<end])
      if !folders.contains(folder) { folders.append(folder) }
    }
    return folders
  }

  /// The files with executable mappings, each once, in the order of the memory.
  static func paths() -> [String] {
    var paths: [String] = []
    // Bytes: every program reads hundreds of lines at its start, and the boundaries of characters would take most of it.
    for line in (SmallFile.octets("/proc/self/maps") ?? []).split(separator: UInt8(ascii: "\n")) {
      let fields = line.split(separator: UInt8(ascii: " "), maxSplits: 5, omittingEmptySubsequences: true)
      guard fields.count == 6, fields[1].contains(UInt8(ascii: "x")) else { continue }
      let path = String(decoding: fields[5].drop { $0 == UInt8(ascii: " ") }, as: UTF8.self)
      if path.hasPrefix("/"), !paths.contains(path) { paths.append(path) }
    }
    return paths
  }

  /// The path without symbolic links; itself when it does not exist.
  static func resolved(_ path: String) -> String {
    // The call allocates the result, which is freed here.
    guard let real = unsafe realpath(path, nil) else { return path }
    defer { unsafe free(real) }
    return unsafe String(cString: real)
  }
}
