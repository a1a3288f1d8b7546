internal import DeviceAuthentication
internal import Foundation
internal import Octets
internal import POSIX
internal import Synchronization

/// One connection of a client: a request, and its response.
struct ServedConnection: ~Copyable {
  private var socket: LinkSocket
  private let device: ServedDevice
  private let stop: WakeSignal

  /// - Parameter stop: Ends the connection when it is raised.
  init(_ socket: consuming LinkSocket, _ device: ServedDevice, stop: WakeSignal) {
    self.socket = socket
    self.device = device
    self.stop = stop
  }

  /// Serves the connection until it is answered or ends. Blocks.
  mutating func run(requestLimit: Duration) {
    socket.send([LinkHello().octets])
    var terminal: PromptTerminal?
    do throws(LinkFailure) {
      let end = SystemClock().now + requestLimit
      guard let hello = try message(end, &terminal) else { return }
      // The client of another version reads the version of this device and ends.
      guard try LinkHello(hello).version == LinkHello.version else { return }
      guard let request = try message(end, &terminal) else { return }
      answer(try LinkRequest(request), terminal)
    } catch {
      socket.send([LinkReply.failed(.unavailable(reason: "this device received \(error)")).octets])
    }
  }

  private mutating func message(
    _ end: Instant, _ terminal: inout PromptTerminal?
  ) throws(LinkFailure) -> [UInt8]? {
    switch try socket.receive(wake: stop, until: end, &terminal) {
    case .message(let octets): octets
    case .closed, .woken: nil
    case .timedOut: throw .malformed("no request in time")
    }
  }

  /// Performs the request in a task. Any bytes of the client, its end and the end of the server cancel the task.
  private func answer(_ request: LinkRequest, _ terminal: PromptTerminal?) {
    let (device, stop) = (device, stop)
    let answer = Answer()
    let task = Task {
      answer.set(await device.frame(answering: request, terminal))
      // Also ends the wait for the client.
      stop.raise()
    }
    if !socket.hasFurtherOctets { _ = socket.wait(stop, until: nil) }
    if !answer.isSet { task.cancel() }
    socket.send(frame: answer.wait().octets)
  }
}

/// The framed response to a request, set once.
private final class Answer: Sendable {
  private let reply = Mutex<SharedSecret?>(nil)
  private let ready = DispatchSemaphore(value: 0)

  var isSet: Bool { reply.withLock { $0 != nil } }

  func set(_ value: SharedSecret) {
    reply.withLock { $0 = value }
    ready.signal()
  }

  /// Blocks until the response is set.
  func wait() -> SharedSecret {
    while true {
      if let value = reply.withLock({ $0 }) { return value }
      ready.wait()
    }
  }
}
