/// A response code of a TPM (TPM 2.0 Library, part 2, section 6.6), or the error of a layer of the software stack.
struct TPMResponseCode: RawRepresentable, Hashable, Sendable {
  let rawValue: UInt32

  /// `TPM_RC_POLICY`: a comparison of the policy does not hold.
  static let policyNotMet = TPMResponseCode(rawValue: 0x126)
  /// `TPM_RC_NV_UNINITIALIZED`: an index was defined and never written.
  static let neverWritten = TPMResponseCode(rawValue: 0x14A)
  /// `TPM_RC_NV_SPACE`: the TPM has no space for a further index.
  static let noSpace = TPMResponseCode(rawValue: 0x14B)
  /// `TPM_RC_NV_DEFINED`: an index of this number exists.
  static let alreadyDefined = TPMResponseCode(rawValue: 0x14C)
  /// `TPM_RC_HANDLE`: an object or an index does not exist.
  static let noSuchHandle = TPMResponseCode(rawValue: 0x8B)
  /// `TPM_RC_POLICY_FAIL`: the policy of the session is another one than that of the object.
  static let otherPolicy = TPMResponseCode(rawValue: 0x9D)
  /// `TPM_RC_INTEGRITY`: an object was not created by this TPM, or before its last clear.
  static let otherHierarchy = TPMResponseCode(rawValue: 0x9F)
  /// `TPM_RC_BAD_AUTH`: the owner hierarchy has an authorisation value.
  static let wrongOwnerValue = TPMResponseCode(rawValue: 0xA2)
  /// `TPM_RC_INITIALIZE`: the TPM was not started.
  static let notStarted = TPMResponseCode(rawValue: 0x100)
  /// `TPM_RC_LOCKOUT`: the TPM rejects authorisations after too many wrong values.
  static let lockedOut = TPMResponseCode(rawValue: 0x921)

  /// The codes after which the same command can succeed later: `TPM_RC_OBJECT_MEMORY`, `SESSION_MEMORY`, `MEMORY`,
  /// `SESSION_HANDLES`, `OBJECT_HANDLES`, `YIELDED`, `CANCELED`, `TESTING`, `NV_RATE`, `RETRY`, `NV_UNAVAILABLE`.
  private static let transient: Set<UInt32> = [
    0x902, 0x903, 0x904, 0x905, 0x906, 0x908, 0x909, 0x90A, 0x920, 0x922, 0x923,
  ]

  /// The layer of the software stack that reports: 0 is the TPM, 11 its resource manager, which passes codes of the TPM on.
  private var layer: UInt32 { rawValue >> 16 & 0xFF }

  /// Whether the TPM has sent the code. Otherwise the software stack has not reached it or rejects its response.
  var isOfTPM: Bool { layer == 0 || layer == 11 }

  /// Whether the TPM rejects a parameter of the command (part 2, section 6.6.2, format one), which another try does
  /// not change.
  var namesParameter: Bool { isOfTPM && rawValue & 0xC0 == 0xC0 }

  /// The code without the layer and without the number of the parameter, handle or session (part 2, section 6.6.2,
  /// format one).
  var kind: TPMResponseCode {
    guard isOfTPM else { return self }
    let code = rawValue & 0xFFF
    return TPMResponseCode(rawValue: code & 0x80 == 0 ? code : code & 0xBF)
  }

  /// Whether the same command can succeed later.
  var isTransient: Bool { isOfTPM && Self.transient.contains(kind.rawValue) }
}

/// Why a command failed.
struct TPMError: Error, Equatable, Sendable {
  /// The command, such as `TPM2_Load`.
  let command: String
  /// The code that the TPM or its software stack has returned.
  let code: TPMResponseCode

  init(_ command: String, _ code: TPMResponseCode) {
    self.command = command
    self.code = code
  }

  /// A response whose content is not what the specification allows. The code is that of the software stack for it
  /// (`TSS2_ESYS_RC_MALFORMED_RESPONSE`).
  static func malformed(_ command: String) -> TPMError { TPMError(command, TPMResponseCode(rawValue: 0x7_0011)) }
}
