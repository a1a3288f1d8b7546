/// The environment with which this process was started.
enum StartEnvironment {
  /// Reads it; nil when it cannot be read, or has more than 4 MiB.
  static func read() -> String? { SmallFile.octets("/proc/self/environ").map(withoutValues) }

  /// Drops the values, which can be secrets, except for those of the variables that load libraries. An entry that is no
  /// variable stays, without its text.
  static func withoutValues(_ octets: [UInt8]) -> String {
    octets.split(separator: 0, omittingEmptySubsequences: false).dropLast().map { entry in
      guard let end = entry.firstIndex(of: UInt8(ascii: "=")) else { return "\0" }
      let name = String(decoding: entry[..<end], as: UTF8.self)
      return (name == "LD_PRELOAD" || name == "LD_AUDIT" ? String(decoding: entry, as: UTF8.self) : "\(name)=") + "\0"
    }.joined()
  }
}
