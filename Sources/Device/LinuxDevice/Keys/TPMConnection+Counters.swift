#if LinuxDevice
  internal import CTSS
  internal import Octets

  extension TPMConnection {
    /// Defines a counter and raises it to its first value.
    ///
    /// The first value is above that of every counter that this TPM has ever had, so a counter that is deleted and
    /// defined again does not return to an old value.
    func defineCounter(_ index: UInt32, mark: [UInt8]) throws(TPMError) {
      var definition = try unsafe TPMMarshalling.read(
        TPMTemplates.counter(index, mark: mark), into: TPM2B_NV_PUBLIC(), Tss2_MU_TPM2B_NV_PUBLIC_Unmarshal)
      var authorisation = TPM2B_AUTH()
      var handle = absent
      try check(
        "TPM2_NV_DefineSpace",
        unsafe Esys_NV_DefineSpace(
          stack, ESYS_TR(ESYS_TR_RH_OWNER), emptyPassword, absent, absent, &authorisation, &definition, &handle)
      )
      defer { close(handle) }
      try increment(handle)
    }

    /// Deletes an index.
    func deleteCounter(_ index: UInt32) throws(TPMError) {
      let handle = try open(index)
      do throws(TPMError) {
        try check(
          "TPM2_NV_UndefineSpace",
          unsafe Esys_NV_UndefineSpace(
            stack, ESYS_TR(ESYS_TR_RH_OWNER), handle, emptyPassword, absent, absent))
      } catch {
        // The stack closes the handle of an index that was deleted.
        close(handle)
        throw error
      }
    }

    /// Returns the definition (`TPM2B_NV_PUBLIC`) and the name of an index. The name depends on the whole definition.
    func definition(_ index: UInt32) throws(TPMError) -> (octets: [UInt8], name: [UInt8]) {
      try withIndex(index) { (handle) throws(TPMError) in
        var definition: UnsafeMutablePointer<TPM2B_NV_PUBLIC>?
        var name: UnsafeMutablePointer<TPM2B_NAME>?
        try check(
          "TPM2_NV_ReadPublic", unsafe Esys_NV_ReadPublic(stack, handle, absent, absent, absent, &definition, &name))
        defer {
          unsafe Esys_Free(definition)
          unsafe Esys_Free(name)
        }
        guard let definition = unsafe definition, let name = unsafe name else { throw .malformed("TPM2_NV_ReadPublic") }
        return (
          try unsafe TPMMarshalling.octets(of: definition, Tss2_MU_TPM2B_NV_PUBLIC_Marshal),
          try unsafe TPMMarshalling.octets(of: name, Tss2_MU_TPM2B_NAME_Marshal)
        )
      }
    }

    /// Reads a counter.
    func counter(_ index: UInt32) throws(TPMError) -> UInt64 {
      try withIndex(index) { (handle) throws(TPMError) in
        var result: UnsafeMutablePointer<TPM2B_MAX_NV_BUFFER>?
        try check(
          "TPM2_NV_Read",
          unsafe Esys_NV_Read(stack, handle, handle, emptyPassword, absent, absent, 8, 0, &result))
        defer { unsafe Esys_Free(result) }
        guard let data = unsafe result, unsafe data.pointee.size == 8 else { throw .malformed("TPM2_NV_Read") }
        let octets = unsafe withUnsafeBytes(of: &data.pointee.buffer) { unsafe Array($0.prefix(8)) }
        guard let number = UInt64(bigEndian: octets) else { throw .malformed("TPM2_NV_Read") }
        return number
      }
    }

    /// Raises a counter by 1.
    func raiseCounter(_ index: UInt32) throws(TPMError) {
      try withIndex(index) { (handle) throws(TPMError) in try increment(handle) }
    }

    private func increment(_ handle: ESYS_TR) throws(TPMError) {
      try check(
        "TPM2_NV_Increment",
        unsafe Esys_NV_Increment(stack, handle, handle, emptyPassword, absent, absent))
    }

    /// Lends an index.
    func withIndex<Result>(
      _ index: UInt32, _ body: (ESYS_TR) throws(TPMError) -> Result
    ) throws(TPMError) -> Result {
      let handle = try open(index)
      defer { close(handle) }
      return try body(handle)
    }

    private func open(_ index: UInt32) throws(TPMError) -> ESYS_TR {
      var handle = absent
      try check("TPM2_NV_ReadPublic", unsafe Esys_TR_FromTPMPublic(stack, index, absent, absent, absent, &handle))
      return handle
    }

    private func close(_ handle: ESYS_TR) {
      var handle = handle
      _ = unsafe Esys_TR_Close(stack, &handle)
    }
  }
#endif
