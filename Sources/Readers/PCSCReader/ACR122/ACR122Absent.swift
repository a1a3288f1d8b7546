#if !PCSC
  internal import Links
  internal import Octets

  /// A placeholder in a build without PC/SC. It cannot be created.
  struct ACR122Session: ~Copyable, BlockingDevice {
    init(reader: String, until deadline: Instant) throws(LinkError) {
      throw LinkError.builtWithoutPCSC
    }

    func open() {}

    func perform(_ command: [UInt8]) -> Result<[UInt8], LinkError> { .failure(.builtWithoutPCSC) }
  }
#endif
