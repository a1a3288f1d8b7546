package import Octets

/// Which TPM a device uses, and which of its indices.
package struct TPMSettings: Sendable {
  /// The TPM of this machine, shared by the kernel. Members of the group `tss` may use it.
  package static let kernelTransport = "device:/dev/tpmrm0"

  /// The transport and its configuration (TCTI), such as `device:/dev/tpmrm0` or `swtpm:path=/run/tpm`.
  package let transport: String
  /// The number of the index that counts the removals of the lock.
  package let epochIndex: UInt32
  /// The numbers of the indices that count for single keys.
  package let counterIndices: ClosedRange<UInt32>
  /// How long one command may take before the TPM counts as not answering. The commands that create keys have
  /// `creationLimit`.
  package let limit: Duration
  /// How long the creation of a key may take, and how long a use waits for other uses: 30 s, or `limit` when it is longer.
  package var creationLimit: Duration { max(limit, .seconds(30)) }
  /// Measures the limits.
  package let clock: any MonotonicClock

  /// Creates settings.
  ///
  /// - Parameters:
  ///   - transport: The transport and its configuration.
  ///   - user: The number of the user whose lock is counted. Users whose numbers differ by a multiple of 65 536 share
  ///     an epoch: a removal of one lock then invalidates the keys of both.
  ///   - limit: How long one command may take.
  ///   - clock: Measures the limits.
  package init(
    transport: String = kernelTransport, user: UInt32, limit: Duration = .seconds(5),
    clock: any MonotonicClock = SystemClock()
  ) {
    self.transport = transport
    // In the range of the owner (TCG Registry of Reserved TPM 2.0 Handles, section 2.2): 0x01800000 to 0x01BFFFFF.
    epochIndex = 0x01A0_0000 | (user & 0xFFFF)
    counterIndices = 0x01B0_0000...0x01B0_00FF
    self.limit = limit
    self.clock = clock
  }

  /// The limit of a command, such as `TPM2_Create`. A chip needs many seconds for a primary key.
  func limit(of command: String) -> Duration {
    command == "TPM2_Create" || command == "TPM2_CreatePrimary" ? creationLimit : limit
  }
}
