internal import Glibc
internal import HummingbirdCore
internal import Logging
internal import NIOCore

/// What the server reports to the watch of a connection.
enum ConnectionEvent: Sendable {
  /// The whole request has been read. The connection is closed after the response to the last one.
  case requestComplete(isLast: Bool)
  /// The connection must be closed.
  case dropped
}

/// Closes the connection of a client that sends a request, or takes a response, too slowly. It is the handler next to the
/// socket: it counts the bytes that TLS makes of responses, and closes without waiting for TLS.
final class ConnectionWatch: ChannelDuplexHandler {
  typealias InboundIn = ByteBuffer
  typealias OutboundIn = ByteBuffer

  private let connections: OpenConnections
  private var counted: String?
  private var requestLimit: Scheduled<Void>?
  private var responseLimit: Scheduled<Void>?
  /// The writes that the socket has not taken.
  private var openWrites = 0
  private var isAnswering = false
  /// Whether the connection is closed after the present response.
  private var isLastResponse = false

  init(_ connections: OpenConnections) { self.connections = connections }

  func channelActive(context: ChannelHandlerContext) {
    counted = connections.add(context.channel, from: context.remoteAddress?.ipAddress ?? "unknown")
    guard counted != nil else { return context.close(promise: nil) }
    awaitRequest(context)
    context.fireChannelActive()
  }

  func channelInactive(context: ChannelHandlerContext) {
    requestLimit?.cancel()
    responseLimit?.cancel()
    if let counted { connections.remove(context.channel, countedAs: counted) }
    counted = nil
    context.fireChannelInactive()
  }

  func write(context: ChannelHandlerContext, data: NIOAny, promise: EventLoopPromise<Void>?) {
    if openWrites == 0 { responseLimit = limit(connections.limits.response, context) }
    openWrites += 1
    let written = promise ?? context.eventLoop.makePromise()
    let box = NIOLoopBound((self, context), eventLoop: context.eventLoop)
    written.futureResult.whenComplete { _ in
      let (watch, context) = box.value
      watch.endWrite(context)
    }
    context.write(data, promise: written)
  }

  private func endWrite(_ context: ChannelHandlerContext) {
    openWrites -= 1
    guard openWrites == 0 else { return }
    responseLimit?.cancel()
    guard isAnswering, counted != nil else { return }
    isAnswering = false
    // All of the response has been written: it has one flush. The channel closes TLS first, and then the socket.
    if isLastResponse { context.channel.close(promise: nil) } else { awaitRequest(context) }
  }

  func triggerUserOutboundEvent(context: ChannelHandlerContext, event: Any, promise: EventLoopPromise<Void>?) {
    switch event as? ConnectionEvent {
    case .requestComplete(let isLast):
      (isAnswering, isLastResponse) = (true, isLast)
      requestLimit?.cancel()
      promise?.succeed()
    case .dropped: Self.drop(context, promise)
    case nil: context.triggerUserOutboundEvent(event, promise: promise)
    }
  }

  private func awaitRequest(_ context: ChannelHandlerContext) {
    // A client may send its next request before it has taken a response.
    requestLimit?.cancel()
    requestLimit = limit(connections.limits.request, context)
  }

  private func limit(_ milliseconds: Int64, _ context: ChannelHandlerContext) -> Scheduled<Void> {
    let box = NIOLoopBound(context, eventLoop: context.eventLoop)
    return context.eventLoop.scheduleTask(in: .milliseconds(milliseconds)) { Self.drop(box.value, nil) }
  }

  // Without the linger the system would keep what the client does not read.
  private static func drop(_ context: ChannelHandlerContext, _ promise: EventLoopPromise<Void>?) {
    if let socket = context.channel as? any SocketOptionProvider {
      _ = socket.setSoLinger(linger(l_onoff: 1, l_linger: 0))
    }
    context.close(promise: promise)
  }
}

/// A channel whose connections have one handler more than those of its base, in front of them.
struct PrecededChannel<Base: ServerChildChannel>: ServerChildChannel {
  let base: Base
  let handler: @Sendable (any Channel) -> any ChannelHandler

  func setup(channel: any Channel, logger: Logger) -> EventLoopFuture<Base.Value> {
    channel.eventLoop.makeCompletedFuture {
      try channel.pipeline.syncOperations.addHandler(handler(channel))
    }.flatMap { base.setup(channel: channel, logger: logger) }
  }

  func handle(value: Base.Value, logger: Logger) async { await base.handle(value: value, logger: logger) }
}
