import DeviceAuthentication
import TestSupport
import Testing

@Suite("The contract of the device ports", .timeLimit(.minutes(20)))
struct PortContractTests {
  @Test(arguments: PortContract.all)
  func `a simulated phone keeps the contract`(_ contract: PortContract) async throws {
    try await contract.check(SimulatedDevice(signing: ToySigning()))
  }

  @Test(arguments: PortContract.all)
  func `a simulated machine that keeps fingerprints without a passcode keeps the contract`(_ contract: PortContract)
    async throws
  {
    try await contract.check(SimulatedDevice(hardware: .init(biometricsNeedPasscode: false), signing: ToySigning()))
  }
}
