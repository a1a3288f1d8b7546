import Foundation
import Glibc
@testable import ServerStore
import Synchronization
import TestSupport

/// A PostgreSQL server for tests: a cluster in a directory of its own, which is reached through a Unix socket only. It ends
/// with the test process, however that ends.
final class PostgreSQLServer: Sendable {
  struct Failure: Error, CustomStringConvertible {
    let description: String
  }

  /// The server that tests share. Each test has a schema or a database of its own.
  static let shared = Result { try PostgreSQLServer() }

  private struct Running {
    let program: ProgramRun
    /// The server ends when this is closed.
    let lifeline: Int32
  }

  private static let user = "tester"
  private let programs: String
  /// The directory of its socket and its data.
  let directory: String
  private let running = Mutex<Running?>(nil)
  private let number = Atomic(0)

  /// Makes a cluster and starts its server.
  ///
  /// - Parameter data: An empty directory for the data; nil for one in the directory of the server. The log of changes is
  ///   always in the latter.
  init(data: String? = nil) throws {
    programs = try Self.programDirectory()
    directory = try Self.newDirectory()
    let cluster = data ?? directory + "/data"
    if geteuid() == 0 { try Self.run("chown", ["postgres", directory] + (data.map { [$0] } ?? [])) }
    try FileManager.default.createSymbolicLink(atPath: directory + "/cluster", withDestinationPath: cluster)
    let arguments = [
      programs + "/initdb", "--pgdata", cluster, "--waldir", directory + "/wal", "--username", Self.user, "--auth",
      "trust",
      "--encoding", "UTF8", "--locale", "C", "--no-sync",
    ]
    try Self.run("env", Self.unprivileged + arguments)
    try start()
  }

  /// Copies the data of a server and starts a standby of it, which the primary's commits do not wait for yet.
  init(standbyOf primary: PostgreSQLServer) throws {
    programs = primary.programs
    directory = try Self.newDirectory()
    if geteuid() == 0 { try Self.run("chown", ["postgres", directory]) }
    try Self.run(
      "env",
      Self.unprivileged + [
        programs + "/pg_basebackup", "--host", primary.directory, "--username", Self.user, "--pgdata",
        directory + "/cluster", "--write-recovery-conf", "--checkpoint", "fast", "--no-sync",
      ])
    try start()
  }

  /// Makes the commits of a primary wait for its standby, once that receives them.
  func waitForStandby() throws {
    try sql("ALTER SYSTEM SET synchronous_standby_names = '*'")
    try sql("SELECT pg_reload_conf()")
    while try sql("SELECT count(*) FROM pg_stat_replication WHERE sync_state = 'sync'") == "0" {}
  }

  /// Kills the server as a power failure does.
  func kill() throws {
    let state = try String(contentsOfFile: directory + "/cluster/postmaster.pid", encoding: .utf8)
    guard let number = state.split(separator: "\n").first.flatMap({ pid_t($0) }) else {
      throw Failure(description: "PostgreSQL has no process")
    }
    let children = try String(contentsOfFile: "/proc/\(number)/task/\(number)/children", encoding: .utf8)
    Glibc.kill(number, SIGKILL)
    // The server starts again only when its processes, which end by themselves, have left its memory.
    for child in children.split(separator: " ") {
      while let line = try? String(contentsOfFile: "/proc/\(child)/cmdline", encoding: .utf8), !line.isEmpty {
        usleep(1_000)
      }
    }
    try FileManager.default.removeItem(atPath: directory + "/cluster/postmaster.pid")
    try stop()
  }

  private static func newDirectory() throws -> String {
    let parent = FileManager.default.temporaryDirectory.path
    var template = Array("\(parent)/tap-postgresql-XXXXXX".utf8CString)
    guard mkdtemp(&template) != nil else { throw Failure(description: "cannot make a directory in \(parent)") }
    return String(decoding: template.dropLast().map { UInt8(bitPattern: $0) }, as: UTF8.self)
  }

  deinit {
    try? stop()
    try? FileManager.default.removeItem(atPath: directory)
  }

  /// The programs of the newest PostgreSQL of Debian.
  private static func programDirectory() throws -> String {
    let root = "/usr/lib/postgresql"
    let versions = ((try? FileManager.default.contentsOfDirectory(atPath: root)) ?? []).compactMap { Int($0) }
    let found = versions.sorted().reversed().map { "\(root)/\($0)/bin" }
    guard let programs = found.first(where: { FileManager.default.isExecutableFile(atPath: $0 + "/initdb") }) else {
      throw Failure(description: "PostgreSQL is not installed: run tools/setup --tests")
    }
    return programs
  }

  /// PostgreSQL refuses to run as root.
  private static var unprivileged: [String] {
    geteuid() == 0 ? ["setpriv", "--reuid=postgres", "--regid=postgres", "--clear-groups"] : []
  }

  @discardableResult
  private static func run(_ program: String, _ arguments: [String]) throws -> String {
    let run = try ProgramRun(program, arguments)
    guard try run.finish(timeout: .seconds(300)) == .exited(0) else {
      throw Failure(description: "\(program): \(run.output)\(run.errors)")
    }
    return run.output
  }

  /// Starts the server and waits until it is ready.
  func start() throws {
    var ends: [Int32] = [0, 0]
    guard pipe(&ends) == 0 else { throw Failure(description: "no pipe") }
    let (far, near) = (fcntl(ends[0], F_DUPFD_CLOEXEC, 10), fcntl(ends[1], F_DUPFD_CLOEXEC, 10))
    for end in ends { close(end) }
    defer { close(far) }
    // A line on the pipe stops the server. Its end does too, and removes the directory: the test process has ended.
    let script = """
      directory=$1; shift; "$@" & server=$!
      if read -r line; then kill -INT $server; wait $server; else
      kill -INT $server; wait $server; rm -rf "$directory"; fi
      """
    let program = try ProgramRun(
      "sh",
      ["-c", script, "sh", directory] + Self.unprivileged + [
        programs + "/postgres", "-D", directory + "/cluster/", "-k", directory, "-c", "listen_addresses=", "-c",
        "fsync=off", "-c", "max_connections=200", "-c", "shared_buffers=16MB",
        // In its directory, which is removed: a killed server leaves what it has in /dev/shm.
        "-c", "dynamic_shared_memory_type=mmap",
      ], descriptors: [0: far])
    running.withLock { $0 = Running(program: program, lifeline: near) }
    let state = directory + "/cluster/postmaster.pid"
    guard
      program.wait(
        timeout: .seconds(120),
        until: { _ in
          ((try? String(contentsOfFile: state, encoding: .utf8)) ?? "").contains("ready")
        })
    else { throw Failure(description: "PostgreSQL did not start: \(program.output)\(program.errors)") }
  }

  /// Stops the server, which ends all connections.
  func stop() throws {
    guard let stopped = running.withLock({ $0.take() }) else { return }
    _ = write(stopped.lifeline, "\n", 1)
    close(stopped.lifeline)
    _ = try stopped.program.finish(timeout: .seconds(120))
  }

  /// Runs SQL as the owner of the cluster.
  ///
  /// - Returns: The rows, a line each, with `|` between values.
  @discardableResult
  func sql(_ text: String, in database: String = "postgres") throws -> String {
    let arguments = ["-h", directory, "-U", Self.user, "-d", database, "-XqtA", "-v", "ON_ERROR_STOP=1", "-c", text]
    return try Self.run(programs + "/psql", arguments).trimmingCharacters(in: .newlines)
  }

  /// The URL of a database.
  func url(_ database: String, user: String = PostgreSQLServer.user, _ parameters: String = "") -> String {
    "postgresql://\(user)@/\(database)?host=\(directory)\(parameters)"
  }

  /// Makes an empty schema.
  func newSchema() throws -> (name: String, url: String) {
    let name = "s\(number.add(1, ordering: .relaxed).newValue)"
    try sql("CREATE SCHEMA \(name)")
    return (name, url("postgres", "&options=-csearch_path%3D\(name)"))
  }

  /// Makes an empty database.
  func newDatabase(_ options: String = "") throws -> (name: String, url: String) {
    let name = "d\(number.add(1, ordering: .relaxed).newValue)"
    try sql("CREATE DATABASE \(name) \(options)")
    return (name, url(name))
  }

  /// Lets a user log in by password only.
  func requirePassword(of user: String) throws {
    let file = directory + "/cluster/pg_hba.conf"
    let rules = try String(contentsOfFile: file, encoding: .utf8)
    try "local all \(user) scram-sha-256\n\(rules)".write(toFile: file, atomically: false, encoding: .utf8)
    try sql("SELECT pg_reload_conf()")
  }
}
