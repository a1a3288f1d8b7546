#if LinuxDevice
  internal import CTSS
  internal import Octets

  /// Structures of the software stack, from and to bytes. Every length is checked by the stack or here.
  enum TPMMarshalling {
    static func publicArea(_ octets: [UInt8]) throws(TPMError) -> TPM2B_PUBLIC {
      try unsafe read(octets, into: TPM2B_PUBLIC()) { unsafe Tss2_MU_TPM2B_PUBLIC_Unmarshal($0, $1, $2, $3) }
    }

    static func privateArea(_ octets: [UInt8]) throws(TPMError) -> TPM2B_PRIVATE {
      try unsafe read(octets, into: TPM2B_PRIVATE()) { unsafe Tss2_MU_TPM2B_PRIVATE_Unmarshal($0, $1, $2, $3) }
    }

    static func index(_ octets: [UInt8]) throws(TPMError) -> TPM2B_NV_PUBLIC {
      try unsafe read(octets, into: TPM2B_NV_PUBLIC()) { unsafe Tss2_MU_TPM2B_NV_PUBLIC_Unmarshal($0, $1, $2, $3) }
    }

    static func cipher(_ octets: [UInt8]) throws(TPMError) -> TPMT_SYM_DEF {
      try unsafe read(octets, into: TPMT_SYM_DEF()) { unsafe Tss2_MU_TPMT_SYM_DEF_Unmarshal($0, $1, $2, $3) }
    }

    static func digest(_ octets: [UInt8]) throws(TPMError) -> TPM2B_DIGEST {
      try unsafe read(TPMTemplates.sized(octets), into: TPM2B_DIGEST()) {
        unsafe Tss2_MU_TPM2B_DIGEST_Unmarshal($0, $1, $2, $3)
      }
    }

    static func octets(of value: UnsafePointer<TPM2B_PUBLIC>) throws(TPMError) -> [UInt8] {
      try unsafe write(value) { unsafe Tss2_MU_TPM2B_PUBLIC_Marshal($0, $1, $2, $3) }
    }

    static func octets(of value: UnsafePointer<TPM2B_PRIVATE>) throws(TPMError) -> [UInt8] {
      try unsafe write(value) { unsafe Tss2_MU_TPM2B_PRIVATE_Marshal($0, $1, $2, $3) }
    }

    static func octets(of value: UnsafePointer<TPM2B_NV_PUBLIC>) throws(TPMError) -> [UInt8] {
      try unsafe write(value) { unsafe Tss2_MU_TPM2B_NV_PUBLIC_Marshal($0, $1, $2, $3) }
    }

    static func octets(of value: UnsafePointer<TPM2B_NAME>) throws(TPMError) -> [UInt8] {
      try unsafe write(value) { unsafe Tss2_MU_TPM2B_NAME_Marshal($0, $1, $2, $3) }
    }

    static func octets(of value: UnsafePointer<TPM2B_DIGEST>) throws(TPMError) -> [UInt8] {
      try unsafe write(value) { unsafe Tss2_MU_TPM2B_DIGEST_Marshal($0, $1, $2, $3) }
    }

    static func octets(of value: UnsafePointer<TPMT_SIGNATURE>) throws(TPMError) -> [UInt8] {
      try unsafe write(value) { unsafe Tss2_MU_TPMT_SIGNATURE_Marshal($0, $1, $2, $3) }
    }

    /// Reads a structure that must fill the bytes.
    private static func read<Value>(
      _ octets: [UInt8], into value: Value,
      _ unmarshal: (UnsafePointer<UInt8>?, Int, UnsafeMutablePointer<Int>, UnsafeMutablePointer<Value>) -> TSS2_RC
    ) throws(TPMError) -> Value {
      var (result, offset) = (value, 0)
      let code = unsafe octets.withUnsafeBufferPointer { unsafe unmarshal($0.baseAddress, $0.count, &offset, &result) }
      guard code == 0 else { throw TPMError("a structure", TPMResponseCode(rawValue: code)) }
      guard offset == octets.count else { throw .malformed("a structure") }
      return result
    }

    /// The longest structure of the stack: a public area with its policy, below 1024 bytes, or a private area of 1 kB.
    private static let longest = 4096

    private static func write<Value>(
      _ value: UnsafePointer<Value>,
      _ marshal: (UnsafePointer<Value>, UnsafeMutablePointer<UInt8>?, Int, UnsafeMutablePointer<Int>) -> TSS2_RC
    ) throws(TPMError) -> [UInt8] {
      var (octets, offset) = ([UInt8](repeating: 0, count: longest), 0)
      let code = unsafe octets.withUnsafeMutableBufferPointer {
        unsafe marshal(value, $0.baseAddress, $0.count, &offset)
      }
      guard code == 0, (0...longest).contains(offset) else { throw .malformed("a structure") }
      return Array(octets.prefix(offset))
    }
  }
#endif
