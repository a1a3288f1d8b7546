#if !PCSC
  internal import Links

  /// A stand-in that cannot be made: this build has no PC/SC.
  struct ACR122Session: ~Copyable, Partner {
    init(reader: String, until deadline: ContinuousClock.Instant) throws(LinkError) {
      throw LinkError.builtWithoutPCSC
    }

    func greet() {}

    func answer(to command: [UInt8]) -> Result<[UInt8], LinkError> { .failure(.builtWithoutPCSC) }
  }
#endif
