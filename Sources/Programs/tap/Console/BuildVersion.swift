import Octets

/// The version of the program, and what it was built with.
enum BuildVersion {
  /// Such as `0.2.0`.
  static var number: String { ProjectVersion.number }

  /// What a report of results names.
  static var properties: [(name: String, value: String)] {
    [("version", number), ("build", "\(build) build, \(compiler), \(architecture)")]
  }

  static var build: String {
    #if DEBUG
      "debug"
    #else
      "release"
    #endif
  }

  static var compiler: String {
    #if compiler(>=6.4)
      "Swift 6.4 or newer"
    #else
      "Swift 6.3"
    #endif
  }

  static var architecture: String {
    #if arch(x86_64)
      "x86_64"
    #elseif arch(arm64)
      "arm64"
    #else
      "another architecture"
    #endif
  }
}
