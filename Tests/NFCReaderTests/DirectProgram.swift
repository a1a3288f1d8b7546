import Glibc
import Links
import NFCReader
import Octets
import Synchronization
import TestSupport

@testable import ReaderSimulator

/// `tap-nfc` without an engine before it, for requests that the engine would not send.
final class DirectProgram {
  struct Failure: Error {
    let request: NFCRequest
    let arrival: NFCSocket.Arrival?
  }

  private let run: ProgramRun
  private var socket: NFCSocket

  init() throws {
    var ends: [Int32] = [-1, -1]
    socketpair(AF_UNIX, Int32(SOCK_STREAM.rawValue) | Int32(SOCK_CLOEXEC.rawValue), 0, &ends)
    let input = fcntl(ends[1], F_DUPFD_CLOEXEC, 10)
    defer { close(input) }
    close(ends[1])
    socket = NFCSocket(owning: ends[0])
    run = try ProgramRun(NFCDevice.defaultProgram, descriptors: [0: input])
  }

  deinit {
    socket.finishSending()
    _ = run.wait(timeout: .seconds(5))
  }

  /// Starts it, with a device open.
  convenience init(_ connstring: String) throws {
    try self.init()
    guard case .opened = try ask(.open(connstring: connstring)) else { throw Failure(request: .list, arrival: nil) }
  }

  /// Asks, and waits for the answer.
  func ask(_ request: NFCRequest) throws -> NFCReply {
    guard socket.send(request.octets) else { throw Failure(request: request, arrival: nil) }
    let arrival = try socket.receive(timeout: .seconds(60))
    guard case .message(let octets) = arrival, let reply = NFCReply(octets) else {
      throw Failure(request: request, arrival: arrival)
    }
    return reply
  }

  /// The code and the text of a failure; nil for any other answer.
  func failure(of request: NFCRequest) throws -> NFCFailure? {
    guard case .failed(let failure) = try ask(request) else { return nil }
    return failure
  }
}

/// A serial port before another one: everything passes, but one kind of response is changed on its way.
final class AlteredPort: Sendable {
  private let terminal: PseudoTerminal
  private let other: Int32
  private let code: UInt8
  private let isEnded = Atomic(false)
  private let thread = Mutex<DedicatedThread<Void, Never>?>(nil)

  var path: String { terminal.path }
  var connstring: String { "pn532_uart:\(path)" }

  /// - Parameters:
  ///   - code: Of the response: 41 for InDataExchange, 8F for TgSetData.
  ///   - alter: Gives what the host gets in place of the response's frame, which the simulator writes in one piece.
  init(_ behind: String, code: UInt8, _ alter: @escaping @Sendable ([UInt8]) -> [UInt8]) throws {
    self.code = code
    terminal = try PseudoTerminal()
    other = open(behind, O_RDWR | O_NOCTTY | O_CLOEXEC)
    let running = DedicatedThread<Void, Never>(named: "port") { self.pass(alter) }
    thread.withLock { $0 = running }
  }

  /// Ends the passing on, after which the port goes with its owner.
  func end() {
    isEnded.store(true, ordering: .releasing)
    thread.withLock { $0.take() }?.join()
  }

  deinit { close(other) }

  private func pass(_ alter: ([UInt8]) -> [UInt8]) {
    var room = [UInt8](repeating: 0, count: 4096)
    while !isEnded.load(ordering: .acquiring) {
      var entries = (terminal.descriptors + [other]).map { pollfd(fd: $0, events: Int16(POLLIN), revents: 0) }
      guard poll(&entries, 2, 20) > 0 else { continue }
      if entries[0].revents != 0 {
        for octets in terminal.receive(terminal.descriptors, at: SystemClock().now) {
          _ = write(other, octets, octets.count)
        }
      }
      guard entries[1].revents != 0 else { continue }
      let count = read(other, &room, room.count)
      guard count > 0 else { return }
      terminal.send(altered(Array(room[..<count]), alter))
    }
  }

  /// 00 00 FF LEN LCS D5 code ...; an acknowledgement may have come before it.
  private func altered(_ octets: [UInt8], _ alter: ([UInt8]) -> [UInt8]) -> [UInt8] {
    let place = octets.indices.dropLast().first { octets[$0] == 0xD5 && octets[$0 + 1] == code }
    guard let start = place.map({ $0 - 5 }), start >= 0 else { return octets }
    return octets[..<start] + alter(Array(octets[start...]))
  }
}
