import DeviceAuthentication
import DeviceLink
import Foundation
import Glibc
import TestSupport
import Testing

@Suite("The server of a device", .timeLimit(.minutes(60)), .blocks)
struct ServerTests {
  private static func mode(_ path: String) -> mode_t? {
    var status = stat()
    return lstat(path, &status) == 0 ? status.st_mode & 0o7777 : nil
  }

  @Test func `the socket is its owner's only, and is removed at the end`() throws {
    let linked = try LinkedDevice()
    #expect(Self.mode(linked.client.socket) == 0o600)
    linked.server.stop()
    #expect(Self.mode(linked.client.socket) == nil)
    linked.server.stop()
  }

  @Test func `a second server at the same path is refused, and the first one goes on`() async throws {
    let linked = try LinkedDevice(changes: [.setPasscode])
    let error = await thrown { () throws(DeviceAuthenticationError) in
      try DeviceLinkServer(ServedDevice(linked.device.ports), at: linked.client.socket, user: getuid())
    }
    #expect(error == .busy("another tap-device serves \(linked.client.socket)"))
    #expect(try await linked.ports.lock.isSet())
  }

  @Test func `the socket of a server that was killed is replaced, a file of another kind is not`() async throws {
    let scratch = try Scratch()
    let ports = SimulatedDevice().ports
    let dead = socket(AF_UNIX, Int32(SOCK_STREAM.rawValue), 0)
    var address = sockaddr_un()
    address.sun_family = sa_family_t(AF_UNIX)
    withUnsafeMutableBytes(of: &address.sun_path) { $0.copyBytes(from: Array(scratch.path("s").utf8)) }
    let bound = withUnsafePointer(to: address) {
      $0.withMemoryRebound(to: sockaddr.self, capacity: 1) { bind(dead, $0, socklen_t(MemoryLayout<sockaddr_un>.size)) }
    }
    #expect(bound == 0)
    close(dead)
    let server = try DeviceLinkServer(ServedDevice(ports), at: scratch.path("s"), user: getuid())
    #expect(try await DeviceLinkClient(socket: scratch.path("s")).ports.lock.isSet() == false)
    server.stop()

    let file = try scratch.write("f", "content")
    let error = await thrown { () throws(DeviceAuthenticationError) in
      try DeviceLinkServer(ServedDevice(ports), at: file, user: getuid())
    }
    #expect(error == .unavailable(reason: "\(file) is a file that is no socket: remove it, or name another path"))
    #expect(try String(contentsOfFile: file, encoding: .utf8) == "content")
  }

  @Test(arguments: [0, 108]) func `a path of a wrong length is an error`(_ count: Int) async throws {
    let path = String(repeating: "x", count: count)
    let error = await thrown { () throws(DeviceAuthenticationError) in
      try DeviceLinkServer(ServedDevice(SimulatedDevice().ports), at: path, user: getuid())
    }
    let refused = DeviceAuthenticationError.unavailable(
      reason: "the path of a socket has 1 to 107 bytes, not \(count): \(path)")
    #expect(error == refused)
    #expect(
      await thrown { () throws(DeviceAuthenticationError) in
        try await DeviceLinkClient(socket: path).ports.lock.isSet()
      } == refused)
  }

  @Test func `a process of another user is refused, even when it can open the socket`() throws {
    try #require(getuid() == 0, "only root can become another user: run the tests as root")
    let linked = try LinkedDevice()
    chmod(linked.client.socket, 0o666)
    chmod(linked.scratch.directory.path, 0o755)
    let script = """
      import socket, sys
      s = socket.socket(socket.AF_UNIX)
      s.connect(sys.argv[1])
      print(s.makefile('rb').read())
      """
    let run = try ProgramRun(
      "setpriv",
      ["--reuid", "4242", "--clear-groups", "/usr/bin/python3", "-c", script, linked.client.socket])
    #expect(try run.finish() == .exited(0), "\(run.errors)")
    #expect(run.output.contains("this device serves user 0 only"))
  }

  @Test func `a socket that another user serves is refused, and nothing is sent to it`() async throws {
    try #require(getuid() == 0, "only root can become another user: run the tests as root")
    let scratch = try Scratch()
    chmod(scratch.directory.path, 0o777)
    let path = scratch.path("s")
    let script = """
      import socket, sys
      s = socket.socket(socket.AF_UNIX)
      s.bind(sys.argv[1])
      s.listen()
      print('listens', flush=True)
      print(s.accept()[0].recv(1000), flush=True)
      """
    let run = try ProgramRun(
      "setpriv", ["--reuid", "4242", "--clear-groups", "/usr/bin/python3", "-c", script, path])
    #expect(run.wait(timeout: .seconds(600)) { $0.output.contains("listens") }, "\(run.errors)")
    let error = await thrown { () throws(DeviceAuthenticationError) in
      try await DeviceLinkClient(socket: path).ports.lock.isSet()
    }
    #expect("\(error, default: "")".contains("is served by user 4242, and only root or the user of this program"))
    #expect(try run.finish() == .exited(0), "\(run.errors)")
    #expect(run.output.contains("b''"))
  }

  @Test func `further connections than the limit are busy, and the device works after them`() async throws {
    let linked = try LinkedDevice(changes: [.setPasscode], limits: .init(connections: 3, request: .seconds(3600)))
    var idle = try (0..<3).map { _ in try RawClient(linked.client.socket) }
    await until { linked.server.connectionCount == 3 }
    let error = await thrown { () throws(DeviceAuthenticationError) in try await linked.ports.lock.isSet() }
    #expect(error == .busy("3 requests to this device"))
    idle.removeAll()
    await until { linked.server.connectionCount == 0 }
    #expect(try await linked.ports.lock.isSet())
  }

  @Test func `a client that sends no request is refused after the limit`() async throws {
    let linked = try LinkedDevice(limits: .init(connections: 1, request: .milliseconds(20)))
    let idle = try RawClient(linked.client.socket)
    #expect(try idle.reply() == .failed(.unavailable(reason: "this device received no request in time")))
    await until { linked.server.connectionCount == 0 }
  }

  @Test func `a flood of 300 clients with garbage leaves no connection and no descriptor`() async throws {
    let linked = try LinkedDevice(changes: [.setPasscode, .enrolBiometric])
    var random = SystemRandomNumberGenerator()
    for round in 0..<300 {
      let client = try RawClient(linked.client.socket)
      let count = [1, 3, 4, 5, 40, 5000][round % 6]
      client.send((0..<count).map { _ in UInt8.random(in: 0...255, using: &random) })
    }
    await until { linked.server.connectionCount == 0 }
    #expect(try await linked.ports.biometric.verify(prompt: "p", offeringPasscode: false) == .matched)
  }

  @Test(arguments: MessageTests.requests)
  func `a connection that ends in the middle of a request is closed`(_ request: LinkRequest) async throws {
    let linked = try LinkedDevice(changes: [.setPasscode, .enrolBiometric])
    let octets = [LinkHello().octets, request.octets].flatMap(LinkFrames.framed)
    for count in Set([0, 1, 9, 10, 11, octets.count - 1]) {
      let client = try RawClient(linked.client.socket)
      client.send(Array(octets[..<count]))
      client.finishSending()
      #expect(try client.messages().count == 1)
    }
    await until { linked.server.connectionCount == 0 }
  }

  @Test func `descriptors that come with a request are closed`() async throws {
    let linked = try LinkedDevice(changes: [.setPasscode])
    func count() throws -> Int { try FileManager.default.contentsOfDirectory(atPath: "/proc/self/fd").count }
    let script = """
      import socket, sys, array, os
      hello = b'CDEV\\x00\\x03'
      for request in (b'{"lockState": {}}', b'{"lockState": {}}}', b'{"verifyPasscode": {"prompt": "p"}}'):
        s = socket.socket(socket.AF_UNIX)
        s.connect(sys.argv[1])
        data = b''.join(len(m).to_bytes(4, 'big') + m for m in (hello, request))
        fds = array.array('i', [0] * 20)
        s.sendmsg([data], [(socket.SOL_SOCKET, socket.SCM_RIGHTS, fds)])
        s.makefile('rb').read()
      """
    let before = try count()
    let run = try ProgramRun("/usr/bin/python3", ["-c", script, linked.client.socket])
    #expect(try run.finish() == .exited(0), "\(run.errors)")
    await until { linked.server.connectionCount == 0 }
    // Two files of the run stay open.
    await until { (try? count()) ?? .max <= before + 2 }
    withExtendedLifetime(run) {}
  }

  @Test func `a connection holds one descriptor, however many come with its bytes`() async throws {
    let linked = try LinkedDevice(limits: .init(connections: 3, request: .seconds(3600)))
    let marker = try linked.scratch.write("marker", "")
    func held() -> Int {
      ((try? FileManager.default.contentsOfDirectory(atPath: "/proc/self/fd")) ?? []).count {
        (try? FileManager.default.destinationOfSymbolicLink(atPath: "/proc/self/fd/\($0)")) == marker
      }
    }
    // A frame of 1 000 bytes that stays incomplete. The output queue is empty when the server has received all of it.
    let script = """
      import socket, sys, array, fcntl, termios, struct, time
      s = socket.socket(socket.AF_UNIX)
      s.connect(sys.argv[1])
      f = open(sys.argv[2])
      hello = b'CDEV' + bytes.fromhex(sys.argv[3])
      for byte in len(hello).to_bytes(4, 'big') + hello + (1000).to_bytes(4, 'big') + bytes(300):
        s.sendmsg([bytes([byte])], [(socket.SOL_SOCKET, socket.SCM_RIGHTS, array.array('i', [f.fileno()] * 20))])
        while struct.unpack('i', fcntl.ioctl(s, termios.TIOCOUTQ, bytes(4)))[0]: time.sleep(0.0001)
      print('received', flush=True)
      sys.stdin.read()
      """
    let version = String(format: "%04x", LinkHello.version)
    var input: [Int32] = [0, 0]
    try #require(pipe(&input) == 0)
    // The program must not keep the end for writing.
    _ = fcntl(input[1], F_SETFD, FD_CLOEXEC)
    let run = try ProgramRun(
      "/usr/bin/python3", ["-c", script, linked.client.socket, marker, version], descriptors: [0: input[0]])
    close(input[0])
    #expect(run.wait(timeout: .seconds(600)) { $0.output.contains("received") }, "\(run.errors)")
    #expect(held() <= 1)
    close(input[1])
    #expect(try run.finish() == .exited(0), "\(run.errors)")
    await until { held() == 0 }
  }

  @Test func `a client of another version gets the version of the device and no answer`() throws {
    let linked = try LinkedDevice()
    let client = try RawClient(linked.client.socket)
    client.send(frames: [LinkHello(version: 9).octets, LinkRequest.lockState.octets])
    #expect(try client.messages() == [LinkHello().octets])
  }

  @Test func `a request that is a cancellation is answered as cancelled`() throws {
    let linked = try LinkedDevice()
    let client = try RawClient(linked.client.socket)
    client.send(frames: [LinkHello().octets, LinkRequest.cancel.octets])
    #expect(try client.reply() == .failed(.cancelled))
  }
}
