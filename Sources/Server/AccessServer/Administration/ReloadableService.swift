internal import Documents
internal import FIDOUAF
internal import JSON
public import ServerShell
internal import Synchronization

/// A service whose configuration is replaced while it answers. A request has the configuration of its beginning.
public final class ReloadableService: AccessResponding {
  private struct State {
    var service: AccessService
    var files: [ServedFile]
    /// The configuration as it was read, also the part that waits for a restart.
    var read: ServerConfiguration
  }

  /// What a reload has done.
  public struct Outcome: Sendable {
    /// What was read, each with whether it has changed, such as `key changed`. A certificate has its fingerprint, a secret none.
    public let files: [String]
    /// The keys whose change needs a restart: they keep their former values.
    public let waiting: [String]
  }

  private let current: Mutex<State>

  /// Creates a service.
  ///
  /// - Parameter files: What the server has read at its start besides the configuration.
  public init(_ service: AccessService, files: [ServedFile] = []) {
    current = Mutex(State(service: service, files: files, read: service.configuration))
  }

  /// The service with the present configuration.
  public var service: AccessService { current.withLock { $0.service } }

  /// Answers a request.
  public func respond(to request: AccessRequest) async -> AccessResponse { await service.respond(to: request) }

  /// The name of the route of a request.
  public func routeName(of request: AccessRequest) -> String? { service.routeName(of: request) }

  /// Replaces the configuration and the token of the operator.
  ///
  /// The former channel binding is accepted until every challenge has expired that a connection with the former certificate
  /// can have received.
  ///
  /// - Parameter files: What the server has read besides the configuration.
  public func reload(
    _ configuration: ServerConfiguration, operatorToken: String?, files: [ServedFile] = []
  ) -> Outcome {
    current.withLock { state in
      var new = configuration
      let former = state.service.configuration
      let waiting = new.keysForRestart(from: former)
      new.connections = former.connections
      new.guards = former.guards
      new.formerChannelBindings = former.bindings(heldAfter: state.service.now, replacedBy: new)
      state.service.replace(new, operatorToken: operatorToken)
      let isSame = configuration.hasSameKeys(as: state.read)
      let changes = files.map { $0.change(from: state.files) }
      (state.files, state.read) = (files, configuration)
      return Outcome(files: changes + ["configuration \(isSame ? "unchanged" : "changed")"], waiting: waiting)
    }
  }
}

extension ServerConfiguration {
  /// Returns whether the file of another configuration says the same. The binding comes from the certificate.
  fileprivate func hasSameKeys(as other: ServerConfiguration) -> Bool {
    var (own, others) = (self, other)
    (own.channelBinding, others.channelBinding) = (nil, nil)
    (own.formerChannelBindings, others.formerChannelBindings) = ([], [])
    return own == others
  }

  /// The bindings that stay accepted after a replacement at a moment, those of former replacements included.
  fileprivate func bindings(heldAfter now: Int64, replacedBy new: ServerConfiguration) -> [FormerChannelBinding] {
    // A connection with the former certificate is closed after the response to its next request, which has this long.
    let last =
      now + connections.request + connections.response + max(lifetimes.request, new.lifetimes.request)
    let replaced = channelBinding.map { [FormerChannelBinding(binding: $0, heldUntil: last)] } ?? []
    return (formerChannelBindings + replaced).filter { $0.heldUntil > now && $0.binding != new.channelBinding }
  }
}
