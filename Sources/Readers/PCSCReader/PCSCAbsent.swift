#if !PCSC
  public import Links
  public import Octets

  extension LinkError {
    /// What every call answers in a build without libpcsclite.
    static var builtWithoutPCSC: LinkError {
      LinkError(
        .serviceUnavailable,
        """
        built without PC/SC: install libpcsclite-dev and build with the trait PCSC, which is on unless it is switched off
        """)
    }
  }

  /// A stand-in that cannot be made: this build has no PC/SC.
  public struct PCSCChannel: ~Copyable, CardChannel {
    private let never: Never

    /// Always fails.
    ///
    /// - Throws: `LinkError.Code.serviceUnavailable`.
    public init(
      reader: String, patience: Duration = .seconds(5), responseLimit: Duration = .seconds(30)
    ) throws(LinkError) {
      throw LinkError.builtWithoutPCSC
    }

    /// Never called.
    public var identity: CardIdentity { switch never {} }

    /// Never called.
    public mutating func transmit(
      _ command: Span<UInt8>, into response: inout MutableRawSpan
    ) throws(LinkError) -> Int { switch never {} }

    /// Never called.
    public mutating func close() {}
  }

  /// A stand-in that cannot be made: this build has no PC/SC.
  public final class PCSCMonitor: ReaderMonitor {
    /// Always fails.
    ///
    /// - Throws: `LinkError.Code.serviceUnavailable`.
    public init(clock: any MonotonicClock = SystemClock()) throws(LinkError) {
      throw LinkError.builtWithoutPCSC
    }

    /// Never called.
    public func next(timeout: Duration) throws(LinkError) -> ReaderEvent? { nil }

    /// Never called.
    public func stop() {}
  }
#endif
