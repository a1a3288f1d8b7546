import CSingleStep
import Glibc
import ISO7816
import Links
import Octets

/// The link of a card that is stepped: one read brings a command, one write takes its response away, and between both are only
/// instructions of the card.
final class CommandLink: EmulationLink {
  /// The first byte of a message of the terminal.
  enum Message: UInt8 {
    /// The command follows.
    case command
    /// The command follows, and the field is lost before its response has left.
    case tornCommand
  }

  let socket: Int32
  private let clock: any MonotonicClock
  private let started: AsyncStream<pid_t>
  private let start: AsyncStream<pid_t>.Continuation

  /// Connects to the terminal that listens at a path.
  init(path: String, clock: any MonotonicClock) throws {
    socket = try SeatSocket.connect(to: path)
    self.clock = clock
    (started, start) = AsyncStream.makeStream()
  }

  deinit { close(socket) }

  /// The number of the card's thread, once it serves.
  var thread: pid_t? { get async { await started.first { _ in true } } }

  func serve<Responder: CommandResponder & ~Copyable>(_ responder: inout Responder) throws(LinkError) {
    let room = UnsafeMutableRawBufferPointer.allocate(byteCount: 1024, alignment: 16)
    defer { room.deallocate() }
    let message = UnsafeMutableRawBufferPointer(rebasing: room[..<512])
    let response = UnsafeMutableRawBufferPointer(rebasing: room[512...])
    start.yield(step_this_thread())
    responder.fieldChanged(.powered, at: clock.now)
    while true {
      let count = read(socket, message.baseAddress, message.count)
      guard count > 0 else { return }
      switch Message(rawValue: message[0]) {
      case .command:
        write(socket, response.baseAddress, respond(to: message[1..<count], with: &responder, into: response))
        responder.responseSent()
      case .tornCommand:
        _ = respond(to: message[1..<count], with: &responder, into: response)
        responder.fieldChanged(.lost, at: clock.now)
        responder.fieldChanged(.powered, at: clock.now)
      case nil: return
      }
    }
  }

  private func respond<Responder: CommandResponder & ~Copyable>(
    to command: Slice<UnsafeMutableRawBufferPointer>, with responder: inout Responder,
    into response: UnsafeMutableRawBufferPointer
  ) -> Int {
    let command = UnsafeBufferPointer(
      UnsafeMutableRawBufferPointer(rebasing: command).assumingMemoryBound(to: UInt8.self))
    var octets = response.mutableBytes
    return responder.respond(to: command.span, at: clock.now, into: &octets)
  }

  func stop() { shutdown(socket, Int32(SHUT_RDWR)) }
}
