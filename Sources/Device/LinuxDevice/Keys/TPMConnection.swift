#if LinuxDevice
  internal import CTSS
  internal import Octets

  /// One connection to a TPM, for one thread. Its functions block. Every object and session that one of its functions
  /// creates is flushed when the function ends, also by an error: a TPM without a resource manager has room for three.
  @safe
  struct TPMConnection: ~Copyable {
    private let transport: OpaquePointer
    let stack: OpaquePointer
    private let settings: TPMSettings
    private let watch: CallWatch

    /// Opens a TPM.
    ///
    /// - Parameters:
    ///   - settings: The transport and the limits of commands.
    ///   - watch: Ends the wait for a command that takes longer than its limit.
    /// - Throws: The error of the software stack when there is no TPM, or this program may not use it.
    init(_ settings: TPMSettings, _ watch: CallWatch) throws(TPMError) {
      (self.settings, self.watch) = (settings, watch)
      let name = settings.transport
      watch.expect("the TPM at \(name)", within: settings.limit)
      var opened: OpaquePointer?
      var code = unsafe Tss2_TctiLdr_Initialize(name, &opened)
      guard code == 0, let transport = unsafe opened else {
        throw TPMError("the connection to \(name)", TPMResponseCode(rawValue: code))
      }
      var initialised: OpaquePointer?
      code = unsafe Esys_Initialize(&initialised, transport, nil)
      guard code == 0, let stack = unsafe initialised else {
        unsafe Tss2_TctiLdr_Finalize(&opened)
        throw TPMError("the connection to \(name)", TPMResponseCode(rawValue: code))
      }
      unsafe self.transport = transport
      unsafe self.stack = stack
    }

    deinit {
      overwriteKeys()
      var (stack, transport) = unsafe (Optional(stack), Optional(transport))
      unsafe Esys_Finalize(&stack)
      unsafe Tss2_TctiLdr_Finalize(&transport)
    }

    /// Overwrites what the stack has stored of the bytes of a key, in memory that it releases as it is: the parameters of the
    /// last creation, and the last command and response. No command is sent.
    private func overwriteKeys() {
      var (sensitive, data, selection) = (TPM2B_SENSITIVE_CREATE(), TPM2B_DATA(), TPML_PCR_SELECTION())
      var template = TPM2B_PUBLIC()
      // The stack stores the parameters, and then rejects the handle.
      _ = unsafe Esys_Create_Async(
        stack, absent, emptyPassword, absent, absent, &sensitive, &template, &data, &selection)
      var commands: OpaquePointer?
      var zeros = TPM2B_MAX_BUFFER()
      zeros.size = UInt16(TPM2_MAX_DIGEST_BUFFER)
      guard unsafe Esys_GetSysContext(stack, &commands) == 0, let commands = unsafe commands else { return }
      _ = unsafe Tss2_Sys_Hash_Prepare(
        commands, &zeros, TPMI_ALG_HASH(TPM2_ALG_SHA256), TPMI_RH_HIERARCHY(TPM2_RH_NULL))
    }

    /// Runs a command under its time limit and turns its result into an error.
    func check(_ command: String, _ call: @autoclosure () -> TSS2_RC) throws(TPMError) {
      watch.expect("the TPM (\(command))", within: settings.limit(of: command))
      let code = call()
      guard code == 0 else { throw TPMError(command, TPMResponseCode(rawValue: code)) }
    }

    /// Removes an object or a session from the TPM. An error is ignored: the TPM is gone or has removed it already.
    func flush(_ handle: ESYS_TR) {
      watch.expect("the TPM (TPM2_FlushContext)", within: settings.limit)
      _ = unsafe Esys_FlushContext(stack, handle)
    }
  }

  /// Stands for a session that a command does not have, and for a handle that a command is to write.
  let absent = ESYS_TR(ESYS_TR_NONE)
  /// The session of an object or a hierarchy whose authorisation value is empty.
  let emptyPassword = ESYS_TR(ESYS_TR_PASSWORD)

  extension TPMError {
    /// The code in words of the software stack.
    var words: String {
      guard let text = unsafe Tss2_RC_Decode(code.rawValue) else { return "" }
      return unsafe String(cString: text)
    }
  }
#endif
