import DeviceAuthentication
import DeviceLink
import Foundation
import Glibc
import Octets
import TestSupport

/// A simulated device behind a server in this process, and a client of it.
final class LinkedDevice: ScenarioDevice {
  let device: SimulatedDevice
  let server: DeviceLinkServer
  let client: DeviceLinkClient
  let scratch: Scratch
  private let terminal: PseudoTerminal

  init(
    hardware: SimulatedDevice.Hardware = .phone, changes: [DeviceChange] = [], user: SimulatedUser = .approve,
    limits: DeviceLinkServer.Limits = .standard
  ) throws {
    scratch = try Scratch()
    terminal = try PseudoTerminal()
    device = SimulatedDevice(hardware: hardware, user: user, signing: ToySigning())
    for change in changes { device.apply(change) }
    server = try DeviceLinkServer(ServedDevice(device.ports), at: scratch.path("s"), user: getuid(), limits: limits)
    // The server answers on the threads that all tests share, so it may be late.
    client = DeviceLinkClient(
      socket: scratch.path("s"), terminal: terminal.path, callLimit: .seconds(600), cancelLimit: .seconds(600))
  }

  // The last reference may be released on a thread that runs the tasks for which `stop` waits.
  deinit {
    let server = server
    Thread.detachNewThread { server.stop() }
  }

  var ports: DevicePorts { client.ports }
  func apply(_ change: DeviceChange) { device.apply(change) }
  func setUser(_ user: SimulatedUser) { device.user = user }

  /// Starts a verification by a person who does not answer, and waits until its prompt is open.
  func openPrompt() async throws -> Task<BiometricResult, any Error> {
    let ports = ports
    let task = Task { try await ports.biometric.verify(prompt: "p", offeringPasscode: false) }
    await until { device.openPrompt != nil }
    return task
  }
}

/// A client that sends bytes of its own.
final class RawClient: Sendable {
  let descriptor: Int32

  init(_ path: String) throws {
    descriptor = socket(AF_UNIX, Int32(SOCK_STREAM.rawValue) | Int32(SOCK_CLOEXEC.rawValue), 0)
    var address = sockaddr_un()
    address.sun_family = sa_family_t(AF_UNIX)
    withUnsafeMutableBytes(of: &address.sun_path) { $0.copyBytes(from: Array(path.utf8)) }
    let result = withUnsafePointer(to: address) {
      $0.withMemoryRebound(to: sockaddr.self, capacity: 1) {
        connect(descriptor, $0, socklen_t(MemoryLayout<sockaddr_un>.size))
      }
    }
    guard result == 0 else { throw POSIXError(.init(rawValue: errno) ?? .EIO) }
  }

  deinit { close(descriptor) }

  @discardableResult
  func send(_ octets: [UInt8]) -> Bool {
    Glibc.send(descriptor, octets, octets.count, Int32(MSG_NOSIGNAL)) == octets.count
  }

  func send(frames messages: [[UInt8]]) { send(messages.flatMap(LinkFrames.framed)) }

  func finishSending() { shutdown(descriptor, Int32(SHUT_WR)) }

  /// The messages of the server until it closes its end. Blocks.
  func messages() throws -> [[UInt8]] {
    var (frames, messages) = (LinkFrames(), [[UInt8]]())
    while true {
      while let message = try frames.next() { messages.append(message) }
      var room = [UInt8](repeating: 0, count: 4096)
      let count = recv(descriptor, &room, room.count, 0)
      guard count > 0 else { return messages }
      frames.append(room[..<count])
    }
  }

  /// The response to a request, which is the last message. Blocks.
  func reply() throws -> LinkReply? { try messages().dropFirst().last.map { try LinkReply($0) } }
}
