import JSON
import TestSupport
import Testing

/// Each command of `tap-wallet` in each state of its folder. The list of the commands comes from the program.
@Suite("Commands by states", .blocks, .timeLimit(.minutes(20)))
struct CommandStateTests {
  @Test(arguments: WalletState.allCases)
  func `every command ends with a documented code, and an error with its reason and a remedy`(
    _ state: WalletState
  ) throws {
    let prepared = try PreparedState(state)
    let link = prepared.link ?? "https://example.org/?dispatchTokenResponse=e30"
    let commands = try ListedCommand.all(
      [
        "link": "loopback", "message": link, "name": "Phone", "seconds": "120", "device": prepared.device ?? "device",
        "url": prepared.programs.url, "file": "journal.jsonl",
      ],
      adding: [
        "device push": ["address"], "profile set": ["--phone", "+41 44 123 45 67"],
        "login": ["--account", PreparedState.account],
      ])
    #expect(commands.count > 30)
    var codes: Set<String> = []
    for (number, command) in commands.enumerated() where Self.isRun(number, in: state) {
      let end = try prepared.run(command, number: number)
      for problem in end.problems(printsJSON: command.options.contains("format")) {
        Issue.record("\(state), \(command): \(problem): \(end.output)\(end.errors)")
      }
      codes.insert(end.errorCode ?? "done")
    }
    #expect(codes.isSuperset(of: state.expectedCodes), "\(state): \(codes)")
  }

  /// Whether a command runs in a state: each one with CONTACTLESS_SOAK, otherwise a third of them, which is another one in the
  /// next state.
  private static func isRun(_ number: Int, in state: WalletState) -> Bool {
    let place = WalletState.allCases.firstIndex(of: state) ?? 0
    return Soak.isOn || (number + place) % 3 == 0
  }
}

extension WalletState {
  /// Codes of errors without which the folder is not in this state; `done` for a command that succeeds.
  fileprivate var expectedCodes: Set<String> {
    switch self {
    case .notRegistered: ["done", "NotRegistered", "NotLinked"]
    case .inactive: ["done", "DeviceInactive"]
    case .loggedOut: ["done", "NotLoggedIn"]
    case .loggedIn: ["done", "AlreadyLinked"]
    case .expired: ["done", "sessionExpired"]
    case .locked: ["done", "USER_LOCKOUT", "NotLoggedIn"]
    case .lostKey: ["done", "KEY_DISAPPEARED_PERMANENTLY", "authenticationKeyInvalidated"]
    case .secondIssuer: ["done", "InvalidArgument"]
    case .serverGone: ["done", "Network", "authenticationInvocationDidFail"]
    case .tooOld: ["done", "OutdatedClient"]
    }
  }
}
