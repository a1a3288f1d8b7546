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
    for line in (SmallFile.text("/proc/self/maps") ?? "").split(separator: "\n") {
      let fields = line.split(separator: " ", maxSplits: 5, omittingEmptySubsequences: true)
      guard fields.count == 6, fields[1].contains("x") else { continue }
      let path = String(fields[5].drop { $0 == " " })
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
