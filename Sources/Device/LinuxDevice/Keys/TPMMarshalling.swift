#if LinuxDevice
  internal import CTSS
  internal import Octets

  /// Structures of the software stack, from and to bytes. Every length is checked by the stack or here.
  enum TPMMarshalling {
    static func publicArea(_ octets: [UInt8]) throws(TPMError) -> TPM2B_PUBLIC {
      try unsafe read(octets, into: TPM2B_PUBLIC(), Tss2_MU_TPM2B_PUBLIC_Unmarshal)
    }

    static func digest(_ octets: [UInt8]) throws(TPMError) -> TPM2B_DIGEST {
      try unsafe read(TPMTemplates.sized(octets), into: TPM2B_DIGEST(), Tss2_MU_TPM2B_DIGEST_Unmarshal)
    }

    /// Reads a structure that must fill the bytes, with the function of the stack for its type.
    static func read<Value>(
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

    /// Returns the bytes of a structure, with the function of the stack for its type.
    static func octets<Value>(
      of value: UnsafePointer<Value>,
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
