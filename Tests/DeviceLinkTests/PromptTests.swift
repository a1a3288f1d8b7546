import DeviceAuthentication
import DeviceLink
import Foundation
import Glibc
import TestSupport
import Testing

@Suite("Prompts over the socket of a device", .timeLimit(.minutes(60)), .blocks)
struct PromptTests {
  private static let ready: [DeviceChange] = [.setPasscode, .enrolBiometric]

  @Test func `a second prompt of another program is busy, and the first one goes on`() async throws {
    let linked = try LinkedDevice(changes: Self.ready, user: .neverAnswers)
    let first = try await linked.openPrompt()
    let other = DeviceLinkClient(socket: linked.client.socket).ports
    let error = await thrown { () throws(DeviceAuthenticationError) in
      try await other.biometric.verify(prompt: "p", offeringPasscode: false)
    }
    #expect(error == .busy("another prompt is open on this device"))
    #expect(linked.device.openPrompt == .biometric)
    first.cancel()
    #expect(try await first.value == .cancelled)
  }

  @Test func `other requests are answered while a prompt is open`() async throws {
    let linked = try LinkedDevice(changes: Self.ready, user: .neverAnswers)
    let prompt = try await linked.openPrompt()
    #expect(try await linked.ports.lock.isSet())
    prompt.cancel()
    _ = try await prompt.value
  }

  @Test func `the prompt is closed when its cancelled request has returned`() async throws {
    let linked = try LinkedDevice(changes: Self.ready, user: .neverAnswers)
    for _ in 0..<20 {
      let prompt = try await linked.openPrompt()
      prompt.cancel()
      #expect(try await prompt.value == .cancelled)
      #expect(linked.device.openPrompt == nil)
    }
  }

  @Test func `the prompt of a program that ends is closed`() async throws {
    let linked = try LinkedDevice(changes: Self.ready, user: .neverAnswers)
    var client: RawClient? = try RawClient(linked.client.socket)
    client?.send(frames: [LinkHello().octets, LinkRequest.verifyBiometric(prompt: "p", offeringPasscode: false).octets])
    await until { linked.device.openPrompt != nil }
    client = nil
    await until { linked.device.openPrompt == nil }
  }

  @Test func `a cancellation in the same part as its request closes the prompt`() throws {
    let linked = try LinkedDevice(changes: Self.ready, user: .neverAnswers)
    let client = try RawClient(linked.client.socket)
    client.send(frames: [
      LinkHello().octets, LinkRequest.verifyBiometric(prompt: "p", offeringPasscode: false).octets,
      LinkRequest.cancel.octets,
    ])
    #expect(try client.reply() == .biometric(.cancelled))
  }

  @Test func `a server that stops closes its prompts first`() async throws {
    let linked = try LinkedDevice(changes: Self.ready, user: .neverAnswers)
    let prompt = try await linked.openPrompt()
    linked.server.stop()
    #expect(linked.device.openPrompt == nil)
    #expect(try await prompt.value == .cancelled)
    let error = await thrown { () throws(DeviceAuthenticationError) in try await linked.ports.lock.isSet() }
    #expect(error?.description.contains("start tap-device serve") == true)
  }

  @Test func `a passcode prompt without a terminal is an error, and nothing is sent`() async throws {
    let linked = try LinkedDevice(changes: Self.ready)
    let ports = DeviceLinkClient(socket: linked.client.socket, terminal: "/dev/null").ports
    let error = await thrown { () throws(DeviceAuthenticationError) in try await ports.passcode.verify(prompt: "p") }
    #expect(error?.description.contains("/dev/null is no terminal") == true)
    #expect(linked.device.promptCount(.passcode) == 0)
  }

  @Test func `the device gets the terminal of the client`() async throws {
    let scratch = try Scratch()
    let terminal = try PseudoTerminal()
    let device = SimulatedDevice()
    device.setPasscode("1")
    let served = ServedDevice(device.ports) { terminal in NamedTerminal(terminal: terminal) }
    let server = try DeviceLinkServer(served, at: scratch.path("s"), user: getuid())
    defer { server.stop() }
    let client = DeviceLinkClient(socket: scratch.path("s"), terminal: terminal.path)
    let error = await thrown { () throws(DeviceAuthenticationError) in
      try await client.ports.passcode.verify(prompt: "p")
    }
    #expect(error == .busy(terminal.path))
  }

  @Test func `the settings of the terminal are restored when the device is killed`() async throws {
    let scratch = try Scratch()
    let terminal = try PseudoTerminal()
    let raw = try RawServer(scratch.path("s")) { connection in
      let end = open(terminal.path, O_RDWR | O_NOCTTY)
      defer { close(end) }
      var settings = termios()
      tcgetattr(end, &settings)
      settings.c_lflag &= ~tcflag_t(ECHO)
      tcsetattr(end, TCSANOW, &settings)
      send(connection, LinkFrames.framed(LinkHello().octets), 10, Int32(MSG_NOSIGNAL))
    }
    let client = DeviceLinkClient(socket: scratch.path("s"), terminal: terminal.path)
    let error = await thrown { () throws(DeviceAuthenticationError) in
      try await client.ports.passcode.verify(prompt: "p")
    }
    #expect(error == .unavailable(reason: "tap-device ended before it answered: start it again"))
    var settings = termios()
    #expect(tcgetattr(terminal.main, &settings) == 0)
    #expect(settings.c_lflag & tcflag_t(ECHO) != 0)
    withExtendedLifetime(raw) {}
  }
}

/// A passcode check that fails with the name of its terminal.
private struct NamedTerminal: PasscodeVerifier {
  let terminal: PromptTerminal?

  func verify(prompt: String) async throws(DeviceAuthenticationError) -> PasscodeResult {
    guard let terminal, terminal.isTerminal, let name = ttyname(terminal.descriptor) else {
      throw .unavailable(reason: "no terminal")
    }
    throw .busy(String(cString: name))
  }
}
