import Foundation
import Glibc
import JSON
import TestSupport
import Testing

/// Both programs, with a user who enrols a wallet.
struct WalletPrograms {
  static let user = "alice@example.org"
  private let programs: AccessPrograms

  /// Starts the server. The parameters are those of `AccessPrograms`.
  init(_ configuration: String? = nil, faults: String = "[]", hashing: String = "minimal") throws {
    programs = try AccessPrograms(configuration: configuration, faults: faults, hashing: hashing)
  }

  var scratch: Scratch { programs.scratch }
  var state: String { programs.state }
  var url: String { programs.url }
  var authority: String { programs.authority }

  static func profile(_ email: String) -> String {
    """
    {"firstName": "Alice", "lastName": "Example", "email": "\(email)", "phone": "+41 44 123 45 67",
     "password": "Abcdefgh1", "passcode": "7413", "additionalCustomerInformation": {"branch": "Bern"},
     "answers": [{"questionId": "pet", "answer": "Rex"}, {"questionId": "town", "answer": "Bern"}]}
    """
  }

  /// Starts a command without waiting for its end.
  func start(_ command: String..., format: String = "json") throws -> ProgramRun {
    try programs.start(command, format: format)
  }

  func run(
    _ command: String..., answers: [String: [String]] = [:], isFirst: Bool = false
  ) throws -> WalletOutput {
    try run(command, answers: answers, isFirst: isFirst)
  }

  func run(
    _ command: [String], answers: [String: [String]] = [:], isFirst: Bool = false
  ) throws -> WalletOutput {
    try WalletOutput(programs.start(command, answers: answers, isFirst: isFirst))
  }

  /// Runs a command in another folder, which the command names.
  func runElsewhere(_ command: [String], _ answers: [String: [String]]) throws -> WalletOutput {
    let file = try scratch.write("\(UUID().uuidString).json", Self.json(answers))
    return try WalletOutput(
      ProgramRun(AccessPrograms.path("tap-wallet"), command + ["--answers", file, "--format", "json"]))
  }

  /// Runs a command in a process with a preloaded library.
  func runPreloaded(_ command: [String], _ answers: [String: [String]]) throws -> WalletOutput {
    let file = try scratch.write("\(UUID().uuidString).json", Self.json(answers))
    return try WalletOutput(
      ProgramRun(
        "env",
        ["LD_PRELOAD=libm.so.6", AccessPrograms.path("tap-wallet")] + command
          + ["--state", state, "--answers", file, "--format", "json"]))
  }

  private static func json(_ answers: [String: [String]]) -> String {
    JSONValue(members: answers.map { ($0, JSONValue($1.map { JSONValue($0) })) }).compact
  }

  /// Enrols a wallet on this device.
  func enrol(_ email: String = user, _ options: String...) throws -> WalletOutput {
    let file = try scratch.write("\(UUID().uuidString).json", Self.profile(email))
    return try WalletOutput(programs.start(["enrol", "--profile", file] + options, isFirst: true))
  }

  /// Enrols a wallet and logs out.
  func link() throws {
    let enrolment = try enrol()
    try #require(enrolment.code == 0, "\(enrolment.text)")
    try #require(try run("logout").code == 0)
  }

  /// Logs in by password.
  ///
  /// - Parameter answer: The answer to the question of the pet; the one of the town is always right.
  func logIn(password: String, answer: String? = nil, _ options: String...) throws -> WalletOutput {
    var answers = ["password": [password]]
    if let answer { (answers["answer:pet"], answers["answer:town"]) = ([answer], [answer == "Fido" ? "Fido" : "Bern"]) }
    return try WalletOutput(
      programs.start(["login", "--password", "--account", Self.user] + options, answers: answers))
  }

  /// Opens the wallet as an application.
  ///
  /// - Parameters:
  ///   - lines: What the person enters, as lines of a pipe.
  ///   - answers: What a file answers.
  func open(_ lines: [String], answers: [String: [String]] = [:], isFirst: Bool = false) throws -> WalletOutput {
    let file = try scratch.write("\(UUID().uuidString).txt", lines.map { $0 + "\n" }.joined())
    let opened = Glibc.open(file, O_RDONLY | O_CLOEXEC)
    // Above the numbers that a child gets.
    let descriptor = fcntl(opened, F_DUPFD_CLOEXEC, 10)
    close(opened)
    defer { close(descriptor) }
    return try WalletOutput(
      programs.start(["open"], answers: answers, isFirst: isFirst, terminal: descriptor))
  }

  /// Opens the wallet at a terminal, or without one.
  func startOpen(_ options: String..., format: String = "json", terminal: Int32? = nil) throws -> ProgramRun {
    try programs.start(["open"] + options, format: format, terminal: terminal)
  }

  func advance(seconds: Int) throws { try programs.advance(seconds: seconds) }

  func restartServer() throws { try programs.restartServer() }

  func endServer() throws -> ProgramRun.Ending { try programs.endServer() }

  /// Runs a command of the operator.
  @discardableResult
  func operate(_ command: String...) throws -> String { try programs.operate(command) }

  /// The identifier of this device, as the operator sees it.
  func deviceID() throws -> String {
    let devices = try run("accounts").events.filter { $0["event"]?.text == "device" }
    return try #require(devices.first?["deviceId"]?.text)
  }
}

extension WalletOutput {
  /// The screens, in their order.
  var screens: [String] { events.filter { $0["event"]?.text == "screen" }.compactMap { $0["screen"]?.text } }

  /// The ends of the commands, in their order: their codes of errors, or their names.
  var ends: [String] {
    events.compactMap { event in
      switch event["event"]?.text {
      case "succeeded": event["operation"]?.text
      case "failed": event["error"]?["code"]?.text
      default: nil
      }
    }
  }

  /// What is allowed on a device without a wallet.
  static let onWelcome = ["enrol", "login", "forgot", "lost"]
  /// What is allowed in a session.
  static let inWallet = [
    "pay", "cards", "replenish", "history", "biometric", "timeout", "change-pin", "profile", "lost", "logout", "unlink",
  ]

  /// What the status allows.
  var allowed: [String] { last["allowed"]?.list?.compactMap(\.text) ?? [] }
}
