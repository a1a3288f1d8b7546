import DeviceAuthentication
import Foundation
import LinuxDevice
import Octets
import TestSupport
import Testing

@Suite("Faults of a fingerprint reader", .blocks, .timeLimit(.minutes(20)))
struct FingerprintFaultTests {
  /// A stage with one enrolled finger, and a prompt that waits for it.
  private static func openPrompt() throws -> (FingerprintStage, FingerprintReader, Task<BiometricResult, any Error>) {
    let stage = try FingerprintStage()
    try stage.enrol("right-index-finger", as: "right")
    let reader = stage.makeReader()
    let answer = reader.prompt()
    stage.awaitPrompt()
    return (stage, reader, answer)
  }

  private static func error(of answer: Task<BiometricResult, any Error>) async -> DeviceAuthenticationError? {
    do {
      Issue.record("the prompt ends with \(try await answer.value)")
      return nil
    } catch {
      return error as? DeviceAuthenticationError
    }
  }

  @Test(arguments: ["UNPLUG", "ERROR 0"])
  func `a reader that is unplugged or fails during a prompt is unavailable`(_ fault: String) async throws {
    let (stage, _, answer) = try Self.openPrompt()
    try stage.scan(fault)
    #expect(await Self.error(of: answer)?.kind == "unavailable")
  }

  @Test func `a fprintd that is killed during a prompt is unavailable`() async throws {
    let (stage, _, answer) = try Self.openPrompt()
    stage.killService()
    #expect(await Self.error(of: answer)?.kind == "unavailable")
  }

  @Test func `a bus that ends during a prompt is unavailable`() async throws {
    let (stage, _, answer) = try Self.openPrompt()
    stage.killBus()
    #expect(await Self.error(of: answer)?.kind == "unavailable")
  }

  @Test func `a cancelled prompt is no failed finger, and the next prompt opens`() async throws {
    let (stage, reader, answer) = try Self.openPrompt()
    answer.cancel()
    #expect(try await answer.value == .cancelled)
    for _ in 0..<3 {
      let again = reader.prompt()
      stage.awaitPrompt()
      again.cancel()
      #expect(try await again.value == .cancelled)
    }
    let last = reader.prompt()
    try stage.scan("SCAN right")
    #expect(try await last.value == .matched)
  }

  @Test func `a task that is already cancelled opens no prompt`() async throws {
    let reader = FingerprintReader(user: FingerprintStage.user, address: "unix:path=/nonexistent/bus")
    let answer = Task {
      withUnsafeCurrentTask { $0?.cancel() }
      return try await reader.verify(prompt: "Pay", offeringPasscode: false)
    }
    #expect(try await answer.value == .cancelled)
  }

  @Test func `a cancelled prompt closes although fprintd does not answer, and releases the reader`() async throws {
    let (stage, reader, answer) = try Self.openPrompt()
    stage.service.signal(SIGSTOP)
    answer.cancel()
    #expect(try await answer.value == .cancelled)
    stage.service.signal(SIGCONT)
    // fprintd releases the reader when it sees the end of the connection; until then it is in use.
    Thread.detachNewThread { try? stage.scan("SCAN right", comparison: 2) }
    var result: Result<BiometricResult, any Error>
    repeat { result = await reader.prompt().result } while result.isBusy
    #expect(try result.get() == .matched)
  }

  @Test func `a bus that never answers keeps neither a cancelled prompt nor a list`() async throws {
    let scratch = try Scratch()
    let listener = try #require(LocalSocket.listen(at: scratch.path("bus")))
    defer { close(listener) }
    let clock = ManualClock()
    let reader = FingerprintReader(
      user: FingerprintStage.user, address: "unix:path=\(scratch.path("bus"))", store: scratch.path("none"),
      clock: clock)
    let answer = reader.prompt()
    answer.cancel()
    #expect(try await answer.value == .cancelled)
    let list = Task { await thrown { () throws(DeviceAuthenticationError) in try await reader.enrolment() } }
    let time = Task {
      while !Task.isCancelled {
        clock.advance(by: .seconds(20))
        await Task.yield()
      }
    }
    #expect(await list.value?.kind == "unavailable")
    time.cancel()
  }

  @Test func `a second prompt is busy while one is open, in this program and in another`() async throws {
    let (stage, reader, answer) = try Self.openPrompt()
    #expect(await reader.failure == .busy("another prompt of this fingerprint reader is open"))
    #expect(await stage.makeReader().failure == .busy("another program uses the fingerprint reader"))
    answer.cancel()
    #expect(try await answer.value == .cancelled)
  }

  @Test func `a result that another program sends does not count`() async throws {
    let (stage, _, answer) = try Self.openPrompt()
    let names = try stage.run(
      "gdbus", "call", "--system", "-d", "org.freedesktop.DBus", "-o", "/", "-m", "org.freedesktop.DBus.ListNames")
    let owners = try stage.run(
      "gdbus", "call", "--system", "-d", "org.freedesktop.DBus", "-o", "/", "-m", "org.freedesktop.DBus.GetNameOwner",
      "net.reactivated.Fprint")
    let owner = String(try #require(owners.split(separator: "'").first { $0.hasPrefix(":") }))
    for name in names.split(separator: "'") where name.hasPrefix(":") {
      try stage.run(
        "gdbus", "emit", "--system", "--dest", String(name), "-o", "/net/reactivated/Fprint/Device/0", "-s",
        "net.reactivated.Fprint.Device.VerifyStatus", "verify-match", "true")
      try stage.run(
        "gdbus", "emit", "--system", "--dest", String(name), "-o", "/org/freedesktop/DBus", "-s",
        "org.freedesktop.DBus.NameOwnerChanged", "net.reactivated.Fprint", owner, "")
    }
    Thread.detachNewThread { try? stage.scan("SCAN other", comparison: 1) }
    #expect(try await answer.value == .notMatched)
  }

  @Test func `an enrolment that is removed before the prompt is reported`() async throws {
    let stage = try FingerprintStage()
    try stage.enrol("right-index-finger", as: "right")
    let reader = stage.makeReader()
    #expect(try await reader.enrolment().state == .enrolled)
    try stage.run("fprintd-delete", FingerprintStage.user)
    #expect(await reader.failure?.kind == "biometricNotEnrolled")
  }
}

extension Result<BiometricResult, any Error> {
  fileprivate var isBusy: Bool {
    if case .failure(DeviceAuthenticationError.busy) = self { true } else { false }
  }
}
