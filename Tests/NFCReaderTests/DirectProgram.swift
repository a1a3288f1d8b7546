import Glibc
import NFCReader
import TestSupport

/// A `tap-nfc` whose socket belongs to the test, for requests that `NFCDevice` does not send.
final class DirectProgram {
  struct Failure: Error {
    let request: NFCRequest
    let arrival: NFCSocket.Arrival?
  }

  private let run: ProgramRun
  private var socket: NFCSocket

  init(environment: [String: String] = [:]) throws {
    var ends: [Int32] = [-1, -1]
    socketpair(AF_UNIX, Int32(SOCK_STREAM.rawValue) | Int32(SOCK_CLOEXEC.rawValue), 0, &ends)
    let input = fcntl(ends[1], F_DUPFD_CLOEXEC, 10)
    defer { close(input) }
    close(ends[1])
    socket = NFCSocket(owning: ends[0])
    run = try ProgramRun(NFCDevice.defaultProgram, environment: environment, descriptors: [0: input])
  }

  deinit {
    socket.finishSending()
    _ = run.wait(timeout: .seconds(60))
  }

  /// Starts the program and opens a device.
  convenience init(_ connstring: String, environment: [String: String] = [:]) throws {
    try self.init(environment: environment)
    guard case .opened = try ask(.open(connstring: connstring)) else { throw Failure(request: .list, arrival: nil) }
  }

  /// Sends a request without waiting for the response.
  func send(_ request: NFCRequest) { _ = socket.send(request.octets) }

  /// Closes the socket in the sending direction, as the end of the owner does.
  func closeSocket() { socket.finishSending() }

  func signal(_ number: Int32) { run.signal(number) }

  /// Waits until the program has exited.
  func finish() throws -> ProgramRun.Ending { try run.finish(timeout: .seconds(60)) }

  /// Sends a request and waits for the response.
  func ask(_ request: NFCRequest) throws -> NFCReply {
    guard socket.send(request.octets) else { throw Failure(request: request, arrival: nil) }
    let arrival = try socket.receive(timeout: .seconds(60))
    guard case .message(let octets) = arrival, let reply = NFCReply(octets) else {
      throw Failure(request: request, arrival: arrival)
    }
    return reply
  }

  /// The failure that answers a request; nil for any other response.
  func failure(of request: NFCRequest) throws -> NFCFailure? {
    guard case .failed(let failure) = try ask(request) else { return nil }
    return failure
  }
}
