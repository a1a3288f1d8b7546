internal import DeviceAuthentication
internal import Glibc
internal import Octets
internal import POSIX

/// One request on a connection of its own.
struct LinkCall: Sendable {
  let socket: String
  let request: LinkRequest
  let cancelLimit: Duration
  /// The descriptor of the terminal that the device gets with the request.
  var terminal: Int32?

  /// Sends the request and waits for the response. Blocks.
  ///
  /// - Parameters:
  ///   - wake: Cancels the request when it is raised.
  ///   - end: When to stop waiting; nil for no limit.
  func run(wake: WakeSignal?, until end: Instant?) throws(DeviceAuthenticationError) -> LinkReply {
    var socket = try begun(wake, end)
    return try reply(&socket, wake, end)
  }

  /// Connects and sends the request.
  private func begun(
    _ wake: WakeSignal?, _ end: Instant?
  ) throws(DeviceAuthenticationError) -> LinkSocket {
    var socket = LinkSocket(try connected())
    try checkServer(socket)
    // A device that refuses the connection answers before it reads the request, so a failure to send is not the end.
    socket.send([LinkHello().octets, request.octets], terminal: terminal)
    try check(try parsed(try message(&socket, wake, end), LinkHello.init))
    return socket
  }

  private func reply(
    _ socket: inout LinkSocket, _ wake: WakeSignal?, _ end: Instant?
  ) throws(DeviceAuthenticationError) -> LinkReply {
    var octets = try message(&socket, wake, end)
    defer { octets.wipe() }
    let reply = try parsed(octets, LinkReply.init)
    if case .failed(let error) = reply { throw error }
    return reply
  }

  private func connected() throws(DeviceAuthenticationError) -> Descriptor {
    let address = try UnixSocketAddress(ofDevice: socket)
    do throws(SystemError) {
      return try address.connected()
    } catch {
      throw switch error.number {
      case ENOENT, ECONNREFUSED:
        .unavailable(reason: "no tap-device serves \(socket): start tap-device serve, or name its socket")
      case EACCES: .unavailable(reason: "\(socket) belongs to another user: start tap-device with --user of this one")
      default: .unavailable(reason: "\(socket): \(error)")
      }
    }
  }

  /// A program of another user that serves the path could answer in the name of the device.
  private func checkServer(_ connection: borrowing LinkSocket) throws(DeviceAuthenticationError) {
    guard let server = PeerIdentity(of: connection.descriptor) else {
      throw .unavailable(reason: "\(socket): \(SystemError())")
    }
    guard server.user == 0 || server.user == geteuid() else {
      throw .unavailable(
        reason: """
          \(socket) is served by user \(server.user), and only root or the user of this program may serve it: name the \
          socket of tap-device
          """)
    }
  }

  private func check(_ hello: LinkHello) throws(DeviceAuthenticationError) {
    guard hello.version == LinkHello.version else {
      throw .unavailable(
        reason: """
          tap-device speaks version \(hello.version) of its protocol and this program version \(LinkHello.version): \
          install both from one build
          """)
    }
  }

  private func parsed<Message>(
    _ octets: [UInt8], _ parse: ([UInt8]) throws(LinkFailure) -> Message
  ) throws(DeviceAuthenticationError) -> Message {
    do throws(LinkFailure) {
      return try parse(octets)
    } catch {
      throw .unavailable(reason: "\(socket) is not the socket of a tap-device of this build: \(error)")
    }
  }

  /// Waits for the next message. When the wake descriptor is raised, cancels the request and waits for its response.
  private func message(
    _ socket: inout LinkSocket, _ wake: WakeSignal?, _ end: Instant?
  ) throws(DeviceAuthenticationError) -> [UInt8] {
    var (wake, end) = (wake, end)
    var unused: PromptTerminal?
    while true {
      let arrival: LinkSocket.Arrival
      do throws(LinkFailure) {
        arrival = try socket.receive(wake: wake, until: end, &unused)
      } catch {
        throw .unavailable(reason: "tap-device announced \(error)")
      }
      switch arrival {
      case .message(let octets): return octets
      case .closed: throw .unavailable(reason: "tap-device ended before it answered: start it again")
      case .timedOut: throw .unavailable(reason: "tap-device did not answer in time: start it again")
      case .woken:
        socket.send([LinkRequest.cancel.octets])
        (wake, end) = (nil, SystemClock().now + cancelLimit)
      }
    }
  }
}
