/// Reads the memory of a simulated device. This is no access to a key.
struct SimulatedMonitor: DeviceMonitor {
  let device: SimulatedPorts

  var mayBlock: Bool { device.storage.mayBlock }

  func status(
    of key: KeyIdentifier, needsEnrolment: Bool
  ) throws(DeviceAuthenticationError) -> DeviceCondition {
    if let error = device.run.keyStoreError { throw error }
    let memory = try device.storage.snapshot()
    guard try memory.access(key) == .usable else { return .keyLost }
    guard needsEnrolment, case .notEnrolled = memory.enrolment.state else { return .usable }
    return .nothingEnrolled
  }
}
