import DeviceAuthentication
import Foundation
import Synchronization
import TestSupport
import Testing

/// A device with wallets that are enrolled and have a card, for one row of the table.
protocol TablePlace: Sendable {
  /// The options of a command for the device; empty for the device in the folder of the wallet.
  var deviceOptions: [String] { get }

  /// The folder of the wallet of a command.
  func folder(of command: TableCommand) -> String
  /// Writes a file that the programs can read. Returns its path.
  func file(_ name: String, _ text: String) throws -> String
  /// Starts a program beside the test program.
  func start(_ program: String, _ arguments: [String]) throws -> TableRun
  /// Changes the settings of the device.
  func apply(_ changes: [DeviceChange]) async throws
}

/// A run of a program; on a Linux machine at a terminal of its own, with a person who enters the passcode.
final class TableRun: Sendable {
  let program: ProgramRun
  private let typist: Typist?

  init(_ program: ProgramRun, _ typist: Typist? = nil) {
    self.program = program
    self.typist = typist
  }

  deinit { typist?.stop() }

  /// All that it has printed.
  var text: String { program.output + program.errors + (typist?.output ?? "") }

  /// Waits for its end. Returns `TableResult.done`, or the code of the first error that it has printed.
  func end() throws -> String {
    _ = try program.finish(timeout: .seconds(600))
    for line in program.output.split(separator: "\n") {
      guard let object = try? JSONSerialization.jsonObject(with: Data(line.utf8)) as? [String: Any],
        let code = (object["error"] as? [String: Any])?["code"] as? String
      else { continue }
      return code
    }
    return program.poll() == .exited(0) ? TableResult.done : "exit \(text)"
  }

  /// Stops the process, and returns when it is stopped.
  func stop() throws {
    program.signal(SIGSTOP)
    try #require(program.wait(timeout: .seconds(60)) { Self.isStopped($0.identifier) }, "\(text)")
  }

  func goOn() { program.signal(SIGCONT) }

  private static func isStopped(_ process: pid_t) -> Bool {
    let status = (try? String(contentsOfFile: "/proc/\(process)/stat", encoding: .utf8)) ?? ""
    return status.split(separator: ")").last?.hasPrefix(" T") == true
  }
}

/// Wallets on simulated devices, each a copy of one that was enrolled once. The device is a file in the folder of its wallet.
struct SimulatedPlace: TablePlace {
  private let scratch: Scratch
  let deviceOptions: [String] = []

  /// Copies an enrolled wallet for each command.
  init(copying folder: String) throws {
    scratch = try Scratch()
    for command in TableCommand.allCases {
      try FileManager.default.copyItem(atPath: folder, toPath: scratch.path(command.rawValue))
    }
  }

  /// Enrols a wallet with a card in a folder, on a device with these settings.
  static func enrol(_ folder: String, _ row: DeviceScenario, as user: String, at server: TableServer) throws {
    try FileManager.default.createDirectory(
      atPath: folder, withIntermediateDirectories: true, attributes: [.posixPermissions: 0o700])
    try StoredDevice(path: folder + "/device").apply(row.setUp)
    let commands = [
      [
        "enrol", "--profile", try server.profile(user), "--policy", row.policy.rawValue, "--server", server.url, "--ca",
        server.authority,
      ], ["cards", "add"],
    ]
    for command in commands {
      let run = try ProgramRun(
        DeviceProgram.folder.appending(path: "tap-wallet").path, command + ["--state", folder, "--format", "json"])
      try #require(try run.finish(timeout: .seconds(600)) == .exited(0), "\(run.output)\(run.errors)")
    }
  }

  func folder(of command: TableCommand) -> String { scratch.path(command.rawValue) }

  func file(_ name: String, _ text: String) throws -> String { try scratch.write(name, text) }

  func start(_ program: String, _ arguments: [String]) throws -> TableRun {
    TableRun(try ProgramRun(DeviceProgram.folder.appending(path: program).path, arguments))
  }

  func apply(_ changes: [DeviceChange]) throws {
    for command in TableCommand.allCases { try StoredDevice(path: folder(of: command) + "/device").apply(changes) }
  }
}

/// Wallets of a user without privileges on the device of a Linux machine. The commands beside a payment share its wallet.
struct LinuxPlace: TablePlace {
  private let linux: LinuxScenarioDevice
  /// An issuer for each payment: a device has one wallet at an issuer.
  private let servers: [TableServer]

  /// Enrols a wallet for each payment, which costs some seconds each.
  init(_ row: DeviceScenario, named name: String, at servers: [TableServer]) async throws {
    self.servers = servers
    linux = try LinuxScenarioDevice(changesWhileStopped: false)
    try await linux.setUser(.approve)
    for change in row.setUp { try await linux.apply(change) }
    for (command, server) in zip(TableCommand.payments, servers) {
      let authority = try install(server.authority, as: "\(command.rawValue).pem")
      let profile = try install(server.profile("\(name)-\(command.rawValue)"), as: "\(command.rawValue).json")
      try run(
        ["enrol", "--profile", profile, "--policy", row.policy.rawValue, "--server", server.url, "--ca", authority],
        command)
      try run(["cards", "add"], command)
    }
  }

  var deviceOptions: [String] { ["--device", "linux:\(linux.program.socket)"] }

  private var home: String { "/home/\(PrivateMachine.user)" }

  private func run(_ arguments: [String], _ command: TableCommand) throws {
    let run = try start("tap-wallet", arguments + ["--state", folder(of: command), "--format", "json"] + deviceOptions)
    let end = try run.end()
    try #require(end == TableResult.done, "\(run.text)")
  }

  /// Copies a file into the home of the user.
  private func install(_ path: String, as name: String) throws -> String {
    try linux.program.machine.shell("install -m 600 -o \"$1\" -g \"$1\" '\(path)' \"/home/$1/\(name)\"")
    return "\(home)/\(name)"
  }

  func folder(of command: TableCommand) -> String {
    "\(home)/\(TableCommand.others.contains(command) ? TableCommand.pay.rawValue : command.rawValue)"
  }

  func file(_ name: String, _ text: String) throws -> String {
    try install(servers[0].scratch.write("\(UUID().uuidString)", text), as: name)
  }

  func start(_ program: String, _ arguments: [String]) throws -> TableRun {
    let terminal = try PseudoTerminal()
    let path = PrivateMachine.shared(DeviceProgram.folder.appending(path: program).path)
    let person = linux.person.typist(at: terminal)
    do {
      let run = try linux.program.machine.start(path, arguments, as: PrivateMachine.user, on: terminal)
      return TableRun(run, person)
    } catch {
      person.stop()
      throw error
    }
  }

  func apply(_ changes: [DeviceChange]) async throws {
    for change in changes { try await linux.apply(change) }
  }
}
