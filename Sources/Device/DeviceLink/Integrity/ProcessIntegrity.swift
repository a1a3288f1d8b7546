public import DeviceAuthentication
internal import Glibc
internal import Octets

/// The checks of this process in /proc (proc(5)): a tracer, a preloaded library, executable memory of other files.
public struct ProcessIntegrity: DeviceIntegrity {
  /// Directories whose libraries are those of the system.
  public static let systemDirectories = ["/usr/lib/", "/lib/", "/usr/lib64/", "/lib64/", "/opt/swift/"]

  private let directory: String
  private let trusted: [String]

  /// Describes the checks.
  ///
  /// - Parameters:
  ///   - directory: The directory of the process.
  ///   - trusted: Directories of libraries that may be executable, besides the directory of the program.
  public init(process directory: String = "/proc/self", trusted: [String] = systemDirectories) {
    self.directory = directory
    self.trusted = trusted
  }

  /// Runs the three checks.
  public func findings() -> [IntegrityFinding] {
    checked("status", Self.tracer) + checked("environ", Self.preload)
      + checked("maps") { mappings(in: $0, program: program) }
  }

  private func checked(_ name: String, _ check: (String) -> [IntegrityFinding]) -> [IntegrityFinding] {
    guard let text = Self.text("\(directory)/\(name)") else {
      return [.unchecked("\(directory)/\(name) cannot be read")]
    }
    return check(text)
  }

  static func tracer(in status: String) -> [IntegrityFinding] {
    guard let line = status.split(separator: "\n").first(where: { $0.hasPrefix("TracerPid:") }),
      let process = line.split(whereSeparator: \.isWhitespace).last.flatMap({ Int32($0) })
    else { return [.unchecked("the status of the process names no tracer")] }
    return process == 0 ? [] : [.tracer(process: process)]
  }

  // The environment at the start: a library can remove the variable from the present one.
  static func preload(in environment: String) -> [IntegrityFinding] {
    environment.split(separator: "\0").filter { $0.hasPrefix("LD_PRELOAD=") && $0 != "LD_PRELOAD=" }.map {
      .preload(library: String($0.dropFirst("LD_PRELOAD=".count)))
    }
  }

  func mappings(in maps: String, program: String) -> [IntegrityFinding] {
    let own = program.lastIndex(of: "/").map { String(program[...$0]) } ?? "/"
    return maps.split(separator: "\n").compactMap { line in
      let fields = line.split(separator: " ", maxSplits: 5, omittingEmptySubsequences: true)
      guard fields.count >= 5, fields[1].contains("x") else { return nil }
      let name = fields.count == 6 ? fields[5].trimmingPrefix { $0 == " " } : ""
      if name == "[vdso]" || name == "[vsyscall]" { return nil }
      let isTrusted = (trusted + [own]).contains { name.hasPrefix($0) } && !name.hasSuffix(" (deleted)")
      if isTrusted, !fields[1].contains("w") { return nil }
      return .foreignMapping(name.isEmpty ? "memory without a file" : String(name))
    }
  }

  /// The path of the program; empty when it cannot be read.
  private var program: String {
    var room = [CChar](repeating: 0, count: 4096)
    // The kernel writes at most as many octets as the array has.
    let count = unsafe readlink("\(directory)/exe", &room, room.count)
    return count > 0 ? String(decoding: room.prefix(count).map { UInt8(bitPattern: $0) }, as: UTF8.self) : ""
  }

  /// The text of a file of at most 4 MiB.
  private static func text(_ path: String) -> String? {
    // The call only reads the path.
    let descriptor = unsafe open(path, O_RDONLY | O_CLOEXEC)
    guard descriptor >= 0 else { return nil }
    defer { close(descriptor) }
    var octets: [UInt8] = []
    var room = [UInt8](repeating: 0, count: 65_536)
    while octets.count < 4 << 20 {
      // The kernel writes at most as many octets as the array has.
      let count = unsafe read(descriptor, &room, room.count)
      guard count >= 0 else { return nil }
      if count == 0 { return String(decoding: octets, as: UTF8.self) }
      octets += room[..<count]
    }
    return nil
  }
}
