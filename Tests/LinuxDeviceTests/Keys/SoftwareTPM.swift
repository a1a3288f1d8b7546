import DeviceAuthentication
import Foundation
import LinuxDevice
import Octets
import TestSupport

/// A TPM of swtpm for one test, in a directory of its own. It ends with its owner.
final class SoftwareTPM {
  private let scratch: Scratch
  private var program: ProgramRun

  init() throws {
    scratch = try Scratch()
    try FileManager.default.createDirectory(atPath: scratch.path("state"), withIntermediateDirectories: true)
    program = try Self.start(in: scratch)
  }

  deinit { kill() }

  /// swtpm expects the control socket beside the socket, under this name.
  private static func start(in scratch: Scratch) throws -> ProgramRun {
    let socket = scratch.path("tpm")
    for path in [socket, "\(socket).ctrl"] { unlink(path) }
    let program: ProgramRun
    do {
      program = try ProgramRun(
        "swtpm",
        [
          "socket", "--tpm2", "--tpmstate", "dir=\(scratch.path("state"))", "--server", "type=unixio,path=\(socket)",
          "--ctrl", "type=unixio,path=\(socket).ctrl", "--flags", "not-need-init,startup-clear",
        ])
    } catch {
      throw MissingComponent(description: "\(error). Run tools/setup --tests")
    }
    let isReady = program.wait(timeout: .seconds(600)) { _ in
      LocalSocket.accepts(socket) && LocalSocket.accepts("\(socket).ctrl")
    }
    guard isReady else { throw MissingComponent(description: "swtpm does not start: \(program.errors)") }
    return program
  }

  /// Stops the program without ending it; `resume` lets it go on.
  func stop() { program.signal(SIGSTOP) }

  func resume() { program.signal(SIGCONT) }

  func kill() {
    program.signal(SIGKILL)
    _ = program.wait(timeout: .seconds(60))
  }

  func restart() throws { program = try Self.start(in: scratch) }

  var transport: String { "swtpm:path=\(scratch.path("tpm"))" }

  var keyDirectory: String { scratch.path("keys") }

  func settings(clock: any MonotonicClock = SystemClock(), limit: Duration = .seconds(3600)) -> TPMSettings {
    TPMSettings(transport: transport, user: 1000, limit: limit, clock: clock)
  }

  func store(lock: any DeviceLock = FixedLock(isLocked: true)) -> TPMKeyStore {
    TPMKeyStore(settings: settings(), directory: keyDirectory, lock: lock)
  }

  var epoch: TPMLockEpoch { TPMLockEpoch(settings()) }

  /// Runs a program of tpm2-tools and returns its output.
  @discardableResult
  func tool(_ name: String, _ arguments: String..., mayFail: Bool = false) throws -> String {
    let run: ProgramRun
    do {
      run = try ProgramRun(name, arguments, environment: ["TPM2TOOLS_TCTI": transport])
    } catch {
      throw MissingComponent(description: "\(error). Run tools/setup --tests")
    }
    let ending = try run.finish()
    guard ending == .exited(0) || mayFail else {
      throw MissingComponent(description: "\(name) \(arguments): \(ending): \(run.errors)")
    }
    return run.output
  }

  /// The objects and sessions in the TPM, of which it has room for three each.
  func leftHandles() throws -> String {
    try tool("tpm2_getcap", "handles-transient") + tool("tpm2_getcap", "handles-loaded-session")
  }

  /// The files of the store, without the lock file.
  func keyFiles() throws -> [String] {
    try FileManager.default.contentsOfDirectory(atPath: keyDirectory).filter { $0.hasSuffix(".key") }.sorted()
      .map { "\(keyDirectory)/\($0)" }
  }
}

/// A program that the tests need does not work, with the remedy.
struct MissingComponent: Error, CustomStringConvertible {
  let description: String
}

struct FixedLock: DeviceLock {
  let isLocked: Bool

  func isSet() async throws(DeviceAuthenticationError) -> Bool { isLocked }

  func epoch() async throws(DeviceAuthenticationError) -> LockEpoch { LockEpoch(rawValue: 0) }
}

extension ProtectedKeyStore {
  /// The bytes of a sealing key.
  func octets(of key: KeyIdentifier) async throws -> [UInt8] {
    try await unseal(key).withExposedOctets { $0.array }
  }

  /// The error of a use of the key as one of a kind.
  func error(of key: KeyIdentifier, _ kind: ProtectedKeyKind) async -> DeviceAuthenticationError? {
    await thrown { () throws(DeviceAuthenticationError) in
      switch kind {
      case .sealing: _ = try await unseal(key)
      case .signing: _ = try await sign([UInt8](repeating: 7, count: 32), with: key)
      }
    }
  }
}
