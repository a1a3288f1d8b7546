/// The environment with which this process was started.
enum StartEnvironment {
  /// Reads it; nil when it cannot be read, or has more than 4 MiB.
  static func read() -> String? { SmallFile.octets("/proc/self/environ").map(withoutValues) }

  /// Drops the values, which can be secrets, except for those of the variables that load libraries. An entry that is no
  /// variable stays, without its text.
  static func withoutValues(_ octets: [UInt8]) -> String {
    octets.split(separator: 0, omittingEmptySubsequences: false).dropLast().map { entry in
      let text = String(decoding: entry, as: UTF8.self)
      guard let end = text.firstIndex(of: "=") else { return "\0" }
      let name = text[..<end]
      return (name == "LD_PRELOAD" || name == "LD_AUDIT" ? text : "\(name)=") + "\0"
    }.joined()
  }
}
