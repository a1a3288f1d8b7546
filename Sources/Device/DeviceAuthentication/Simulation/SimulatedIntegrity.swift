internal import Synchronization

/// Integrity checks with findings chosen by a test.
public final class SimulatedIntegrity: DeviceIntegrity {
  private let state: Mutex<[IntegrityFinding]>

  /// Creates the checks with their findings.
  public init(_ findings: [IntegrityFinding] = []) {
    state = Mutex(findings)
  }

  /// Replaces the findings.
  public func change(to findings: [IntegrityFinding]) {
    state.withLock { $0 = findings }
  }

  /// Returns the chosen findings.
  public func findings() -> [IntegrityFinding] { state.withLock { $0 } }
}
