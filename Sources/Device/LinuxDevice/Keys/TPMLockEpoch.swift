#if LinuxDevice
  package import DeviceAuthentication
  internal import Octets

  /// The lock epoch in an index of a TPM that only counts up. It is defined at its first use.
  package struct TPMLockEpoch: LockEpochCounter {
    private let settings: TPMSettings

    /// Creates a counter. Nothing is opened yet.
    package init(_ settings: TPMSettings) {
      self.settings = settings
    }

    /// Reads the counter.
    package func value() async throws(DeviceAuthenticationError) -> LockEpoch {
      try await settings.using { (tpm) throws(TPMError) in try tpm.epoch(at: settings.epochIndex) }
    }

    /// Raises the counter by 1.
    package func increment() async throws(DeviceAuthenticationError) -> LockEpoch {
      try await settings.using { (tpm) throws(TPMError) in
        _ = try tpm.epoch(at: settings.epochIndex)
        try tpm.raiseCounter(settings.epochIndex)
        return try tpm.epoch(at: settings.epochIndex)
      }
    }
  }

  extension TPMSettings {
    /// Opens the TPM for one step, on a thread of its own.
    func using<Value: Sendable>(
      _ body: @escaping @Sendable (borrowing TPMConnection) throws(TPMError) -> Value
    ) async throws(DeviceAuthenticationError) -> Value {
      let watch = CallWatch(clock)
      return try await onOwnThread(waitingFor: "the TPM", watch) { () throws(DeviceAuthenticationError) in
        try Result { () throws(TPMError) in try body(try TPMConnection(self, watch)) }.mapError(\.deviceError).get()
      }
    }
  }

  extension TPMConnection {
    /// Returns the lock epoch, and defines its counter when it does not exist.
    ///
    /// - Throws: Also when the index is no counter: its value could return to an old one.
    func epoch(at index: UInt32) throws(TPMError) -> LockEpoch {
      do throws(TPMError) {
        try checkEpochIndex(index)
        return LockEpoch(rawValue: try counter(index))
      } catch {
        switch error.code.kind {
        case .noSuchHandle: try defineCounter(index, mark: [])
        // The program ended between the definition and the first step.
        case .neverWritten: try raiseCounter(index)
        default: throw error
        }
        return LockEpoch(rawValue: try counter(index))
      }
    }

    private func checkEpochIndex(_ index: UInt32) throws(TPMError) {
      let present = try definition(index).octets
      let written = TPMTemplates.counterAttributes | TPMTemplates.written
      guard
        present == TPMTemplates.counter(index, attributes: written, mark: [])
          || present == TPMTemplates.counter(index, mark: [])
      else {
        throw TPMError(
          "the check of index 0x\(String(index, radix: 16)), which is no counter of the lock,", .otherPolicy)
      }
    }
  }
#endif
