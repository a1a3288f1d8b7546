public import Links
public import VirtualCard

/// A reader service of a test's own, with one virtual reader of two slots and whatever a test needs beside it.
public final class IsolatedPCSCD: Sendable {
  /// The service itself.
  public let service: PrivateReaderService
  /// The TCP port of the virtual reader's first slot; the second slot has the next one.
  public let port: UInt16
  /// The names of the virtual reader's two slots, as clients see them.
  public let readerNames: [String]

  /// Starts a pcscd and waits until it is ready.
  ///
  /// - Parameters:
  ///   - logsCommands: Whether the log shows each APDU.
  ///   - further: Readers beside the virtual one.
  public init(logsCommands: Bool = false, further: [ReaderEntry] = []) throws(LinkError) {
    service = try PrivateReaderService.withVirtualReader(
      named: "Contactless Test Reader", further: further, logsCommands: logsCommands)
    port = UInt16(service.readers[0].channel)
    readerNames = service.readers[0].readerNames()
  }

  /// What the client library must find in `PCSCLITE_CSOCK_NAME`. It reads the variable once per process.
  public var socketPath: String { service.socketPath }

  /// The directory of the configuration and the socket.
  public var directory: String { service.directory }

  /// What pcscd has logged since it was last started.
  public var log: String { service.log }

  /// The process number, or nil when pcscd does not run.
  public var identifier: Int32? { service.identifier }

  /// What a program needs in its environment to talk to this pcscd.
  public var environment: [String: String] { service.environment }

  /// Ends pcscd without warning.
  public func kill() { service.kill() }

  /// Ends pcscd in order.
  public func stop() { service.stop() }

  /// Starts pcscd anew, at the same path and ports.
  public func restart() throws(LinkError) { try service.restart() }

  /// Ends pcscd and removes its directory, for an owner that is never let go of.
  public func close() { service.close() }
}
