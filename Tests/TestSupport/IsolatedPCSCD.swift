public import Links
public import VirtualCard

/// A pcscd for one test, with a virtual reader of two slots and further readers.
public final class IsolatedPCSCD: Sendable {
  /// The service.
  public let service: PrivateReaderService
  /// The TCP port of the virtual reader's first slot; the second slot has the next one.
  public let port: UInt16
  /// The names of the virtual reader's two slots, as programs see them.
  public let readerNames: [String]

  /// Starts pcscd and waits until it is ready.
  ///
  /// - Parameters:
  ///   - logsCommands: Whether the log contains each APDU.
  ///   - further: The readers after the virtual one.
  public init(logsCommands: Bool = false, further: [ReaderEntry] = []) throws(LinkError) {
    service = try PrivateReaderService.withVirtualReader(
      named: "Contactless Test Reader", further: further, logsCommands: logsCommands)
    port = UInt16(service.readers[0].channel)
    readerNames = service.readers[0].readerNames()
  }

  /// The value for `PCSCLITE_CSOCK_NAME`, which the client library reads once per process.
  public var socketPath: String { service.socketPath }

  /// The directory of the configuration and the socket.
  public var directory: String { service.directory }

  /// What pcscd has logged since its last start.
  public var log: String { service.log }

  /// The process number, or nil when pcscd does not run.
  public var identifier: Int32? { service.identifier }

  /// The environment with which a program uses this pcscd.
  public var environment: [String: String] { service.environment }

  /// Kills pcscd.
  public func kill() { service.kill() }

  /// Ends pcscd with SIGTERM.
  public func stop() { service.stop() }

  /// Starts pcscd again, with the same socket and ports.
  public func restart() throws(LinkError) { try service.restart() }

  /// Ends pcscd and removes its directory, for an object that is never released.
  public func close() { service.close() }
}
