import Foundation
import Glibc
import TestSupport
import Testing

/// What `tap-server` sends to a service manager, which is a Unix datagram socket here.
@Suite("The notifications of tap-server", .blocks, .timeLimit(.minutes(10)))
struct ServiceNotificationTests {
  /// Receives datagrams in another process, and prints a line for each, with a blank between its lines.
  private static let receiver = """
    import socket, sys
    receiver = socket.socket(socket.AF_UNIX, socket.SOCK_DGRAM)
    receiver.bind(sys.argv[1])
    print("bound", flush=True)
    while True: print(receiver.recv(4096).decode().replace(chr(10), " "), flush=True)
    """

  private let scratch: Scratch
  private let manager: ProgramRun

  init() throws {
    scratch = try Scratch()
    manager = try ProgramRun("/usr/bin/python3", ["-c", Self.receiver, scratch.path("notify")])
    try #require(manager.wait(timeout: .seconds(60)) { $0.output.contains("bound") }, "\(manager.errors)")
  }

  private var received: [String] { Self.lines(manager) }

  private static func lines(_ manager: ProgramRun) -> [String] {
    manager.output.split(separator: "\n").dropFirst().map(String.init)
  }

  private func waitForNotifications(_ count: Int) throws {
    try #require(manager.wait(timeout: .seconds(60)) { Self.lines($0).count >= count }, "\(received)")
  }

  private func monotonicMicroseconds() -> Int64 {
    var time = timespec()
    clock_gettime(CLOCK_MONOTONIC, &time)
    return Int64(time.tv_sec) * 1_000_000 + Int64(time.tv_nsec) / 1_000
  }

  @Test func `a server reports that it listens, each reload with its time, and that it ends`() throws {
    let server = try RunningServer(
      in: scratch.directory.path, environment: ["NOTIFY_SOCKET": scratch.path("notify")])
    try waitForNotifications(1)
    #expect(received == ["READY=1"])

    let before = monotonicMicroseconds()
    server.process.signal(SIGHUP)
    try waitForNotifications(3)
    let after = monotonicMicroseconds()
    let words = received[1].split(separator: " ").map(String.init)
    #expect(words.first == "RELOADING=1")
    let time = try #require(words.last.flatMap { Int64($0.replacingOccurrences(of: "MONOTONIC_USEC=", with: "")) })
    #expect((before...after).contains(time))
    #expect(received[2] == "READY=1")

    server.process.signal(SIGTERM)
    #expect(try server.process.finish() == .exited(0), "\(server.process.errors)")
    try waitForNotifications(4)
    #expect(received.count == 4)
    #expect(received[3] == "STOPPING=1")
  }

  @Test func `a server whose NOTIFY_SOCKET does not exist serves all the same`() throws {
    let server = try RunningServer(
      in: scratch.directory.path, environment: ["NOTIFY_SOCKET": scratch.path("missing")])
    #expect(!server.url.isEmpty)
    #expect(received.isEmpty)
  }
}
