#if LinuxDevice
  internal import CTSS
  internal import Octets

  extension TPMConnection {
    /// Starts a policy session that meets the comparisons, lends it, and flushes it. Bytes that the TPM returns in the
    /// session are encrypted, so a listener on the bus of the chip does not read them.
    func withPolicySession<Result: ~Copyable>(
      _ comparisons: [TPMComparison], salt: ESYS_TR, _ body: (ESYS_TR) throws(TPMError) -> Result
    ) throws(TPMError) -> Result {
      try withSession(
        TPM2_SE(TPM2_SE_POLICY), TPMA_SESSION(TPMA_SESSION_ENCRYPT), salt: salt
      ) { (session) throws(TPMError) in
        for comparison in comparisons { try require(comparison, in: session) }
        return try body(session)
      }
    }

    /// Starts a session that encrypts the first parameter of a command, lends it, and flushes it.
    func withEncryptingSession<Result: ~Copyable>(
      salt: ESYS_TR, _ body: (ESYS_TR) throws(TPMError) -> Result
    ) throws(TPMError) -> Result {
      try withSession(TPM2_SE(TPM2_SE_HMAC), TPMA_SESSION(TPMA_SESSION_DECRYPT), salt: salt, body)
    }

    private func withSession<Result: ~Copyable>(
      _ type: TPM2_SE, _ attribute: TPMA_SESSION, salt: ESYS_TR, _ body: (ESYS_TR) throws(TPMError) -> Result
    ) throws(TPMError) -> Result {
      let session = try start(type, salt: salt)
      defer { flush(session) }
      let attributes = attribute | TPMA_SESSION(TPMA_SESSION_CONTINUESESSION)
      try check("TPM2_StartAuthSession", unsafe Esys_TRSess_SetAttributes(stack, session, attributes, 0xFF))
      return try body(session)
    }

    /// Returns the digest of the policy that the comparisons form.
    func policyDigest(_ comparisons: [TPMComparison]) throws(TPMError) -> [UInt8] {
      let session = try start(TPM2_SE(TPM2_SE_TRIAL), salt: absent)
      defer { flush(session) }
      for comparison in comparisons { try require(comparison, in: session) }
      var result: UnsafeMutablePointer<TPM2B_DIGEST>?
      try check("TPM2_PolicyGetDigest", unsafe Esys_PolicyGetDigest(stack, session, absent, absent, absent, &result))
      defer { unsafe Esys_Free(result) }
      guard let digest = unsafe result else { throw .malformed("TPM2_PolicyGetDigest") }
      let octets = try unsafe TPMMarshalling.octets(of: digest, Tss2_MU_TPM2B_DIGEST_Marshal)
      guard octets.count == 34 else { throw .malformed("TPM2_PolicyGetDigest") }
      return Array(octets.dropFirst(2))
    }

    private func start(_ type: TPM2_SE, salt: ESYS_TR) throws(TPMError) -> ESYS_TR {
      var cipher = try unsafe TPMMarshalling.read(
        TPMTemplates.sessionCipher, into: TPMT_SYM_DEF(), Tss2_MU_TPMT_SYM_DEF_Unmarshal)
      var session = absent
      try check(
        "TPM2_StartAuthSession",
        unsafe Esys_StartAuthSession(
          stack, salt, absent, absent, absent, absent, nil, type, &cipher, TPMI_ALG_HASH(TPM2_ALG_SHA256), &session))
      return session
    }

    private func require(_ comparison: TPMComparison, in session: ESYS_TR) throws(TPMError) {
      try withIndex(comparison.index) { (index) throws(TPMError) in
        var operand = try TPMMarshalling.digest(comparison.number.bigEndianOctets)
        try check(
          "TPM2_PolicyNV",
          unsafe Esys_PolicyNV(
            stack, index, index, session, emptyPassword, absent, absent, &operand, 0, comparison.relation.rawValue))
      }
    }
  }
#endif
