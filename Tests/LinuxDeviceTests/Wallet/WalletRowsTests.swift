import ContactlessPayment
import DeviceAuthentication
import Foundation
import TestSupport
import Testing
import WalletDatabase

/// The published rows through a wallet: it is set up and gets a card, the device changes, and the wallet pays or is wiped.
///
/// One device has every kind of wallet, so each row changes it once: a wallet that stays open, in memory and in a file; one
/// whose store is opened again; and one with a new process for each step, which has no privileges on the Linux machine.
@Suite("The eleven rows through wallets", .timeLimit(.minutes(60)), .blocks)
struct WalletRowsTests {
  enum Kind: String, CaseIterable, Sendable { case simulated, linux }

  @Test(arguments: DeviceScenario.table, Kind.allCases)
  func `every wallet on the device pays, keeps its cards or is wiped, as the row states`(
    _ row: DeviceScenario, _ kind: Kind
  ) async throws {
    let scratch = try Scratch()
    switch kind {
    case .simulated:
      let device = try StoredDevice(path: scratch.path("phone"))
      try await check(
        row, on: device, scratch, SimulatedPrograms(device: device.path, folder: scratch.directory.path))
    case .linux:
      let device = try LinuxScenarioDevice(changesWhileStopped: false)
      try await check(row, on: device, scratch, UserPrograms(linux: device))
    }
  }

  private func wallets(
    on device: DevicePorts, _ scratch: Scratch, _ programs: any WalletPrograms
  ) throws -> [(name: String, wallet: any ScenarioWallet)] {
    let memory = InMemoryWalletStore()
    let (open, reopened) = (scratch.path("open"), scratch.path("reopened"))
    return [
      ("in memory", try LocalWallet(device, reopens: false) { memory }),
      ("in a file", try LocalWallet(device, reopens: false) { try SQLiteWalletStore(directory: open) }),
      (
        "in a file that is opened again",
        try LocalWallet(device, reopens: true) { try SQLiteWalletStore(directory: reopened) }
      ),
      ("of processes", ProcessWallet(programs: programs)),
    ]
  }

  private func check(
    _ row: DeviceScenario, on device: some ScenarioDevice, _ scratch: Scratch, _ programs: any WalletPrograms
  ) async throws {
    try await device.setUser(.approve)
    for change in row.setUp { try await device.apply(change) }
    let wallets = try wallets(on: device.ports, scratch, programs)
    for (_, wallet) in wallets { try await wallet.setUp(row.policy) }
    for change in row.changes { try await device.apply(change) }
    for (name, wallet) in wallets {
      let result = try await wallet.pay()
      #expect(result == row.result, "the wallet \(name)")
      let count = row.outcome == .authenticationKeyInvalidated ? 0 : 1
      #expect(try await wallet.cardCount() == count, "the wallet \(name)")
    }
    guard row.outcome == .biometricNotEnrolled else { return }
    try await device.apply(.enrolBiometric)
    for (name, wallet) in wallets {
      let result = try await wallet.pay()
      #expect(result == "paid", "the wallet \(name)")
    }
  }
}

extension DeviceScenario {
  /// What a payment returns after the changes.
  fileprivate var result: String {
    switch outcome {
    case .noAction: "paid"
    case .biometricNotEnrolled: "biometricNotEnrolled"
    case .authenticationKeyInvalidated: "authenticationKeyInvalidated"
    }
  }
}
