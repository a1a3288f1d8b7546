import Foundation
import Glibc
import TestSupport
import Testing

/// What the kernel shows of the programs of this package while they wait.
@Suite("The protection of the programs", .blocks, .timeLimit(.minutes(20)))
struct ProgramProtectionTests {
  /// A program that waits for its input or for clients.
  struct Waiting: CustomTestStringConvertible, Sendable {
    let name: String
    let arguments: [String]
    var isRestricted = false
    var testDescription: String { name }
  }

  static let programs = [
    Waiting(name: "tap", arguments: ["shell", "--reader", "loopback:DIR/card.json"]),
    Waiting(name: "tap-wallet", arguments: ["authorize", "--server", "https://127.0.0.1:1"]),
    Waiting(name: "tap-authorize", arguments: ["--server", "https://127.0.0.1:1"]),
    Waiting(
      name: "tap-server",
      arguments: ["--listen", "127.0.0.1:0", "--database", "memory", "--self-signed", "DIR/identity"],
      isRestricted: true),
    Waiting(
      name: "tap-device",
      arguments: ["serve", "--user", "root", "--socket", "DIR/socket", "--state", "DIR/state"], isRestricted: true),
    Waiting(name: "tap-nfc", arguments: [], isRestricted: true),
  ]

  @Test(arguments: programs) func `a waiting program is protected`(_ program: Waiting) throws {
    try #require(getuid() == 0, "only root can become another user: run the tests as root")
    let scratch = try Scratch()
    try Exercise.succeed("cp", [Exercise.folder.appending(path: program.name).path, scratch.path(program.name)])
    let root = URL(filePath: #filePath).deletingLastPathComponent().appending(path: "../..").standardized
    let card = root.appending(path: "Fixtures/Cards/visa-cvn18.json").path
    try Exercise.succeed("cp", [card, scratch.path("card.json")])
    try Exercise.succeed("chown", ["-R", "\(Exercise.user):\(Exercise.user)", scratch.directory.path])
    var ends: [Int32] = [-1, -1]
    try #require(socketpair(AF_UNIX, Int32(SOCK_STREAM.rawValue), 0, &ends) == 0)
    let (own, child) = (fcntl(ends[0], F_DUPFD_CLOEXEC, 10), fcntl(ends[1], F_DUPFD_CLOEXEC, 10))
    ends.forEach { close($0) }
    defer { close(own) }
    let arguments = program.arguments.map { $0.replacing("DIR", with: scratch.directory.path) }
    let run = try ProgramRun(
      "setpriv", Exercise.become(Exercise.user) + [scratch.path(program.name)] + arguments, descriptors: [0: child])
    close(child)
    let folder = "/proc/\(run.identifier)"
    // The environment of a process that can be dumped belongs to its user.
    let isProtected = run.wait(timeout: .seconds(60)) { _ in
      Self.value("Name", folder) == String(program.name.prefix(15)) && Self.value("NoNewPrivs", folder) == "1"
        && Self.value("Seccomp", folder) == (program.isRestricted ? "2" : "0")
    }
    #expect(isProtected, "\(Self.text("\(folder)/status")) \(run.errors)")
    #expect(run.poll() == nil, "it ended: \(run.errors)")
    let owner = try FileManager.default.attributesOfItem(atPath: "\(folder)/environ")[.ownerAccountID] as? NSNumber
    #expect(owner == 0)
    let core = Self.text("\(folder)/limits").split(separator: "\n").first { $0.hasPrefix("Max core file size") }
    #expect(core?.split(separator: " ").dropFirst(4).prefix(2) == ["0", "0"])
    #expect(!run.errors.contains("does not prevent"), "\(run.errors)")
  }

  private static func text(_ path: String) -> String { (try? String(contentsOfFile: path, encoding: .utf8)) ?? "" }

  private static func value(_ name: String, _ folder: String) -> String? {
    text("\(folder)/status").split(separator: "\n").first { $0.hasPrefix("\(name):\t") }.map {
      String($0.dropFirst(name.count + 2))
    }
  }
}
