internal import NIOCore
public import NIOSSL
internal import Synchronization

/// The TLS settings of new connections. They can be replaced while the server runs; open connections keep theirs.
public final class ServerCertificates: Sendable {
  private struct State {
    var settings: TLSConfiguration
    var context: NIOSSLContext
    /// Counts the replacements.
    var generation = 0
    /// The generation of each open connection.
    var connections: [ObjectIdentifier: Int] = [:]
  }

  private let state: Mutex<State>

  /// Creates the settings.
  ///
  /// - Throws: An error of NIOSSL for a certificate or key that it cannot use.
  init(_ tls: TLSConfiguration) throws {
    state = Mutex(State(settings: tls, context: try NIOSSLContext(configuration: tls)))
  }

  /// Replaces the settings. A connection with the former ones is closed after the response to its next request. Settings with
  /// the same certificate and key change nothing.
  ///
  /// - Throws: An error of NIOSSL for a certificate or key that it cannot use. The former settings stay.
  public func replace(_ tls: TLSConfiguration) throws {
    let context = try NIOSSLContext(configuration: tls)
    state.withLock { state in
      guard !state.settings.bestEffortEquals(tls) else { return }
      (state.settings, state.context) = (tls, context)
      state.generation += 1
    }
  }

  /// Whether a connection has settings that were replaced.
  func areReplaced(for channel: any Channel) -> Bool {
    state.withLock { $0.generation > 0 && $0.connections[ObjectIdentifier(channel)] != $0.generation }
  }

  /// The present settings, for a connection that begins.
  func context(for channel: any Channel) -> NIOSSLContext {
    let id = ObjectIdentifier(channel)
    channel.closeFuture.whenComplete { [self] _ in state.withLock { _ = $0.connections.removeValue(forKey: id) } }
    return state.withLock { state in
      state.connections[id] = state.generation
      return state.context
    }
  }
}
