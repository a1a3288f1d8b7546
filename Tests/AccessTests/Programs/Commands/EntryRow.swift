import DeviceAuthentication
import Foundation
import TestSupport
import Testing

/// A command with the entries that it asks for, in their order.
struct EntryRow: CustomStringConvertible, Sendable {
  /// What the folder has before.
  enum Folder: Sendable {
    case empty
    /// The PIN and the password of alice.
    case account
    /// The PINs of alice and bob.
    case accounts
    /// A wallet, logged out.
    case linked
    /// A wallet, logged in.
    case loggedIn
    /// A wallet with biometric login, logged out.
    case biometric
  }

  let folder: Folder
  let command: String
  /// Right entries.
  let entries: [String]
  var description: String { "\(command), \(folder)" }

  private static let profile = ["Alice", "Example", "new@example.org", "+41 44 123 45 67"]

  static let all = [
    EntryRow(folder: .empty, command: "register --name Phone", entries: ["carol", "pin", "654321", "654321"]),
    EntryRow(
      folder: .empty, command: "register --name Phone --account carol --authenticator password",
      entries: ["Abcdefgh1!", "Abcdefgh1!"]),
    EntryRow(folder: .account, command: "authenticate", entries: ["pin", "123456"]),
    EntryRow(folder: .account, command: "authenticate --authenticator password", entries: ["Abcdefgh1!"]),
    EntryRow(folder: .accounts, command: "authenticate", entries: ["bob", "123456"]),
    EntryRow(folder: .account, command: "pin change", entries: ["123456", "246813", "246813"]),
    EntryRow(folder: .account, command: "password change", entries: ["Abcdefgh1!", "Abcdefgh2!", "Abcdefgh2!"]),
    EntryRow(folder: .account, command: "redeem LINK --authenticator pin", entries: ["yes", "123456"]),
    EntryRow(
      folder: .empty, command: "enrol",
      entries: profile + ["Abcdefgh1", "Abcdefgh1", "7413", "7413", "pet", "town", "Rex", "Bern"]),
    EntryRow(
      folder: .empty, command: "login --password", entries: [WalletPrograms.user, "Abcdefgh1", "Rex"]),
    EntryRow(folder: .linked, command: "login --pin", entries: ["7413"]),
    EntryRow(folder: .biometric, command: "login --biometric", entries: ["prompt"]),
    EntryRow(folder: .linked, command: "forgot pin", entries: ["Rex", "8524", "8524"]),
    EntryRow(folder: .linked, command: "forgot password", entries: ["Rex", "Abcdefgh2", "Abcdefgh2"]),
    EntryRow(folder: .empty, command: "lost list", entries: [WalletPrograms.user, "Abcdefgh1", "Rex"]),
    EntryRow(folder: .loggedIn, command: "change-pin", entries: ["7413", "8524", "8524"]),
    EntryRow(folder: .loggedIn, command: "biometric on", entries: ["7413"]),
    EntryRow(folder: .linked, command: "open", entries: ["login --pin", "7413", "history"]),
  ]
}

/// A folder for a row, at a server that knows alice's wallet. Each run gets a copy.
struct EntryFolder {
  private let programs: WalletPrograms
  private let words: [String]
  private var copies = 0

  init(_ row: EntryRow) throws {
    let programs = try WalletPrograms()
    self.programs = programs
    func succeed(_ command: String, _ answers: [String: [String]] = [:]) throws {
      let run = try programs.run(command.split(separator: " ").map(String.init), answers: answers, isFirst: true)
      try #require(run.code == 0, "\(row), \(command): \(run.text)")
    }
    let register = "register --name Phone --authenticator pin --account"
    switch row.folder {
    case .account:
      try succeed("\(register) alice", ["pin": ["123456"]])
      try succeed(
        "register --account alice --authenticator password", ["pin": ["123456"], "password": ["Abcdefgh1!"]])
    case .accounts: for name in ["alice", "bob"] { try succeed("\(register) \(name)", ["pin": ["123456"]]) }
    case .empty, .linked, .loggedIn, .biometric:
      // Whichever question is drawn has the same answer.
      let profile = WalletPrograms.profile(WalletPrograms.user).replacing("Bern", with: "Rex")
      try succeed("enrol --profile \(programs.scratch.write("profile.json", profile))")
    }
    switch row.folder {
    case .empty: try FileManager.default.removeItem(atPath: programs.state)
    case .linked: try succeed("logout")
    case .biometric:
      try succeed("biometric on", ["pin": ["7413"]])
      try succeed("logout")
    case .account, .accounts, .loggedIn: break
    }
    words = row.command.split(separator: " ").map(String.init)
  }

  /// A link to an authentication with a text.
  private func link() throws -> String {
    let text = try programs.operate(
      "dispatch", "authentication", "--account", "alice", "--channel", "link", "--text", "Pay 5 CHF")
    return try #require(
      text.split(whereSeparator: \.isWhitespace).first { $0.contains("dispatchTokenResponse=") }.map(String.init))
  }

  /// Starts the command on a copy of the folder, and enters the first right entries.
  mutating func start(after entries: ArraySlice<String>) throws -> TypedRun {
    copies += 1
    let state = programs.scratch.path("copy-\(copies)")
    if FileManager.default.fileExists(atPath: programs.state) {
      try FileManager.default.copyItem(atPath: programs.state, toPath: state)
    }
    let words = try words.map { $0 == "LINK" ? try link() : $0 }
    let run = try TypedRun(words + ["--server", programs.url, "--ca", programs.authority], state: state)
    for entry in entries {
      try #require(run.question() != nil, "\(words), \(entry): \(run.program.errors)")
      run.enter(Array(entry.utf8))
    }
    return run
  }
}
