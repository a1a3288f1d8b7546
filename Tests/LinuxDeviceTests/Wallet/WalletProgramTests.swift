import DeviceAuthentication
import Fixtures
import Foundation
import TestSupport
import Testing

/// A wallet of `tap` on the device of a Linux machine: every command is a process of its own.
@Suite("A wallet on the device of this machine", .timeLimit(.minutes(60)), .blocks)
struct WalletProgramTests {
  private let device: LinuxScenarioDevice
  private let scratch: Scratch

  init() throws {
    device = try LinuxScenarioDevice(changesWhileStopped: false)
    scratch = try Scratch()
  }

  private struct Result {
    let code: Int32?
    let output: String
  }

  private func tap(_ arguments: [String]) throws -> Result {
    let path = URL(filePath: DeviceProgram.path).deletingLastPathComponent().appending(path: "tap").path
    let run = try ProgramRun(path, arguments)
    guard case .exited(let code) = try run.finish(timeout: .seconds(3600)) else { return Result(code: nil, output: "") }
    return Result(code: code, output: run.output + run.errors)
  }

  private func check(_ socket: String) throws -> Result { try tap(["device", "check", "--socket", socket]) }

  /// Runs a command on the wallet.
  private func wallet(_ arguments: String...) throws -> Result {
    try tap(arguments + ["--wallet", scratch.path("wallet"), "--device", "linux:\(device.program.socket)"])
  }

  private func pay() throws -> Result { try wallet("present", "--link", "loopback") }

  private func setUp(_ policy: String, _ changes: DeviceChange...) async throws {
    try await device.setUser(.approve)
    for change in changes { try await device.apply(change) }
    let enrolled = try wallet("device", "enrol", "--policy", policy)
    #expect(enrolled.code == 0, "\(enrolled.output)")
    let added = try wallet("wallet", "add", "--card", Fixtures.url("Cards/visa-cvn18.json").path)
    #expect(added.code == 0, "\(added.output)")
  }

  @Test func `a wallet pays by a finger, keeps its cards without fingers, and loses them with the lock`() async throws {
    try await setUp("biometricOnly", .setPasscode, .enrolBiometric)
    let check = try self.check(device.program.socket)
    #expect(check.code == 0, "\(check.output)")
    let first = try pay()
    #expect(first.code == 0, "\(first.output)")

    try await device.apply(.removeAllBiometrics)
    let refused = try pay()
    #expect(refused.code == 2 && refused.output.contains("biometricNotEnrolled"), "\(refused.output)")
    try await device.apply(.enrolBiometric)
    #expect(try pay().code == 0)
    #expect(try wallet("present", "--link", "loopback", "--policy", "userPresence").code == 1)

    try await device.apply(.disableLockScreen)
    try await device.apply(.setPasscode)
    let wiped = try pay()
    #expect(wiped.code == 2 && wiped.output.contains("authenticationKeyInvalidated"), "\(wiped.output)")
    #expect(try wallet("wallet", "list").output.contains("The wallet has no card."))
  }

  @Test func `a machine without fingers and without a lock is refused with the reason`() async throws {
    let enrolled = try wallet("device", "enrol", "--policy", "biometricOnly")
    #expect(enrolled.code == 1 && enrolled.output.contains("no biometrics are enrolled"), "\(enrolled.output)")
    let check = try self.check(device.program.socket)
    #expect(check.code == 1 && check.output.contains("remedy"), "\(check.output)")
    let absent = try self.check(scratch.path("absent"))
    #expect(absent.code == 1 && absent.output.contains("tap-device"), "\(absent.output)")
  }
}
