import DeviceAuthentication
import Foundation
import JSON
import MobileAuthentication
import TestSupport
import Testing

/// What a build with the trait `DebugFlavour` accepts and every other build refuses. `tools/test` builds a `tap-wallet` with
/// the trait and names it in the environment.
@Suite("The flavours of tap-wallet", .blocks, .timeLimit(.minutes(20)))
struct FlavourTests {
  private static let variable = "CONTACTLESS_DEBUG_FLAVOUR"
  private static let debugProgram = ProcessInfo.processInfo.environment[variable]

  /// A laxity, and how each flavour reacts to it.
  enum Laxity: String, CaseIterable, Sendable {
    case unverifiedCertificate = "a server whose certificate no authority has signed"
    case missingLock = "a device without a lock"
    case softwareKeys = "a machine without a TPM"
    case observedProcess = "a process with a preloaded library, on a machine without a TPM"
    case foreignAuthority = "a file of authorities that did not sign the certificate"

    /// The code of the error in the release flavour.
    var refusal: String {
      switch self {
      case .unverifiedCertificate, .foreignAuthority: "Network"
      case .missingLock: "NoDeviceLock"
      case .softwareKeys, .observedProcess: "Hardware"
      }
    }

    /// Whether the debug flavour accepts it. A file of authorities is obeyed in each flavour.
    var isAcceptedInDebug: Bool { self != .foreignAuthority }
  }

  /// Registers a PIN and authenticates with it.
  private func results(_ program: String, _ laxity: Laxity) throws -> [WalletOutput] {
    let programs = try AccessPrograms()
    try FileManager.default.createDirectory(atPath: programs.state, withIntermediateDirectories: true)
    let answers = try programs.scratch.write("answers.json", #"{"pin": ["123456"]}"#)
    var common = ["--account", "alice", "--authenticator", "pin", "--answers", answers, "--format", "json"]
    common += ["--state", programs.state, "--server", programs.url]
    var environment: [String] = []
    if laxity != .unverifiedCertificate { common += ["--ca", programs.authority] }
    switch laxity {
    case .unverifiedCertificate: break
    case .missingLock: _ = try StoredDevice(path: programs.state + "/device")
    case .softwareKeys: common += ["--device", "linux:/nonexistent"]
    case .observedProcess:
      common += ["--device", "linux:/nonexistent"]
      environment = ["LD_PRELOAD=libm.so.6"]
    case .foreignAuthority:
      common[common.count - 1] = try withExtendedLifetime(AccessPrograms()) { other in
        try programs.scratch.write("other.pem", String(contentsOfFile: other.authority, encoding: .utf8))
      }
    }
    return try [["register", "--name", "Phone"], ["authenticate"]].map { command in
      try WalletOutput(ProgramRun("env", environment + [program] + command + common))
    }
  }

  @Test(arguments: Laxity.allCases)
  func `the release flavour refuses`(_ laxity: Laxity) throws {
    let registration = try results(AccessPrograms.path("tap-wallet"), laxity)[0]
    #expect(registration.errorCode == laxity.refusal, "\(registration.text)")
    #expect(registration.code == (laxity.refusal == "Network" ? 3 : 2))
  }

  @Test(.enabled(if: debugProgram != nil, "tools/test names the program"), arguments: Laxity.allCases)
  func `the debug flavour accepts what the release flavour refuses, but no other authority`(_ laxity: Laxity) throws {
    for result in try results(#require(Self.debugProgram), laxity) {
      if laxity.isAcceptedInDebug {
        #expect(result.code == 0, "\(result.text)")
      } else {
        #expect(result.code != 0, "\(result.text)")
      }
    }
  }

  @Test func `the release flavour starts without a warning`() throws {
    let run = try ProgramRun(AccessPrograms.path("tap-wallet"), ["metadata"])
    #expect(try run.finish() == .exited(0))
    #expect(run.errors.isEmpty)
  }

  @Test(
    .enabled(if: debugProgram != nil, "tools/test names the program"), arguments: ["metadata", "accounts", "status"])
  func `every command of the debug flavour starts with a warning`(_ command: String) throws {
    let scratch = try Scratch()
    let run = try ProgramRun(try #require(Self.debugProgram), [command, "--state", scratch.path("wallet")])
    _ = try run.finish()
    #expect(
      run.errors.hasPrefix(
        "Warning: this build accepts unverified certificates, a missing device lock and software keys."),
      "\(run.errors)")
  }
}
