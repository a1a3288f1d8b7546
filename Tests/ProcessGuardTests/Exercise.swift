import Foundation
import Glibc
import TestSupport
import Testing

/// `guard-exercise` as a user of its own, which waits for orders.
final class Exercise {
  static let folder = URL(filePath: "/proc/self/exe").resolvingSymlinksInPath().deletingLastPathComponent()
  /// The hardened and sealed program of `tools/reproducible guard-exercise`, which CI names; nil: the one of this build.
  static let hardened = ProcessInfo.processInfo.environment["CONTACTLESS_GUARD_EXERCISE"]
  static let program = hardened ?? folder.appending(path: "guard-exercise").path
  /// The programs of the package: those of the folder in CONTACTLESS_PROGRAMS, such as hardened ones, or those of this build.
  static let programs = ProcessInfo.processInfo.environment["CONTACTLESS_PROGRAMS"].map { URL(filePath: $0) } ?? folder
  /// Whether the program of a test has a seal: a hardened one always has.
  static let seals = hardened == nil ? [false, true] : [true]
  /// Users without a name, apart from those of other tests.
  static let user = "4246"
  static let neighbour = "4247"

  let scratch: Scratch
  let run: ProgramRun
  /// Where the secret is in the memory of the program.
  let address: String
  private let input: Int32

  static let secret = "4711081547110815"

  /// Starts a copy of the program in a folder of the user.
  ///
  /// - Parameters:
  ///   - place: The words before the program, which change what it sees of the machine.
  ///   - change: Changes the copy, named by its path, before it starts.
  init(
    _ arguments: [String] = [], environment: [String: String] = [:], user: String = user, place: [String] = [],
    change: (Scratch) throws -> Void = { _ in }
  ) throws {
    scratch = try Scratch()
    try Self.succeed("cp", [Self.program, scratch.path("program")])
    try change(scratch)
    try Self.succeed("chown", ["-R", "\(user):\(user)", scratch.directory.path])
    let (reading, writing) = try Self.pipe()
    input = writing
    let environment = environment.merging(try Self.runtimeVariables) { $1 }
    let openness = arguments.contains("--unguarded") ? try Yama.opening : []
    run = try ProgramRun(
      "env",
      place + ["setpriv"] + Self.become(user) + openness + ["env"] + environment.map { "\($0)=\($1)" } + [
        scratch.path("program")
      ]
        + arguments,
      descriptors: [0: reading])
    close(reading)
    try #require(run.wait(timeout: .seconds(60)) { $0.output.contains("ready ") }, "\(run.errors)")
    let line = try #require(run.output.split(separator: "\n").first { $0.hasPrefix("ready ") })
    address = String(line.dropFirst("ready ".count))
  }

  deinit { close(input) }

  /// The variables with which the program finds the Swift runtime: a hardened one looks in the place of a package.
  static var runtimeVariables: [String: String] {
    get throws { hardened == nil ? [:] : ["LD_LIBRARY_PATH": try runtime] }
  }

  /// The folder of the Swift runtime of this process.
  private static var runtime: String {
    get throws {
      let libraries = try output("ldd", [folder.appending(path: "guard-exercise").path])
      let line = try #require(
        libraries.split(separator: "\n").first { $0.contains("/libswiftCore.so") }, "\(libraries)")
      let path = try #require(line.split(separator: " ").first { $0.hasPrefix("/") }.map(String.init))
      return URL(filePath: path).deletingLastPathComponent().path
    }
  }

  /// The arguments of setpriv.
  static func become(_ user: String) -> [String] { ["--reuid", user, "--regid", user, "--clear-groups"] }

  /// Sends an order, and returns its result.
  func order(_ line: String, timeout: Duration = .seconds(120)) throws -> String {
    let before = run.output.split(separator: "\n").count
    try send(line)
    try #require(
      run.wait(timeout: timeout) { $0.output.split(separator: "\n").count > before },
      "no result of \(line): \(run.output) \(run.errors)")
    return String(run.output.split(separator: "\n")[before].dropFirst(line.count + 2))
  }

  /// Sends an order.
  func send(_ line: String) throws {
    let octets = Array((line + "\n").utf8)
    try #require(write(input, octets, octets.count) == octets.count)
  }

  /// Runs a program as a user, and returns what it printed.
  static func attack(as user: String = user, _ words: [String]) throws -> (code: ProgramRun.Ending, text: String) {
    let run = try ProgramRun("setpriv", become(user) + words)
    let code = try run.finish(timeout: .seconds(120))
    return (code, run.output + run.errors)
  }

  static func succeed(_ program: String, _ arguments: [String]) throws {
    let run = try ProgramRun(program, arguments)
    #expect(try run.finish() == .exited(0), "\(program): \(run.errors)")
  }

  /// Both ends of a pipe, above the numbers that a child is given.
  static func pipe() throws -> (reading: Int32, writing: Int32) {
    var ends: [Int32] = [-1, -1]
    try #require(Glibc.pipe(&ends) == 0)
    defer { ends.forEach { close($0) } }
    return (fcntl(ends[0], F_DUPFD_CLOEXEC, 10), fcntl(ends[1], F_DUPFD_CLOEXEC, 10))
  }
}
