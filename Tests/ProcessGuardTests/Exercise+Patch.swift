import Foundation
import Glibc
import TestSupport
import Testing

extension Exercise {
  /// A value of the status of the program in /proc.
  func status(_ name: String) -> String? {
    let text = (try? String(contentsOfFile: "/proc/\(run.identifier)/status", encoding: .utf8)) ?? ""
    return text.split(separator: "\n").first { $0.hasPrefix("\(name):\t") }.map { String($0.dropFirst(name.count + 2)) }
  }

  /// Where the program begins in memory.
  func base() throws -> UInt64 { try Self.base(of: scratch.path("program"), in: run.identifier) }

  /// Where a program begins in the memory of a process.
  static func base(of path: String, in process: pid_t) throws -> UInt64 {
    let maps = try String(contentsOfFile: "/proc/\(process)/maps", encoding: .utf8)
    let line = try #require(maps.split(separator: "\n").first { $0.hasSuffix(path) }, "\(maps)")
    return try #require(line.split(separator: "-").first.flatMap { UInt64($0, radix: 16) })
  }

  /// The address of a symbol of the Swift runtime in the program.
  func runtimeSymbol(_ name: String) throws -> UInt64 {
    let maps = try Self.output("cat", ["/proc/\(run.identifier)/maps"])
    let line = try #require(maps.split(separator: "\n").first { $0.contains("/libswiftCore.so") }, "\(maps)")
    let path = try #require(line.split(separator: " ").last.map(String.init))
    let base = try #require(line.split(separator: "-").first.flatMap { UInt64($0, radix: 16) })
    let symbols = try Self.output("nm", ["-D", path]).split(separator: "\n").map { $0.split(separator: " ") }
    let row = try #require(symbols.first { $0.count == 3 && $0[2] == name })
    return base + (try #require(UInt64(row[0], radix: 16)))
  }

  /// The address of a function, without the base.
  func symbol(_ name: String) throws -> UInt64 { try Self.symbol(name, in: scratch.path("program")) }

  /// Writes into the memory of the program as root does: also where the program itself cannot write.
  func patchMemory(at address: UInt64, _ octets: [UInt8]) throws {
    try Self.patchMemory(of: run.identifier, at: address, octets)
  }

  /// Writes into the memory of a process.
  static func patchMemory(of process: pid_t, at address: UInt64, _ octets: [UInt8]) throws {
    let file = open("/proc/\(process)/mem", O_RDWR | O_CLOEXEC)
    try #require(file >= 0)
    defer { close(file) }
    try #require(pwrite(file, octets, octets.count, off_t(address)) == octets.count)
  }

  /// Replaces the first bytes of a function in a file.
  static func patch(_ path: String, _ name: String, _ octets: [UInt8]) throws {
    let place = try symbol(name, in: path)
    let lines = try output("readelf", ["-lW", path]).split(separator: "\n").map { $0.split(separator: " ") }
    let segments = lines.filter { $0.first == "LOAD" }.map { columns in
      columns[1...5].compactMap { UInt64($0.dropFirst(2), radix: 16) }
    }
    let segment = try #require(segments.first { $0[1] <= place && place < $0[1] + $0[3] })
    let file = try FileHandle(forUpdating: URL(filePath: path))
    try file.seek(toOffset: place - segment[1] + segment[0])
    try file.write(contentsOf: octets)
    try file.close()
  }

  /// Seals a program as the last step of a package does.
  static func seal(_ path: String) throws {
    let root = URL(filePath: #filePath).deletingLastPathComponent().appending(path: "../..")
    try succeed(root.appending(path: "tools/seal").path, [path])
  }

  static func output(_ program: String, _ arguments: [String]) throws -> String {
    let run = try ProgramRun(program, arguments)
    #expect(try run.finish() == .exited(0), "\(program): \(run.errors)")
    return run.output
  }

  /// The address of the only function whose name contains a text, closures left out.
  static func symbol(_ name: String, in path: String) throws -> UInt64 {
    // The symbols of a hardened program are beside its folder. The other programs are those of this build.
    let symbols =
      path.hasPrefix(folder.path)
      ? nil
      : hardened.map {
        URL(filePath: $0).deletingLastPathComponent().appending(path: "../symbols/guard-exercise.debug").path
      }
    let listed = try output("sh", ["-c", "nm \"$1\" | grep -F -e \"$2\"", "sh", symbols ?? path, name])
    let lines = listed.split(separator: "\n").map { $0.split(separator: " ") }
    let found = lines.filter {
      $0.count == 3 && "tT".contains($0[1])
        && ($0[2] == name || ($0[2].contains(name) && ($0[2].hasSuffix("F") || $0[2].hasSuffix("FZ"))))
    }
    try #require(found.count == 1, "\(name): \(found)")
    return try #require(UInt64(found[0][0], radix: 16))
  }
}
