#if !PCSC
  public import Links
  public import Octets

  extension LinkError {
    /// The error of every call in a build without libpcsclite.
    static var builtWithoutPCSC: LinkError {
      LinkError(
        .serviceUnavailable,
        """
        built without PC/SC: install libpcsclite-dev and build with the trait PCSC, which is on unless it is switched off
        """)
    }
  }

  /// A placeholder in a build without PC/SC. It cannot be created.
  public struct PCSCChannel: ~Copyable, CardChannel {
    private let never: Never

    /// Always throws.
    ///
    /// - Throws: `LinkError.Code.serviceUnavailable`.
    public init(
      reader: String, patience: Duration = .seconds(5), responseLimit: Duration = .seconds(30)
    ) throws(LinkError) {
      throw LinkError.builtWithoutPCSC
    }

    /// Never called.
    public var reader: String { switch never {} }

    /// Never called.
    public var identity: CardIdentity { switch never {} }

    /// Never called.
    public mutating func transmit(
      _ command: Span<UInt8>, into response: inout MutableRawSpan
    ) throws(LinkError) -> Int { switch never {} }

    /// Never called.
    public mutating func close() {}
  }

  /// A placeholder in a build without PC/SC. It cannot be created.
  public typealias PCSCBlockingChannel = PCSCChannel

  /// A placeholder in a build without PC/SC. It cannot be created.
  public final class PCSCMonitor: ReaderMonitor {
    /// Always throws.
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
