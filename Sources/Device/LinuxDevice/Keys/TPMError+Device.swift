#if LinuxDevice
  internal import DeviceAuthentication
  internal import Octets

  extension TPMError {
    /// Why the key that was used is invalid; nil when it may still be valid.
    ///
    /// - Parameters:
    ///   - keyEpoch: The lock epoch of the key.
    ///   - presentEpoch: The present one, when it can be read.
    func invalidation(of keyEpoch: LockEpoch, presentEpoch: LockEpoch?) -> KeyInvalidation? {
      switch code.kind {
      case .policyNotMet:
        guard let presentEpoch, presentEpoch != keyEpoch else { return .refused(code: code.rawValue) }
        return .lockRemoved(keyEpoch: keyEpoch, presentEpoch: presentEpoch)
      // The index of the epoch or of the key was deleted, or the TPM was cleared.
      case .noSuchHandle, .otherHierarchy: return .keyGone
      case .otherPolicy: return .refused(code: code.rawValue)
      // The parts of a damaged file do not form a key.
      default: return command == "TPM2_Load" && code.namesParameter ? .refused(code: code.rawValue) : nil
      }
    }

    /// The error of a store that does not work.
    var deviceError: DeviceAuthenticationError {
      let number = "0x" + String(code.rawValue, radix: 16, uppercase: true)
      let detail = "\(command) fails with \(number) (\(words))"
      guard code.isOfTPM else {
        return .unavailable(
          reason:
            "no TPM 2.0 answers: \(detail). Check that it is on in the firmware and that this user is in the group tss")
      }
      switch code.kind {
      case .lockedOut:
        return .busy("the TPM rejects authorisations after too many wrong values (\(detail))")
      case .wrongOwnerValue:
        return .unavailable(
          reason: "the owner of the TPM has set a value, and only an owner without one is supported: \(detail)")
      case .noSpace:
        return .unavailable(reason: "the TPM has no space: \(detail). Delete unused indices with tpm2_nvundefine")
      case .notStarted: return .unavailable(reason: "the TPM was not started: \(detail)")
      default:
        return code.isTransient ? .busy("the TPM: \(detail)") : .unavailable(reason: "the TPM: \(detail)")
      }
    }
  }
#endif
