import ArgumentParser
import DeviceAuthentication
import ProgramSupport

/// How the holder is verified at each payment.
struct PolicyOption: ParsableArguments {
  @Option(
    help: """
      How the holder is verified at each payment with a card of this folder: when left out, as before, and biometricOnly \
      for a new folder. Needed after the device has lost its keys.
      """)
  var policy: CardholderVerificationPolicy?

  /// Runs a body that enrols or logs in, and sets the wallet up under the policy that the user has chosen.
  func settingUp<Value>(_ run: WalletRun, _ body: () async throws -> Value) async throws -> Value {
    let folder = run.cardFolder(of: try run.servers.only().origin)
    try await CommandFailure.converting { try await folder.check(policy) }
    let value = try await body()
    if let policy {
      try await CommandFailure.converting {
        try await folder.setUp(policy, rollbackProtection: !run.options.withoutRollbackProtection)
      }
    }
    return value
  }
}
