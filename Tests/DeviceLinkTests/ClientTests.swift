import DeviceAuthentication
import DeviceLink
import Foundation
import Glibc
import TestSupport
import Testing

@Suite("The client of a device", .timeLimit(.minutes(60)), .blocks)
struct ClientTests {
  /// The error of a call to a server that sends these bytes.
  private func error(of octets: [UInt8], callLimit: Duration = .seconds(3600)) async throws
    -> DeviceAuthenticationError?
  {
    let scratch = try Scratch()
    let server = try RawServer(scratch.path("s")) { connection in
      send(connection, octets, octets.count, Int32(MSG_NOSIGNAL))
    }
    defer { withExtendedLifetime(server) {} }
    let ports = DeviceLinkClient(socket: scratch.path("s"), callLimit: callLimit).ports
    return await thrown { () throws(DeviceAuthenticationError) in try await ports.lock.isSet() }
  }

  private let hello = LinkFrames.framed(LinkHello().octets)

  @Test func `no device at a path is an error with the remedy`() async throws {
    let error = await thrown { () throws(DeviceAuthenticationError) in
      try await DeviceLinkClient(socket: "/nowhere/s").ports.lock.epoch()
    }
    #expect(
      error
        == .unavailable(
          reason: "no tap-device serves /nowhere/s: start tap-device serve, or name its socket"))
  }

  @Test func `a device that ends before its answer is an error`() async throws {
    let ended = DeviceAuthenticationError.unavailable(reason: "tap-device ended before it answered: start it again")
    #expect(try await error(of: []) == ended)
    #expect(try await error(of: hello) == ended)
    let answer = hello + LinkFrames.framed(LinkReply.lockState(true).octets)
    for count in 1..<answer.count { #expect(try await error(of: Array(answer[..<count])) == ended, "\(count)") }
    #expect(try await error(of: answer) == nil)
  }

  @Test func `a device of another version is an error that names both versions`() async throws {
    let error = try await error(of: LinkFrames.framed(LinkHello(version: 7).octets))
    #expect(
      error?.description.contains("version 7 of its protocol and this program version \(LinkHello.version)") == true)
  }

  @Test func `an answer to another request is an error`() async throws {
    let error = try await error(of: hello + LinkFrames.framed(LinkReply.done.octets))
    #expect(error?.description.contains("a response to another request") == true)
  }

  @Test func `bytes that are no message of a device are an error`() async throws {
    #expect(try await error(of: Array("HTTP/1.1 400".utf8)) != nil)
    #expect(try await error(of: hello + [0, 0, 0x20, 1]) != nil)
    #expect(try await error(of: hello + LinkFrames.framed([0x7F])) != nil)
    #expect(try await error(of: hello + LinkFrames.framed([0x89, 2, 1])) != nil)
  }

  @Test func `a device that does not answer is an error after the limit`() async throws {
    let scratch = try Scratch()
    let hold = DispatchSemaphore(value: 0)
    let server = try RawServer(scratch.path("s")) { _ in hold.wait() }
    defer { withExtendedLifetime(server) {} }
    let ports = DeviceLinkClient(socket: scratch.path("s"), callLimit: .milliseconds(20)).ports
    let error = await thrown { () throws(DeviceAuthenticationError) in try await ports.lock.isSet() }
    hold.signal()
    #expect(error == .unavailable(reason: "tap-device did not answer in time: start it again"))
  }

  @Test func `a cancelled prompt of a device that does not answer is an error after the limit`() async throws {
    let scratch = try Scratch()
    let (hold, accepted) = (DispatchSemaphore(value: 0), DispatchSemaphore(value: 0))
    let server = try RawServer(scratch.path("s")) { _ in
      accepted.signal()
      hold.wait()
    }
    defer { withExtendedLifetime(server) {} }
    let ports = DeviceLinkClient(socket: scratch.path("s"), cancelLimit: .milliseconds(20)).ports
    let task = Task { try await ports.biometric.verify(prompt: "p", offeringPasscode: false) }
    await withCheckedContinuation { continuation in
      Thread.detachNewThread {
        accepted.wait()
        continuation.resume()
      }
    }
    task.cancel()
    await #expect(throws: DeviceAuthenticationError.self) { try await task.value }
    hold.signal()
  }

  @Test(arguments: [0, 31, 33]) func `a secret of another length than 32 bytes is refused`(_ count: Int) async throws {
    let scratch = try Scratch()
    let octets = hello + LinkFrames.framed(LinkReply.octets([UInt8](repeating: 1, count: count)).octets)
    let server = try RawServer(scratch.path("s")) { connection in
      send(connection, octets, octets.count, Int32(MSG_NOSIGNAL))
    }
    defer { withExtendedLifetime(server) {} }
    let keys = DeviceLinkClient(socket: scratch.path("s")).ports.keys
    let key = try #require(KeyIdentifier([1]))
    let error = await thrown { () throws(DeviceAuthenticationError) in _ = try await keys.unseal(key) }
    #expect(error?.description.contains("a response to another request") == true)
  }

  @Test func `a deletion is completed although its task was cancelled`() async throws {
    let linked = try LinkedDevice(changes: [.setPasscode])
    let key = try await linked.ports.keys.create(.sealing)
    let keys = linked.ports.keys
    let task = Task {
      while !Task.isCancelled { await Task.yield() }
      try await keys.delete(key)
    }
    task.cancel()
    try await task.value
    #expect(try await linked.ports.keys.access(key) == .missing)
  }
}
