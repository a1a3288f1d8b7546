import DeviceAuthentication
import TestSupport
import Testing

@Suite("The contract of the device ports on a device in a file", .timeLimit(.minutes(20)))
struct StoredPortTests {
  @Test(arguments: PortContract.all)
  func `a stored device keeps the contract`(_ contract: PortContract) async throws {
    let directory = try DeviceDirectory()
    try await contract.check(StoredDevice(path: directory.path, signing: ToySigning()))
  }
}
