import Glibc

/// The terminal's end of the link to the card that is stepped.
final class TerminalSide {
  let socket: Int32

  /// Accepts the card that has connected.
  init(accepting listener: Int32) throws(WalkFailure) {
    socket = accept(listener, nil, nil)
    guard socket >= 0 else { throw WalkFailure("accept: \(String(cString: strerror(errno)))") }
  }

  deinit { close(socket) }

  func send(_ message: CommandLink.Message, _ bytes: [UInt8] = []) {
    let message = [message.rawValue] + bytes
    Glibc.send(socket, message, message.count, Int32(MSG_NOSIGNAL))
  }

  /// Waits for a response; empty when the card has left.
  func response() throws(WalkFailure) -> [UInt8] {
    guard LineProcess.waits(on: socket, milliseconds: 30_000) else { throw WalkFailure("no response within 30 s") }
    var response = [UInt8](repeating: 0, count: 512)
    let count = recv(socket, &response, response.count, 0)
    return Array(response.prefix(max(count, 0)))
  }

  func exchange(_ command: [UInt8]) throws(WalkFailure) -> [UInt8] {
    send(.command, command)
    return try response()
  }
}
