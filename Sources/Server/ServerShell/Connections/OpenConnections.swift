internal import NIOCore
internal import Synchronization

/// The open connections of a server, counted by address.
final class OpenConnections: Sendable {
  private struct State {
    var channels: [ObjectIdentifier: any Channel] = [:]
    var counts: [String: Int] = [:]
    var hasEnded = false
  }

  let limits: ConnectionLimits
  private let state = Mutex(State())
  private let metrics: ServerMetrics

  init(_ limits: ConnectionLimits, metrics: ServerMetrics = ServerMetrics()) {
    (self.limits, self.metrics) = (limits, metrics)
  }

  /// Adds a connection.
  ///
  /// - Returns: The text under which it is counted; nil when its address has too many connections, or after `end`, which
  ///   adds nothing.
  func add(_ channel: any Channel, from address: String) -> String? {
    let counted = NetworkAddress.counted(address)
    let isExempt = limits.trusts(address)
    let added: String? = state.withLock { state in
      guard !state.hasEnded, isExempt || state.counts[counted, default: 0] < limits.perAddress else { return nil }
      state.counts[counted, default: 0] += 1
      state.channels[ObjectIdentifier(channel)] = channel
      return counted
    }
    if added == nil { metrics.connectionRefused() } else { metrics.connectionOpened() }
    return added
  }

  /// Removes a connection that is closed.
  func remove(_ channel: any Channel, countedAs counted: String) {
    state.withLock { state in
      state.channels[ObjectIdentifier(channel)] = nil
      let left = state.counts[counted, default: 1] - 1
      state.counts[counted] = left > 0 ? left : nil
    }
    metrics.connectionClosed()
  }

  /// Closes all connections at once, without the closing messages of TLS, and those that are added from now on.
  func end() {
    let channels = state.withLock { state in
      state.hasEnded = true
      return Array(state.channels.values)
    }
    for channel in channels {
      channel.triggerUserOutboundEvent(ConnectionEvent.dropped, promise: nil)
    }
  }
}
