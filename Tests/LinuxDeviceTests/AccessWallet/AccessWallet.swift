import DeviceAuthentication
import Fixtures
import Foundation
import JSON
import TestSupport
import Testing

/// `tap-wallet` of a user without privileges on the device of a Linux machine, and a `tap-server` of root.
final class AccessWallet: Sendable {
  static let password = "Abcdefgh1"
  static let pin = "7413"
  private static let user = "alice@example.org"

  let device: LinuxScenarioDevice
  private let scratch: Scratch
  private let server: ProgramRun
  private let connection: [String]

  init() throws {
    device = try LinuxScenarioDevice(changesWhileStopped: false)
    scratch = try Scratch()
    let card = String(decoding: try Fixtures.data("Cards/visa-cvn18.json"), as: UTF8.self)
    let configuration = try scratch.write(
      "configuration.json", #"{"cards": [\#(card)], "uses": 4, "threshold": 1}"#)
    server = try ProgramRun(
      DeviceProgram.folder.appending(path: "tap-server").path,
      [
        "serve", "--listen", "127.0.0.1:0", "--database", "sqlite:" + scratch.path("server.sqlite"), "--self-signed",
        scratch.path("server"), "--configuration", configuration,
      ])
    guard server.wait(timeout: .seconds(600), until: { $0.output.contains("\n") }) else {
      throw MissingComponent(description: "tap-server does not start: \(server.errors)")
    }
    let ready = try JSONValue(parsing: Array(server.output.utf8))
    let (url, authority) = (try #require(ready["url"]?.text), try #require(ready["ca"]?.text))
    let home = "/home/\(PrivateMachine.user)"
    connection = [
      "--state", "\(home)/wallet", "--server", url, "--ca", "\(home)/ca.pem", "--device",
      "linux:\(device.program.socket)",
    ]
    try give(authority, as: "ca.pem")
  }

  deinit {
    server.signal(SIGKILL)
    _ = server.wait(timeout: .seconds(60))
  }

  /// Copies a file into the home of the user.
  private func give(_ path: String, as name: String) throws {
    try device.program.machine.shell("install -m 600 -o \"$1\" -g \"$1\" '\(path)' \"/home/$1/\(name)\"")
  }

  private func give(_ json: JSONValue, as name: String) throws { try give(scratch.write(name, json.compact), as: name) }

  /// Sets the passcode and enrols a finger. The person presents it whenever the sensor waits for one.
  func setUp() async throws {
    try await device.setUser(.approve)
    for change in [.setPasscode, .enrolBiometric] as [DeviceChange] { try await device.apply(change) }
  }

  /// Runs a command of the wallet.
  func run(_ command: String..., answers: [String: String] = [:]) throws -> Output {
    try run(command, answers: answers)
  }

  /// Runs a command of the wallet.
  func run(_ command: [String], answers: [String: String]) throws -> Output {
    var arguments = command + connection + ["--format", "json"]
    if !answers.isEmpty {
      try give(JSONValue(members: answers.map { ($0, [JSONValue($1)]) }), as: "answers.json")
      arguments += ["--answers", "/home/\(PrivateMachine.user)/answers.json"]
    }
    let program = PrivateMachine.shared(DeviceProgram.folder.appending(path: "tap-wallet").path)
    return try Output(UserPrograms(linux: device).run(program, arguments))
  }

  /// Enrols a wallet, which logs in.
  func enrol() throws -> Output {
    let answers: JSONValue = [
      ["questionId": "pet", "answer": "Rex"], ["questionId": "town", "answer": "Bern"],
    ]
    try give(
      [
        "firstName": "Alice", "lastName": "Example", "email": JSONValue(Self.user), "phone": "+41 44 123 45 67",
        "password": JSONValue(Self.password), "passcode": JSONValue(Self.pin),
        "additionalCustomerInformation": ["branch": "Bern"], "answers": answers,
      ], as: "profile.json")
    return try run("enrol", "--profile", "/home/\(PrivateMachine.user)/profile.json")
  }

  func logIn(_ options: String...) throws -> Output {
    try run(
      ["login", "--password", "--account", Self.user] + options,
      answers: ["password": Self.password, "answer:pet": "Rex", "answer:town": "Bern"])
  }

  /// What a command printed, and how it ended.
  struct Output {
    let code: Int32?
    let text: String
    let events: [JSONValue]

    init(_ run: TapRun) throws {
      (code, text) = (run.code, run.output + run.errors + run.terminal)
      events = try run.output.split(separator: "\n").map { try JSONValue(parsing: Array($0.utf8)) }
    }

    /// The last line.
    var last: JSONValue { events.last ?? JSONValue(.null) }
    /// The code of the error in the last line; nil when it names a success.
    var errorCode: String? { last["error"]?["code"]?.text }
  }
}
