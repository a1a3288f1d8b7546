#if LinuxDevice
  internal import CTSS
  internal import Glibc
  internal import DeviceAuthentication
  internal import Octets

  /// A key as the TPM hands it out: only the same TPM reads the private part.
  struct TPMBlob: Equatable, Sendable {
    /// `TPM2B_PUBLIC`.
    let publicArea: [UInt8]
    /// `TPM2B_PRIVATE`, encrypted by the TPM.
    let privateArea: [UInt8]
  }

  extension TPMConnection {
    /// Computes the primary key of the owner hierarchy, lends it, and flushes it.
    func withPrimary<Result: ~Copyable>(
      _ body: (ESYS_TR) throws(TPMError) -> Result
    ) throws(TPMError) -> Result {
      let primary = try createPrimary(in: ESYS_TR(ESYS_TR_RH_OWNER)).handle
      defer { flush(primary) }
      return try body(primary)
    }

    /// Computes the primary key of the endorsement hierarchy, flushes it, and returns its public part (`TPM2B_PUBLIC`).
    func endorsementKey() throws(TPMError) -> [UInt8] {
      let primary = try createPrimary(in: ESYS_TR(ESYS_TR_RH_ENDORSEMENT))
      flush(primary.handle)
      return primary.publicArea
    }

    private func createPrimary(in hierarchy: ESYS_TR) throws(TPMError) -> (handle: ESYS_TR, publicArea: [UInt8]) {
      var template = try TPMMarshalling.publicArea(TPMTemplates.primary)
      var (sensitive, data, selection) = (TPM2B_SENSITIVE_CREATE(), TPM2B_DATA(), TPML_PCR_SELECTION())
      var primary = absent
      var created: UnsafeMutablePointer<TPM2B_PUBLIC>?
      try check(
        "TPM2_CreatePrimary",
        unsafe Esys_CreatePrimary(
          stack, hierarchy, emptyPassword, absent, absent, &sensitive, &template, &data, &selection, &primary,
          &created, nil, nil, nil))
      defer { unsafe Esys_Free(created) }
      guard let created = unsafe created else { throw .malformed("TPM2_CreatePrimary") }
      return (primary, try unsafe TPMMarshalling.octets(of: created, Tss2_MU_TPM2B_PUBLIC_Marshal))
    }

    /// Creates a key below the primary key.
    ///
    /// - Parameter content: The bytes of a sealing key, at most 128; nil for a signing key, which the TPM generates.
    func create(
      _ template: [UInt8], sealing content: consuming Secret?, below primary: ESYS_TR
    ) throws(TPMError) -> TPMBlob {
      var template = try TPMMarshalling.publicArea(template)
      let sensitive = Secret(count: MemoryLayout<TPM2B_SENSITIVE_CREATE>.size) { (_: inout MutableRawSpan) in }
      if let content { fill(sensitive, with: content) }
      return try withEncryptingSession(salt: primary) { (session) throws(TPMError) in
        try unsafe sensitive.withExposedStorage { (storage) throws(TPMError) in
          let sensitive = unsafe storage.assumingMemoryBound(to: TPM2B_SENSITIVE_CREATE.self)
          return try unsafe create(&template, sensitive, below: primary, session)
        }
      }
    }

    private func fill(_ sensitive: borrowing Secret, with content: borrowing Secret) {
      let count = content.count
      precondition(count <= 128, "a sealing key has at most 128 bytes")
      unsafe sensitive.withExposedStorage { storage in
        let sensitive = unsafe storage.assumingMemoryBound(to: TPM2B_SENSITIVE_CREATE.self)
        unsafe sensitive.pointee.sensitive.data.size = UInt16(count)
        unsafe withUnsafeMutableBytes(of: &sensitive.pointee.sensitive.data.buffer) { buffer in
          content.withExposedOctets { octets in
            for index in octets.indices { unsafe buffer[index] = octets[index] }
          }
        }
      }
    }

    private func create(
      _ template: inout TPM2B_PUBLIC, _ sensitive: UnsafePointer<TPM2B_SENSITIVE_CREATE>, below primary: ESYS_TR,
      _ session: ESYS_TR
    ) throws(TPMError) -> TPMBlob {
      var (data, selection) = (TPM2B_DATA(), TPML_PCR_SELECTION())
      var createdPrivate: UnsafeMutablePointer<TPM2B_PRIVATE>?
      var createdPublic: UnsafeMutablePointer<TPM2B_PUBLIC>?
      try check(
        "TPM2_Create",
        unsafe Esys_Create(
          stack, primary, emptyPassword, session, absent, sensitive, &template, &data,
          &selection, &createdPrivate, &createdPublic, nil, nil, nil))
      defer {
        unsafe Esys_Free(createdPrivate)
        unsafe Esys_Free(createdPublic)
      }
      guard let createdPrivate = unsafe createdPrivate, let createdPublic = unsafe createdPublic else {
        throw .malformed("TPM2_Create")
      }
      return TPMBlob(
        publicArea: try unsafe TPMMarshalling.octets(of: createdPublic, Tss2_MU_TPM2B_PUBLIC_Marshal),
        privateArea: try unsafe TPMMarshalling.octets(of: createdPrivate, Tss2_MU_TPM2B_PRIVATE_Marshal))
    }

    /// Loads a key below the primary key, lends it, and flushes it. The TPM checks that both parts belong together.
    func withKey<Result: ~Copyable>(
      _ blob: TPMBlob, below primary: ESYS_TR, _ body: (ESYS_TR) throws(TPMError) -> Result
    ) throws(TPMError) -> Result {
      var (publicArea, privateArea) = try areas(of: blob)
      var key = absent
      try check(
        "TPM2_Load",
        unsafe Esys_Load(stack, primary, emptyPassword, absent, absent, &privateArea, &publicArea, &key))
      defer { flush(key) }
      return try body(key)
    }

    /// Reads the parts of a key. The stack rejects those that the TPM would reject when it loads them.
    private func areas(of blob: TPMBlob) throws(TPMError) -> (TPM2B_PUBLIC, TPM2B_PRIVATE) {
      do throws(TPMError) {
        let privateArea = try unsafe TPMMarshalling.read(
          blob.privateArea, into: TPM2B_PRIVATE(), Tss2_MU_TPM2B_PRIVATE_Unmarshal)
        return (try TPMMarshalling.publicArea(blob.publicArea), privateArea)
      } catch {
        throw TPMError("TPM2_Load", .otherHierarchy)
      }
    }

    /// Returns the bytes of a sealing key.
    ///
    /// - Parameter count: The number of bytes that the key holds. Another number throws.
    func unseal(_ key: ESYS_TR, in session: ESYS_TR, count: Int) throws(TPMError) -> Secret {
      var result: UnsafeMutablePointer<TPM2B_SENSITIVE_DATA>?
      try check("TPM2_Unseal", unsafe Esys_Unseal(stack, key, session, absent, absent, &result))
      guard let data = unsafe result else { throw .malformed("TPM2_Unseal") }
      defer {
        unsafe explicit_bzero(data, MemoryLayout<TPM2B_SENSITIVE_DATA>.size)
        unsafe Esys_Free(data)
      }
      guard unsafe Int(data.pointee.size) == count else { throw .malformed("TPM2_Unseal") }
      return unsafe withUnsafeBytes(of: &data.pointee.buffer) { buffer in
        precondition(count <= buffer.count, "a sealing key has at most 128 bytes")
        let octets = unsafe Span(_unsafeBytes: UnsafeRawBufferPointer(rebasing: buffer.prefix(count))) as Span<UInt8>
        return Secret(copying: octets)
      }
    }

    /// Signs a digest of 32 bytes with a signing key, and returns r and s, 64 bytes.
    func sign(_ digest: [UInt8], with key: ESYS_TR, in session: ESYS_TR) throws(TPMError) -> [UInt8] {
      var digest = try TPMMarshalling.digest(digest)
      // The scheme is that of the key. An empty ticket is allowed for a key that is not restricted.
      var (scheme, ticket) = (TPMT_SIG_SCHEME(), TPMT_TK_HASHCHECK())
      scheme.scheme = TPMI_ALG_SIG_SCHEME(TPM2_ALG_NULL)
      ticket.tag = TPM2_ST(TPM2_ST_HASHCHECK)
      ticket.hierarchy = TPMI_RH_HIERARCHY(TPM2_RH_NULL)
      var result: UnsafeMutablePointer<TPMT_SIGNATURE>?
      try check("TPM2_Sign", unsafe Esys_Sign(stack, key, session, absent, absent, &digest, &scheme, &ticket, &result))
      defer { unsafe Esys_Free(result) }
      guard let made = unsafe result,
        let numbers = TPMTemplates.signature(
          in: try unsafe TPMMarshalling.octets(of: made, Tss2_MU_TPMT_SIGNATURE_Marshal))
      else { throw .malformed("TPM2_Sign") }
      return numbers
    }
  }
#endif
