import DeviceAuthentication
import Foundation
import JSON
import TestSupport
import Testing

/// A state in which a person may run any command.
enum WalletState: String, CaseIterable, Sendable {
  case notRegistered
  case inactive
  case loggedOut
  case loggedIn
  case expired
  case locked
  case lostKey
  case secondIssuer
  case serverGone
  case tooOld
}

/// A folder in one state at a server of its own. Each command gets a copy of the folder, and the server as it was.
struct PreparedState {
  let state: WalletState
  let programs: WalletPrograms
  /// A link to an authentication; nil on a device without an account.
  private(set) var link: String?
  /// The device at the issuer; nil on a device without a wallet.
  private(set) var device: String?
  private let other: WalletPrograms?

  static let account = "alice@example.org"
  private static let pin = "741382"

  /// What the person answers to every prompt.
  private static let answers: [String: [String]] = [
    "account": [account], "authenticator": ["pin", "pin"], "pin": [pin, pin, pin], "oldPin": [pin],
    "newPin": ["852496"],
    "password": ["Abcdefgh1!", "Abcdefgh1!"], "oldPassword": ["Abcdefgh1!"], "newPassword": ["Abcdefgh2!"],
    "confirm": ["yes"], "challenge": ["prompt"], "answer:pet": ["Rex", "Rex"], "answer:town": ["Bern", "Bern"],
    "answer:school": ["Elm"], "answer:street": ["Elm"], "answer:book": ["Emma"],
    "firstName": ["Alice"], "lastName": ["Example"], "email": ["new@example.org"], "phone": ["+41 44 123 45 67"],
  ]

  init(_ state: WalletState) throws {
    self.state = state
    programs = try PaymentStoryTests.programs()
    other = state == .secondIssuer ? try PaymentStoryTests.programs() : nil
    if state != .notRegistered {
      try register()
      try enrol(at: programs)
      if let other { try enrol(at: other) }
      device = try programs.deviceID()
      let text = try programs.operate("dispatch", "authentication", "--account", Self.account, "--channel", "link")
      link = text.split(whereSeparator: \.isWhitespace).first { $0.contains("dispatchTokenResponse=") }.map(String.init)
      try reach()
    }
    try keepServer()
  }

  /// The state after registration, enrolment and a card.
  private func reach() throws {
    switch state {
    case .notRegistered, .loggedIn, .secondIssuer: break
    case .inactive: try programs.operate("wallet", "deactivate", #require(device))
    case .loggedOut: try succeed(["logout"])
    case .expired: try StoredDevice(path: programs.state + "/device").apply([], advancingBy: 900, settingDate: true)
    case .locked: try lock()
    case .lostKey:
      let device = try StoredDevice(path: programs.state + "/device")
      try device.apply([.disableLockScreen])
      try device.apply([.setPasscode, .enrolBiometric])
    case .serverGone: _ = try programs.endServer()
    case .tooOld:
      let file = programs.scratch.path("configuration.json")
      let versions = #"{"appVersions": {"minimum": "99.1", "latest": "99.2", "url": "https://example.org"}, "#
      let text = try String(contentsOfFile: file, encoding: .utf8)
      _ = try programs.scratch.write("configuration.json", versions + text.dropFirst())
      try programs.restartServer()
    }
  }

  private func register() throws {
    try succeed(["register", "--account", Self.account, "--authenticator", "pin", "--name", "Phone"] + first)
  }

  private func enrol(at issuer: WalletPrograms) throws {
    let profile = WalletPrograms.profile(WalletPrograms.user).replacing("7413", with: Self.pin)
      .replacing("Abcdefgh1", with: "Abcdefgh1!")
    let server = ["--server", issuer.url, "--ca", issuer.authority]
    try succeed(["enrol", "--profile", try issuer.scratch.write("profile.json", profile)] + server)
    try succeed(["cards", "add"] + server)
  }

  /// Locks the PIN of the account for good, and the sensor until the passcode is entered.
  private func lock() throws {
    for (pins, pause) in [(["000000", "000001", "000002"], 60), (["000003"], 180), (["000004"], 0)] {
      _ = try programs.run("authenticate", "--authenticator", "pin", answers: ["pin": pins])
      try programs.advance(seconds: pause)
    }
    let device = try StoredDevice(path: programs.state + "/device")
    try device.apply([], settingDate: true)
    for _ in 1...5 where try !device.status().isSensorLocked {
      _ = try programs.run("pay", "--link", "loopback", "--user", "fail")
    }
    try #require(try device.status().isSensorLocked)
    try succeed(["logout"])
  }

  /// The options of a folder that knows no server.
  private var first: [String] { ["--server", programs.url, "--ca", programs.authority] }

  private func succeed(_ command: [String]) throws {
    let run = try programs.runElsewhere(command + ["--state", programs.state], Self.answers)
    try #require(run.code == 0, "\(state), \(command): \(run.text)")
  }
}

// A command in the state.
extension PreparedState {
  /// Runs a command on a copy of the folder, and makes the server forget it afterwards.
  ///
  /// - Parameter number: The number of the copy.
  func run(_ command: ListedCommand, number: Int) throws -> CommandEnd {
    let folder = programs.scratch.path("folder-\(number)")
    if state != .notRegistered { try FileManager.default.copyItem(atPath: programs.state, toPath: folder) }
    defer { try? FileManager.default.removeItem(atPath: folder) }
    let values = [
      "state": folder, "format": "json", "answers": try programs.scratch.write("answers.json", Self.json(Self.answers)),
      "server": programs.url, "ca": programs.authority,
    ]
    let stored: Set = state == .notRegistered ? [] : ["server", "ca"]
    let given = Set(command.words.filter { $0.hasPrefix("--") }.map { String($0.dropFirst(2)) })
    let options = command.options.subtracting(stored).subtracting(given).sorted()
    let added = options.flatMap { option in values[option].map { ["--" + option, $0] } ?? [] }
    let run = try ProgramRun(AccessPrograms.path("tap-wallet"), command.words + added)
    let end = CommandEnd(ending: try run.finish(timeout: .seconds(120)), output: run.output, errors: run.errors)
    try restoreServer()
    return end
  }

  private static func json(_ answers: [String: [String]]) -> String {
    JSONValue(members: answers.map { ($0, JSONValue($1.map { JSONValue($0) })) }).compact
  }

  private func keepServer() throws { try copyDatabase(from: "server.sqlite", to: "kept.sqlite") }

  private func restoreServer() throws {
    if state != .serverGone { try copyDatabase(from: "kept.sqlite", to: "server.sqlite") }
  }

  /// Copies a database that is in use, in one transaction.
  private func copyDatabase(from source: String, to target: String) throws {
    let script = """
      import sqlite3, sys
      source, target = (sqlite3.connect(path, timeout=60) for path in sys.argv[1:])
      source.backup(target)
      """
    let run = try ProgramRun(
      "/usr/bin/python3", ["-c", script, programs.scratch.path(source), programs.scratch.path(target)])
    try #require(try run.finish() == .exited(0), "\(run.errors)")
  }
}
